import { errorClasses } from '../../src/webhooks/attempt.ts'

/** A row of the event table with its description (docs/specification/webhooks.md#event-types). */
export interface SpecifiedEventType {
  readonly objectType: string
  /** Members besides `object_type` and `object_id`: `text`, `boolean`, `status` of HTTP, or the allowed values. */
  readonly fields: Readonly<Record<string, 'text' | 'boolean' | 'status' | readonly string[]>>
  readonly optional: readonly string[]
}

type Fields = SpecifiedEventType['fields']

const row = (
  objectType: string,
  fields: Fields = {},
  optional: readonly string[] = [],
): SpecifiedEventType => ({ objectType, fields, optional })

const account = { account_id: 'text' } as const
const site = { account_id: 'text', primary_domain: 'text' } as const
const zone = { account_id: 'text', zone: 'text' } as const
const job = row('job', { account_id: 'text', job_type: 'text' }, ['account_id'])
const alert = row('alert', { severity: ['info', 'warning', 'critical'], account_id: 'text' }, [
  'account_id',
])

const endpoint = row(
  'webhook',
  {
    url_host: 'text',
    description: 'text',
    last_error_class: errorClasses,
    last_status_code: 'status',
  },
  ['description', 'last_error_class', 'last_status_code'],
)
const apiKey = row(
  'api_key',
  { name: 'text', kind: ['personal', 'organization'], expires_at: 'text' },
  ['expires_at'],
)

/** The event types and their data (docs/specification/webhooks.md#event-types). */
export const specifiedEventTypes: Readonly<Record<string, SpecifiedEventType>> = {
  'server.enrolled': row('server', { hostname: 'text' }),
  'server.revoked': row('server', { hostname: 'text' }),
  'account.created': row('account', account),
  'account.updated': row('account', {
    ...account,
    change: ['plan', 'overrides', 'quota', 'limits'],
  }),
  'account.deleted': row('account', account),
  'site.created': row('site', site),
  'site.updated': row('site', { ...site, change: ['domains', 'php_version', 'security_policy'] }),
  'site.tls_updated': row('site', site),
  'site.deleted': row('site', site),
  'backup.completed': row('backup', account),
  'backup.failed': row('backup', { ...account, will_retry: 'boolean' }),
  'backup.restored': row('backup', account),
  'dns.zone_created': row('dns_zone', zone),
  'dns.zone_deleted': row('dns_zone', zone),
  'dns.records_changed': row('dns_zone', {
    ...zone,
    change: ['created', 'changed', 'deleted', 'imported'],
  }),
  'database.created': row('database', { ...account, engine: 'text' }),
  'database.deleted': row('database', { ...account, engine: 'text' }),
  'job.succeeded': job,
  'job.failed': job,
  'alert.firing': alert,
  'alert.resolved': alert,
  'endpoint.failing': endpoint,
  'endpoint.recovered': endpoint,
  'endpoint.disabled': endpoint,
  'api_key.expiring': apiKey,
  'api_key.created': apiKey,
  'api_key.revoked': apiKey,
  'invoice.ready': row('invoice'),
  'webhook.ping': row('webhook'),
}

/** When each type is sent (docs/specification/webhooks.md#event-types). */
export const specifiedDescriptions: Readonly<Record<string, string>> = {
  'server.enrolled': 'A server completed enrollment and received its identity.',
  'server.revoked': "A server's identity was revoked.",
  'account.created': 'A hosting account was created.',
  'account.updated': 'Plan, overrides, quota or limits of an account changed.',
  'account.deleted': 'Deletion of an account was confirmed and started.',
  'site.created': 'A site was created (installation job running).',
  'site.updated': 'Domains, PHP version or security policy of a site changed.',
  'site.tls_updated': 'Certificate or TLS policy of a site was applied on its server.',
  'site.deleted': 'A site was removed from its server.',
  'backup.completed': 'A backup run finished successfully.',
  'backup.failed': 'A backup run failed; `data.will_retry` says whether it is retried.',
  'backup.restored': 'A restore from a backup finished successfully.',
  'dns.zone_created': 'A DNS zone was created.',
  'dns.zone_deleted': 'Removal of a DNS zone started.',
  'dns.records_changed': 'Records of a zone were created, changed, deleted or imported.',
  'database.created': 'A database was requested on a database service.',
  'database.deleted': 'Removal of a database was requested.',
  'job.succeeded': 'A job finished successfully on its server.',
  'job.failed': 'A job failed for good on its server.',
  'alert.firing': 'An alert started firing.',
  'alert.resolved': 'A firing alert resolved.',
  'endpoint.failing': 'An incident of one of your endpoints opened. Sent to your other endpoints.',
  'endpoint.recovered':
    'A success closed the incident of one of your endpoints. Sent to your other endpoints.',
  'endpoint.disabled':
    'One of your endpoints was disabled because it failed for too long. Sent to your other endpoints.',
  'api_key.expiring': 'An API key expires in 7 days or in 1 day.',
  'api_key.created': 'An API key was created.',
  'api_key.revoked': 'An API key was revoked.',
  'invoice.ready': 'Reserved for billing; not sent yet.',
  'webhook.ping': 'Test event sent on request to one endpoint.',
}
