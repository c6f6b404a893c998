import { createUuidv7 } from '@hosting/core/ids'

/** An attempt that is followed by another, and succeeds unless something else is said. */
export interface MadeAttempt {
  readonly tenantId: string
  readonly endpointId: string
  readonly id?: string
  readonly number?: number
  readonly startedAt?: Date
  readonly durationMs?: number
  readonly statusCode?: number | null
  readonly errorClass?: string | null
}

/** Runs statements: a pool, or a session. */
interface Client {
  query(sql: string, values: unknown[]): Promise<unknown>
}

/** Records attempts in one statement, as a worker does. Each has a delivery of its own, which is in no table. */
export async function recordAttempts(
  client: Client,
  attempts: readonly MadeAttempt[],
): Promise<void> {
  const ids = attempts.map(({ id = createUuidv7() }) => id)
  await client.query(
    `SELECT record_attempts($1, $1, $2, $3, $1, $1, $4, $5, $6, $7, $8,
       array_fill(NULL::delivery_outcome, ARRAY[cardinality($1::uuid[])]))`,
    [
      ids,
      attempts.map(({ endpointId }) => endpointId),
      attempts.map(({ tenantId }) => tenantId),
      attempts.map(({ number = 1 }) => number),
      attempts.map(({ startedAt = new Date() }) => startedAt),
      attempts.map(({ durationMs = 10 }) => durationMs),
      attempts.map(({ statusCode = 200 }) => statusCode),
      attempts.map(({ errorClass = null }) => errorClass),
    ],
  )
}
