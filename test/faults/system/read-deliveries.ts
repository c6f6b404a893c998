import type { Database } from '@hosting/postgres/database'
import type { Caller } from '../../support/caller.ts'
import type { RecordedAttempt, RecordedDelivery } from '../history/entries.ts'
import type { Recorder } from '../history/recorder.ts'

/** Where the records of deliveries are read. */
export interface RecordSources {
  readonly database: Database
  /** An API, and a key of each organization. */
  readonly caller: Caller
  readonly tokens: readonly string[]
}

/** Reads the deliveries of the organizations into a history, from PostgreSQL and the lists of the API. */
export async function readDeliveries(
  { database, caller, tokens }: RecordSources,
  recorder: Recorder,
): Promise<void> {
  const listed = new Map<string, Listed>()
  for (const token of tokens) await listDeliveries(caller, token, listed)
  const attempts = await readAttempts(database, recorder)
  const { rows } = await database.pool.query<DeliveryRow>(
    `SELECT id, event_id, event_type, endpoint_id, redelivery_of, outcome::text, attempt_count, completed_at
     FROM all_deliveries WHERE tenant_id = ANY (SELECT tenant_id FROM all_deliveries WHERE id = ANY ($1::uuid[])) ORDER BY id`,
    [[...listed.keys()]],
  )
  for (const row of rows) {
    const record: RecordedDelivery = {
      delivery: row.id,
      event: row.event_id,
      type: row.event_type,
      endpoint: row.endpoint_id,
      redeliveryOf: row.redelivery_of,
      outcome: row.outcome,
      attemptCount: row.attempt_count,
      completedAt: row.completed_at && recorder.toHistoryMs(row.completed_at.getTime()),
      attempts: attempts.get(row.id) ?? [],
      listed: listed.get(row.id) ?? null,
    }
    recorder.invoke('reader', 'read delivery', {}).ok(record)
  }
}

interface DeliveryRow {
  id: string
  event_id: string
  event_type: string
  endpoint_id: string
  redelivery_of: string | null
  outcome: string | null
  attempt_count: number
  completed_at: Date | null
}

type Listed = NonNullable<RecordedDelivery['listed']>

async function listDeliveries(
  caller: Caller,
  token: string,
  listed: Map<string, Listed>,
): Promise<void> {
  let cursor: string | null = null
  do {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { status, body } = await caller.call('get', `/webhook-deliveries?limit=100${after}`, {
      token,
    })
    if (status !== 200) throw new Error(`A list got status ${status}: ${JSON.stringify(body)}`)
    for (const { id, status: state, attempt_count, last_attempt } of body.items) {
      const lastStatus = (last_attempt?.status_code ?? null) as number | null
      listed.set(id, { status: state, attemptCount: attempt_count, lastStatus })
    }
    cursor = body.next_cursor
  } while (cursor !== null)
}

async function readAttempts(
  { pool }: Database,
  recorder: Recorder,
): Promise<Map<string, RecordedAttempt[]>> {
  const { rows } = await pool.query<{
    delivery_id: string
    number: number
    started_at: Date
    duration_ms: number
    status_code: number | null
    error_class: string | null
  }>(
    `SELECT delivery_id, number, started_at, duration_ms, status_code, error_class
     FROM recorded_attempts ORDER BY number`,
  )
  const byDelivery = new Map<string, RecordedAttempt[]>()
  for (const row of rows) {
    const attempt = {
      number: row.number,
      startedAt: recorder.toHistoryMs(row.started_at.getTime()),
      durationMs: row.duration_ms,
      status: row.status_code,
      error: row.error_class,
    }
    byDelivery.set(row.delivery_id, [...(byDelivery.get(row.delivery_id) ?? []), attempt])
  }
  return byDelivery
}
