import {
  findAuditTargetNames,
  type AuditTarget,
  type AuditTargetName,
} from '../../../api/for-pages.ts'
import type { SessionCaller } from '../../../api/access/caller.ts'
import type { AuditRecord } from '../../../api/routes/audit-log.ts'
import type { Services } from '../../../api/services.ts'

/** The current names of the targets and keys of entries, by `type id`. */
export const readAuditNames = (
  database: Services['database'],
  { tenant }: SessionCaller,
  events: readonly AuditRecord[],
): Promise<ReadonlyMap<string, AuditTargetName>> =>
  findAuditTargetNames(database, tenant.id, events.flatMap(targetsOf))

const targetsOf = ({ target: { type, id }, actor: { key_id } }: AuditRecord): AuditTarget[] => [
  ...(type === null || id === null ? [] : [{ type, id }]),
  ...(key_id === null ? [] : [{ type: 'api_key', id: key_id }]),
]

/** The names of members whose words differ from those of the API. */
const names: Readonly<Record<string, string>> = {
  url: 'URL',
  ip_allowlist: 'allowed IP addresses',
  ip_allowlist_required: 'requirement of an IP allowlist',
  rate_limit_per_minute: 'requests per minute',
  rate_limit_per_second: 'attempts per second',
  disable_after_failing_hours: 'hours of failure until it is disabled',
  standard_webhooks: 'Standard Webhooks headers',
  header_names: 'custom headers',
  external_id: 'external ID',
  max_lifetime_days: 'maximum lifetime in days',
  personal_keys_allowed: 'permission of personal keys',
  second_factor_required: 'requirement of a second factor',
  second_factor_from: 'start of the second factor',
  device_login: 'people who may connect devices',
  device_login_same_network: 'requirement of the same network for devices',
  'email.api_keys': 'emails about keys',
  'email.webhooks': 'emails about webhooks',
  'email.security': 'emails about security',
  'workload.conditions': 'conditions',
  'workload.token_lifetime_seconds': 'lifetime of tokens in seconds',
  'workload.single_use': 'single use of identity tokens',
}

/** The name of a member in a sentence. */
export const memberName = (member: string): string =>
  names[member] ?? member.replaceAll(/[._]/g, ' ')
