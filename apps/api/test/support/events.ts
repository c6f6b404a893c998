import type { TestApi } from '../../../../test/support/api.ts'

const ofAccount = { account_id: 'acc-1' }
const site = { object_type: 'site', object_id: 'site-1', ...ofAccount, primary_domain: 'a.example' }
const zone = { object_type: 'dns_zone', object_id: 'zone-1', ...ofAccount, zone: 'a.example' }
const backup = { object_type: 'backup', object_id: 'backup-1', ...ofAccount }
const server = { object_type: 'server', object_id: 'server-1', hostname: 'web-1.example' }
const account = { object_type: 'account', object_id: 'acc-1', ...ofAccount }
const databaseOf = { object_type: 'database', object_id: 'db-1', ...ofAccount, engine: 'mariadb' }
const job = { object_type: 'job', object_id: 'job-1', job_type: 'install' }
const alert = { object_type: 'alert', object_id: 'alert-1', severity: 'warning' }

/**
 * For each type that may be published the least `data` that docs/specification/webhooks.md#event-types
 * accepts.
 */
export const leastData: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'server.enrolled': server,
  'server.revoked': server,
  'account.created': account,
  'account.updated': { ...account, change: 'quota' },
  'account.deleted': account,
  'site.created': site,
  'site.updated': { ...site, change: 'php_version' },
  'site.tls_updated': site,
  'site.deleted': site,
  'backup.completed': backup,
  'backup.failed': { ...backup, will_retry: false },
  'backup.restored': backup,
  'dns.zone_created': zone,
  'dns.zone_deleted': zone,
  'dns.records_changed': { ...zone, change: 'imported' },
  'database.created': databaseOf,
  'database.deleted': databaseOf,
  'job.succeeded': job,
  'job.failed': job,
  'alert.firing': alert,
  'alert.resolved': alert,
}

/** What a test names of an event. */
interface EventMembers {
  readonly type?: string
  readonly id?: string
  readonly created_at?: string
}

/** An event as a publisher sends it. */
export function buildEvent<Members extends EventMembers>(tenantId: string, members?: Members) {
  const type = members?.type ?? 'site.created'
  return { tenant_id: tenantId, data: { ...leastData[type] }, ...(members as Members), type }
}

/** Publishes an event; gives its public id, and the ids of its deliveries, newest first. */
export async function publish(
  api: TestApi,
  tenantId: string,
  members: EventMembers = {},
): Promise<{ id: string; deliveryIds: string[] }> {
  const response = await api.callInternal('post', '/events', buildEvent(tenantId, members))
  if (response.status !== 202) throw new Error(`An event was refused: ${response.text}`)
  const { id } = response.body.items[0] as { id: string }
  const { rows } = await api.database.pool.query<{ id: string }>(
    'SELECT id FROM all_deliveries WHERE tenant_id = $1 AND event_id = $2 ORDER BY id DESC',
    [tenantId, id],
  )
  return { id, deliveryIds: rows.map((row) => row.id) }
}

/** How many rows of each kind an organization has of its events. */
export async function countEventRows({ database }: TestApi, tenantId: string) {
  const { rows } = await database.pool.query<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM events WHERE tenant_id = $1) AS events,
       (SELECT count(*)::int FROM all_deliveries WHERE tenant_id = $1) AS deliveries,
       (SELECT count(*)::int FROM pending_deliveries WHERE tenant_id = $1) AS pending_deliveries,
       (SELECT count(*)::int FROM published_event_ids WHERE tenant_id = $1) AS published_event_ids`,
    [tenantId],
  )
  return rows[0]!
}

/** What {@link countEventRows} gives of an organization for which nothing was stored. */
export const noEventRows = {
  events: 0,
  deliveries: 0,
  pending_deliveries: 0,
  published_event_ids: 0,
}

/** The payload of an event as it is stored, which is what is sent. */
export async function payloadOf(
  { database }: TestApi,
  tenantId: string,
  eventId: string,
): Promise<string> {
  const { rows } = await database.pool.query<{ payload: string }>(
    'SELECT payload FROM events WHERE tenant_id = $1 AND event_id = $2',
    [tenantId, eventId],
  )
  if (rows.length !== 1) throw new Error(`${rows.length} events have the id ${eventId}`)
  return rows[0]!.payload
}
