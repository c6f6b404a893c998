import type { Database } from '@hosting/postgres/database'
import { setTimeout } from 'node:timers/promises'
import type { Recorder } from '../history/recorder.ts'

/** A reader that looks for deliveries that are in two places or in none. */
export interface PlaceReader {
  /** Looks a last time, and stops. Call it when PostgreSQL works. @throws Error if the last look fails. */
  finish(): Promise<void>
}

/** Short, so that it sees what lasts for a moment only. */
const usualPauseMs = 50

/** Looks again and again, and records what it finds. A look that PostgreSQL does not answer is left out. */
export function startPlaceReader(
  database: Database,
  recorder: Recorder,
  pauseMs = usualPauseMs,
): PlaceReader {
  const state = { isFinishing: false }
  const looking = lookOn()

  async function lookOn(): Promise<void> {
    while (!state.isFinishing) {
      const misplaced = await findMisplaced(database).catch(() => [])
      if (misplaced.length > 0) recorder.invoke('reader', 'read places', {}).ok({ misplaced })
      await setTimeout(pauseMs)
    }
  }

  return {
    async finish() {
      state.isFinishing = true
      await looking
      const misplaced = await findMisplaced(database)
      recorder.invoke('reader', 'read places', {}).ok({ misplaced })
    },
  }
}

/**
 * The deliveries that are in the queue and in the history, and the events that have fewer deliveries than they got when
 * they were published. One statement sees one moment.
 */
async function findMisplaced({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ misplaced: string }>(`
    WITH place AS (
      SELECT delivery_id AS id, event_ref, redelivery_of FROM pending_deliveries
      UNION ALL
      SELECT id, event_ref, redelivery_of FROM deliveries
    ), kept AS (
      SELECT event_ref, count(DISTINCT id) AS count FROM place WHERE redelivery_of IS NULL GROUP BY event_ref
    )
    SELECT id || ': in ' || count(*) || ' places' AS misplaced FROM place GROUP BY id HAVING count(*) > 1
    UNION ALL
    SELECT e.event_id || ': ' || coalesce(kept.count, 0) || ' of ' || e.delivery_count || ' deliveries are stored'
    FROM events e LEFT JOIN kept ON kept.event_ref = e.id
    WHERE coalesce(kept.count, 0) < e.delivery_count
    LIMIT 20`)
  return rows.map(({ misplaced }) => misplaced)
}
