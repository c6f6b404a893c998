import { types, type RowOf } from '../database/column-types.ts'
import { defineStatement } from '../database/statement.ts'

const { float, int, notNull, nullable, text } = types

/** A session of PostgreSQL that others wait for. */
const blockerTypes = {
  pid: notNull(int, 'it is compared'),
  /** Empty if the program has set none. */
  application: notNull(text, 'coalesce'),
  /** `null` if the role of this process may not see it. */
  state: nullable(text),
  /** How long its transaction has been open, in ms. `null` if the role may not see it. */
  openMs: nullable(float),
  /** How long the longest waits for it, in ms. */
  waitingMs: nullable(float),
  /** The number of sessions that wait for it, directly or behind others. */
  blocked: notNull(int, 'count'),
  /** The tables whose locks are waited for, with commas between. */
  tables: nullable(text),
}

/** A session of PostgreSQL that others wait for, and for how long. Never its statement. */
export type Blocker = RowOf<typeof blockerTypes>

const shownMax = 20

/** Returns the sessions that block others and wait for nobody themselves, those that block the most first. */
export const blockersStatement = defineStatement({
  name: 'list-blockers',
  takes: {},
  gives: blockerTypes,
  sql: `
    WITH RECURSIVE blocked AS (
      SELECT w.pid, w.state_change, blocker
      FROM pg_stat_activity w CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS b (blocker)
      WHERE w.datname = current_database() AND w.wait_event_type = 'Lock'
    ), root (pid, state_change, blocker) AS (
      SELECT * FROM blocked
      UNION
      SELECT root.pid, root.state_change, next.blocker FROM root JOIN blocked next ON next.pid = root.blocker
    )
    SELECT a.pid, coalesce(a.application_name, '') AS application, a.state,
      greatest(0, extract(epoch FROM clock_timestamp() - a.xact_start) * 1000)::float8 AS open_ms,
      greatest(0, extract(epoch FROM clock_timestamp() - min(root.state_change)) * 1000)::float8 AS waiting_ms,
      count(DISTINCT root.pid)::int AS blocked,
      (SELECT string_agg(DISTINCT l.relation::regclass::text, ', ') FROM pg_locks l
       WHERE NOT l.granted AND l.relation IS NOT NULL AND l.pid = ANY (array_agg(root.pid))) AS tables
    FROM root JOIN pg_stat_activity a ON a.pid = root.blocker
    WHERE root.blocker NOT IN (SELECT pid FROM blocked)
    GROUP BY a.pid, a.application_name, a.state, a.xact_start
    ORDER BY blocked DESC, a.pid LIMIT ${shownMax}`,
})
