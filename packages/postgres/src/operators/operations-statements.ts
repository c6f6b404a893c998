import { types } from '../database/column-types.ts'
import type { DayTable } from '../database/day-partitions.ts'
import { defineStatement } from '../database/statement.ts'
import type { RecoveryStatus } from '../generated/enums.ts'

const { bool, float, int, named, notNull, nullable, text, time, uuid } = types

/** The most endpoints examined for the slow lane. */
export const slowLookedAtMax = 100_000

/** The most waiting items that are counted. */
export const waitingMax = 10_000
const slowShownMax = 50
const recoveriesRunningMax = 50
const recoveriesEndedMax = 10

/** Returns the endpoints in the slow lane with the latest end, and their number. */
export const slowLaneStatement = defineStatement({
  name: 'list-slow-endpoints',
  takes: {},
  gives: {
    endpointId: uuid,
    url: text,
    description: nullable(text),
    tenantName: text,
    slowUntil: notNull(time, 'it is compared'),
    count: notNull(int, 'count'),
    isMore: notNull(bool, 'count'),
  },
  sql: `
    WITH looked AS (
      SELECT endpoint_id, slow_until FROM webhook_endpoint_schedules LIMIT ${slowLookedAtMax + 1}
    )
    SELECT e.id AS endpoint_id, e.url, e.description, t.name AS tenant_name, l.slow_until, count(*) OVER ()::int AS count,
      (SELECT count(*) FROM looked) > ${slowLookedAtMax} AS is_more
    FROM looked l
    JOIN webhook_endpoints e ON e.id = l.endpoint_id AND e.deleted_at IS NULL
    JOIN tenants t ON t.id = e.tenant_id
    WHERE l.slow_until > now() ORDER BY l.slow_until DESC, e.id LIMIT ${slowShownMax}`,
})

/** Returns the day partitions of the records with their sizes, oldest first. */
export const daysStatement = defineStatement({
  name: 'list-record-days',
  takes: {},
  gives: {
    table: notNull(named<DayTable>('text'), 'of a list of names'),
    day: notNull(text, 'of a name'),
    attached: notNull(bool, 'IS NOT NULL, and a column that is never null if the row exists'),
    bytes: notNull(float, 'the size of a relation that exists'),
  },
  sql: `
    SELECT p.table, right(c.relname, 8) AS day, i.inhrelid IS NOT NULL AND NOT i.inhdetachpending AS attached,
      pg_total_relation_size(c.oid)::float8 AS bytes
    FROM unnest(ARRAY['events', 'deliveries', 'delivery_attempts']) AS p ("table")
    JOIN pg_class parent ON parent.oid = to_regclass(p.table)
    JOIN pg_class c ON c.relnamespace = parent.relnamespace AND c.relkind = 'r'
      AND c.relname ~ ('^' || p.table || '_[0-9]{8}$')
    LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = parent.oid
    ORDER BY day`,
})

/** Returns the running recoveries, then the last ones that ended. */
export const recoveriesStatement = defineStatement({
  name: 'list-recoveries',
  takes: {},
  gives: {
    id: notNull(uuid, 'the column is never null'),
    endpointId: notNull(uuid, 'the column is never null'),
    url: text,
    description: nullable(text),
    tenantName: text,
    status: notNull(named<RecoveryStatus>('recovery_status'), 'the column is never null'),
    done: notNull(int, 'the column is never null'),
    total: notNull(int, 'the column is never null'),
    createdAt: notNull(time, 'the column is never null'),
    steppedAt: nullable(time),
  },
  sql: `
    SELECT r.id, r.endpoint_id, e.url, e.description, t.name AS tenant_name, r.status, r.done, r.total, r.created_at, r.stepped_at
    FROM (
      (SELECT * FROM webhook_recoveries WHERE status = 'running' ORDER BY id LIMIT ${recoveriesRunningMax})
      UNION ALL
      (SELECT * FROM webhook_recoveries WHERE status <> 'running' ORDER BY id DESC LIMIT ${recoveriesEndedMax})
    ) r
    JOIN webhook_endpoints e ON e.id = r.endpoint_id
    JOIN tenants t ON t.id = r.tenant_id
    ORDER BY r.status = 'running' DESC, r.id DESC`,
})

/** The columns of the statements that count waiting work. */
export const waitingTypes = { count: notNull(int, 'count'), oldestAt: nullable(time) }

/** Returns the number of key changes that have not been sent to Redis, and the time of the oldest. */
export const invalidationsStatement = defineStatement({
  name: 'count-invalidations',
  takes: {},
  gives: waitingTypes,
  sql: `
    SELECT count(*)::int AS count, min(created_at) AS oldest_at
    FROM (SELECT created_at FROM gate_invalidations LIMIT ${waitingMax + 1}) g`,
})

/** Returns the number of audit entries that are not sealed yet, and the time of the oldest. */
export const unsealedStatement = defineStatement({
  name: 'count-unsealed-entries',
  takes: {},
  gives: waitingTypes,
  sql: `
    SELECT count(*)::int AS count,
      (SELECT occurred_at FROM audit_events WHERE id = min(audit_event_id::text)::uuid) AS oldest_at
    FROM (SELECT audit_event_id FROM audit_unsealed ORDER BY audit_event_id LIMIT ${waitingMax + 1}) w`,
})
