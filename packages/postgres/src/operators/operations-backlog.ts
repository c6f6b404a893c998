import { endpointName } from '@hosting/core/webhooks'
import { types, type RowOf } from '../database/column-types.ts'
import { defineStatement } from '../database/statement.ts'

const { bool, int, notNull, nullable, text, time, uuid } = types

/** A count with a limit, which limits its cost. */
export interface CountUpTo {
  readonly count: number
  /** Whether there are more than `count`. */
  readonly isMore: boolean
}

/** Due deliveries of an endpoint or an organization, including those in progress. */
export interface DueDeliveries {
  readonly due: CountUpTo
  readonly oldestDueAt: Date
}

/** An endpoint with due deliveries. */
export interface EndpointBacklog extends DueDeliveries {
  readonly endpointId: string
  readonly endpointName: string
  readonly tenantId: string
  readonly tenantName: string
  /** The end of its time in the slow lane. `null` if it is not in the slow lane. */
  readonly slowUntil: Date | null
  /** Its limit of attempts per second. Its deliveries wait because of it. */
  readonly rateLimitPerSecond: number | null
  readonly state: 'enabled' | 'disabled' | 'deleted'
}

/** An organization with due deliveries of enabled endpoints. */
export interface TenantBacklog extends DueDeliveries {
  readonly tenantId: string
  readonly tenantName: string
  /** The number of its endpoints with due deliveries. */
  readonly endpoints: number
}

/** Due deliveries of several endpoints, those with the most first. */
export interface Backlog {
  /** The number of endpoints with due deliveries. */
  readonly endpointCount: number
  /** The endpoints whose deliveries were counted: those whose oldest delivery has been due longest. */
  readonly endpoints: readonly EndpointBacklog[]
  /** The due deliveries of the counted endpoints. */
  readonly due: CountUpTo
  /** Without throttled endpoints, whose deliveries wait because of their rate limit. */
  readonly oldestDueAt: Date | null
}

/** All due deliveries by endpoint. */
export interface DueBacklog {
  /** Of enabled endpoints: deliveries that can be sent now. */
  readonly open: Backlog
  /** Of disabled and deleted endpoints: deliveries that wait. */
  readonly waiting: Backlog
  /** Whether there are more endpoints with unfinished deliveries than were examined. */
  readonly isMore: boolean
}

/** The limits of what is examined and counted. */
export const backlogLimits = {
  /** Endpoints with unfinished deliveries that are examined, in the order of their ids. */
  endpointsMax: 10_000,
  /** Endpoints per side, open or waiting, whose due deliveries are counted. */
  countedMax: 1_000,
  /** Of these, the endpoints with the most due deliveries, which are counted further. */
  shownMax: 50,
  /**
   * Due deliveries per side that are counted, divided equally among the endpoints, and once more among
   * those shown.
   */
  rowsMax: 100_000,
} as const

/** The limits of the counts per endpoint, for those that are shown and for the others. */
export function countLimits({ endpoints }: Backlog): { shown: number; others: number } {
  const { rowsMax, shownMax } = backlogLimits
  const others = Math.floor(rowsMax / Math.max(1, endpoints.length))
  return { shown: Math.max(others, rowsMax / shownMax), others }
}

/** Counts the due deliveries of an endpoint, up to one more than a limit. */
const countOfDue = (endpoint: string, limit: string): string => `
  SELECT count(*) AS due FROM (
    SELECT 1 FROM pending_deliveries p WHERE p.endpoint_id = ${endpoint}.id AND p.due_at <= now()
    ORDER BY p.due_at LIMIT ${limit} + 1
  ) rows`

/**
 * Returns the endpoints with due deliveries and their counts, those with the most first. Like the relay, a loose index scan
 * steps from endpoint to endpoint and reads each one's longest due delivery. Each count ends at its share, so a large
 * backlog costs no more than a small one.
 */
export const backlogStatement = defineStatement({
  name: 'count-backlog',
  takes: {},
  gives: {
    id: uuid,
    tenantId: uuid,
    tenantName: text,
    url: text,
    description: nullable(text),
    enabled: bool,
    rateLimitPerSecond: nullable(int),
    deleted: notNull(bool, 'IS NOT NULL'),
    open: notNull(bool, 'of columns that are never null'),
    oldestDueAt: notNull(time, 'the column is never null'),
    endpointCount: notNull(int, 'count'),
    due: notNull(int, 'of counts'),
    isMore: notNull(bool, 'of counts'),
    slowUntil: nullable(time),
    moreEndpoints: notNull(bool, 'there is at least one step'),
  },
  sql: `
    WITH RECURSIVE step AS (
      (SELECT endpoint_id, due_at, 1 AS number FROM pending_deliveries ORDER BY endpoint_id, due_at LIMIT 1)
      UNION ALL
      SELECT next.endpoint_id, next.due_at, step.number + 1 FROM step CROSS JOIN LATERAL (
        SELECT p.endpoint_id, p.due_at FROM pending_deliveries p WHERE p.endpoint_id > step.endpoint_id
        ORDER BY p.endpoint_id, p.due_at LIMIT 1
      ) next
      WHERE step.number <= ${backlogLimits.endpointsMax}
    ), due AS (
      SELECT e.id, e.tenant_id, e.url, e.description, e.enabled, e.rate_limit_per_second, e.deleted_at IS NOT NULL AS deleted,
        is_open(e) AS open, step.due_at AS oldest_due_at
      FROM step JOIN webhook_endpoints e ON e.id = step.endpoint_id
      WHERE step.due_at <= now() AND step.number <= ${backlogLimits.endpointsMax}
    ), ranked AS (
      SELECT due.*, row_number() OVER (PARTITION BY open ORDER BY oldest_due_at, id) AS rank,
        count(*) OVER (PARTITION BY open) AS endpoint_count
      FROM due
    ), shared AS (
      SELECT ranked.*, ${backlogLimits.rowsMax} / least(endpoint_count, ${backlogLimits.countedMax}) AS share
      FROM ranked WHERE rank <= ${backlogLimits.countedMax}
    ), counted AS (
      SELECT shared.*, c.due, row_number() OVER (PARTITION BY open ORDER BY c.due DESC, oldest_due_at, id) AS due_rank
      FROM shared CROSS JOIN LATERAL (${countOfDue('shared', 'share')}) c
    ), capped AS (
      SELECT counted.*, CASE WHEN due_rank <= ${backlogLimits.shownMax}
        THEN greatest(share, ${backlogLimits.rowsMax / backlogLimits.shownMax}) ELSE share END AS cap
      FROM counted
    )
    SELECT capped.id, capped.tenant_id, t.name AS tenant_name, url, description, enabled, rate_limit_per_second, deleted, open,
      oldest_due_at, endpoint_count::int, least(greatest(capped.due, further.due), cap)::int AS due,
      greatest(capped.due, further.due) > cap AS is_more,
      CASE WHEN s.slow_until > now() THEN s.slow_until END AS slow_until,
      (SELECT max(number) FROM step) > ${backlogLimits.endpointsMax} AS more_endpoints
    FROM capped
    JOIN tenants t ON t.id = capped.tenant_id
    LEFT JOIN webhook_endpoint_schedules s ON s.endpoint_id = capped.id
    CROSS JOIN LATERAL (
      ${countOfDue('capped', 'CASE WHEN capped.due > share AND cap > share THEN cap ELSE -1 END')}
    ) further
    ORDER BY least(greatest(capped.due, further.due), cap) DESC, oldest_due_at, id`,
})

type BacklogRow = RowOf<typeof backlogStatement.gives>

/** Converts the rows of {@link backlogStatement}. */
export const toBacklog = (rows: readonly BacklogRow[]): DueBacklog => ({
  open: toSide(rows.filter((row) => row.open)),
  waiting: toSide(rows.filter((row) => !row.open)),
  isMore: rows[0]?.moreEndpoints ?? false,
})

function toSide(rows: readonly BacklogRow[]): Backlog {
  const endpoints = rows.map(toEndpoint)
  const { due } = sumOf(endpoints)
  const { oldestDueAt } = sumOf(endpoints.filter((each) => each.rateLimitPerSecond === null))
  return { endpointCount: rows[0]?.endpointCount ?? 0, endpoints, due, oldestDueAt }
}

const toEndpoint = (row: BacklogRow): EndpointBacklog => ({
  endpointId: row.id,
  endpointName: endpointName(row),
  tenantId: row.tenantId,
  tenantName: row.tenantName,
  slowUntil: row.slowUntil,
  rateLimitPerSecond: row.rateLimitPerSecond,
  state: row.deleted ? 'deleted' : row.enabled ? 'enabled' : 'disabled',
  due: { count: row.due, isMore: row.isMore },
  oldestDueAt: row.oldestDueAt,
})

/** Adds up counts. */
function sumOf(all: readonly DueDeliveries[]): { due: CountUpTo; oldestDueAt: Date | null } {
  const oldest = Math.min(...all.map(({ oldestDueAt }) => oldestDueAt.getTime()))
  return {
    due: {
      count: all.reduce((sum, { due }) => sum + due.count, 0),
      isMore: all.some(({ due }) => due.isMore),
    },
    oldestDueAt: all.length === 0 ? null : new Date(oldest),
  }
}

/** Groups the backlog by organization, the one with the most due deliveries first. */
export function byTenant(endpoints: readonly EndpointBacklog[]): TenantBacklog[] {
  const groups = Map.groupBy(endpoints, ({ tenantId }) => tenantId)
  return [...groups.values()]
    .map((group) => {
      const { tenantId, tenantName } = group[0]!
      const { due, oldestDueAt } = sumOf(group)
      return { tenantId, tenantName, endpoints: group.length, due, oldestDueAt: oldestDueAt! }
    })
    .toSorted((a, b) => b.due.count - a.due.count || +a.oldestDueAt - +b.oldestDueAt)
}
