import { wideAllowlistText } from '@hosting/core/api-keys'
import type { ItemOf } from '@hosting/sdk'
import {
  leftOut,
  optional,
  state,
  time,
  toLines,
  truncated,
  type Columns,
} from '../terminal/table.ts'
import { shellQuoted, formatTime } from '../terminal/text.ts'

type Key = ItemOf<'/api-keys'>

const statusLabels: Readonly<Record<string, string>> = {
  active: 'Active',
  disabled: 'Disabled',
  expired: 'Expired',
  revoked: 'Revoked',
}

const statusLabel = ({ status }: Pick<Key, 'status'>): string => statusLabels[status] ?? status

const kindLabels: Readonly<Record<string, string>> = {
  personal: 'Personal',
  organization: 'Organization',
}

const kindLabel = ({ kind }: Pick<Key, 'kind'>): string => kindLabels[kind] ?? kind

export const keyColumns: Columns<Key> = {
  id: ({ id }) => id,
  name: truncated(({ name }) => name, 20),
  status: state(statusLabel),
  kind: optional(kindLabel),
  scopes: truncated(({ scopes }) => scopes.join(','), 12),
  'ip allowlist': optional(({ ip_allowlist, ip_allowlist_wide }) =>
    ip_allowlist === null ? 'any' : ip_allowlist_wide ? 'wide' : 'limited',
  ),
  expires: leftOut(time(({ expires_at }) => expires_at)),
  'last used': leftOut(time(({ last_used_at }) => last_used_at)),
  'requests today': optional(({ requests_today }) => requests_today),
}

const wideAllowlist = `the IP allowlist is wide: it admits ${wideAllowlistText}`

/** A key as lines. */
export const keyLines = (key: Key): string[] =>
  toLines({
    key: key.id,
    name: key.name,
    status: statusLabel(key),
    kind: kindLabel(key),
    source: key.source,
    scopes: key.scopes,
    'acts as': key.user.name,
    'created by': key.created_by?.name,
    'external id': key.external_id,
    'created with key': key.parent_key_id,
    'ip allowlist': key.ip_allowlist ?? 'any address',
    ...(key.ip_allowlist_wide && { warning: wideAllowlist }),
    accounts: key.accounts ?? 'every account of its user',
    'rate limit': `${key.rate_limit_per_minute} requests per minute`,
    ...workloadEntries(key),
    expires: formatTime(key.expires_at) ?? 'never',
    created: formatTime(key.created_at),
    rotated: formatTime(key.rotated_at),
    'overlap period until': formatTime(key.previous_secret_expires_at),
    'old secret last used': formatTime(key.previous_secret_last_used_at),
    revoked: formatTime(key.revoked_at),
    'last used': key.last_used_at && `${formatTime(key.last_used_at)} from ${key.last_used_ip}`,
    'requests today': key.requests_today,
    'unused scopes': key.unused_scopes?.join(', '),
  })

const workloadEntries = ({ workload }: Key) =>
  workload && {
    issuer: workload.issuer,
    conditions: Object.entries(workload.conditions).map(
      ([claim, accepted]) => `${claim}=${[accepted].flat().join(' or ')}`,
    ),
    'identity tokens': workload.single_use ? 'each once' : 'until they expire',
    'lifetime of tokens': `${workload.token_lifetime_seconds} s`,
    audience: workload.audience,
  }

/** How a job gets a token of a new workload key. */
export const exchangeLines = ({ id, workload }: Key): string[] => [
  '',
  'A workload key has no token. A job exchanges its identity token for one:',
  `  hctl token exchange ${audienceOption(id, workload?.audience ?? '')}`,
]

/** A key id is enough for an audience that ends in it. */
const audienceOption = (id: string, audience: string): string =>
  audience.endsWith(`/workloads/${id}`) ? `--key ${id}` : `--audience ${shellQuoted(audience)}`
