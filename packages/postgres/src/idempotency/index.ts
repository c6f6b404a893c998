import { idempotencyKeptHours } from '@hosting/core/idempotency'
import type { Prisma } from '../generated/client.ts'
import { types } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { defineStatement, execute, run as runStatement } from '../database/statement.ts'

const { bytes, float, int, listOf, named, nullable, text, uuid } = types

/** Identifies a request by its caller and its Idempotency-Key. */
export interface IdempotencyName {
  /** `key:<id>` or `user:<id>`. */
  readonly caller: string
  readonly key: string
}

/** A response as it is stored. */
export interface StoredResponse {
  readonly status: number
  /** Without one-time secrets. */
  readonly body: unknown
}

/** What a request finds under its Idempotency-Key. */
export type IdempotencyClaim =
  | { readonly state: 'claimed' }
  | { readonly state: 'running' }
  | { readonly state: 'other_request' }
  | { readonly state: 'completed'; readonly response: StoredResponse }

/**
 * Claims the name for a run, unless a response is stored, another run is in progress, or the name belongs
 * to a different request. It takes over a run that did not finish within its lock, and ignores expired
 * records.
 *
 * @param run - `requestHashes`: 32 bytes each, the first of which is stored; `runId`: identifies the run;
 * `lockMs`: the time limit of the run.
 */
export async function claimIdempotency(
  { pool }: Database,
  { caller, key }: IdempotencyName,
  run: { requestHashes: readonly [Buffer, ...Buffer[]]; runId: string; lockMs: number },
): Promise<IdempotencyClaim> {
  const { requestHashes, runId, lockMs } = run
  const [requestHash] = requestHashes
  const keptHours = idempotencyKeptHours
  const claim = { caller, key, requestHash, requestHashes, runId, lockMs, keptHours }
  if ((await execute(pool, claimStatement, claim)) === 1) return { state: 'claimed' }
  const [row] = await runStatement(pool, findStatement, { caller, key })
  if (!row) return { state: 'running' }
  if (!requestHashes.some((hash) => row.requestHash.equals(hash))) {
    return { state: 'other_request' }
  }
  if (row.status === null) return { state: 'running' }
  return { state: 'completed', response: { status: row.status, body: row.body } }
}

/** Claims a name: adds its row, or locks and replaces it. Changes no row if another run has it. */
const claimStatement = defineStatement({
  name: 'claim-idempotency',
  takes: {
    caller: text,
    key: text,
    requestHash: bytes,
    /** The hashes of the same request, one of which the row of an unfinished run has. */
    requestHashes: listOf(bytes),
    runId: uuid,
    lockMs: float,
    keptHours: int,
  },
  gives: {},
  sql: `
    INSERT INTO idempotency_records AS r (caller, key, request_hash, run_id, locked_until, expires_at)
    VALUES (:caller, :key, :requestHash, :runId, now() + :lockMs * interval '1 ms',
      now() + make_interval(hours => :keptHours))
    ON CONFLICT (caller, key) DO UPDATE SET
      request_hash = EXCLUDED.request_hash, run_id = EXCLUDED.run_id, status = NULL, body = NULL,
      locked_until = EXCLUDED.locked_until, expires_at = EXCLUDED.expires_at, created_at = now()
    WHERE r.expires_at < now()
      OR (r.status IS NULL AND r.locked_until < now() AND r.request_hash = ANY (:requestHashes))`,
})

/** Returns the stored response of a caller's key. Locks nothing. */
const findStatement = defineStatement({
  name: 'find-idempotency-record',
  takes: { caller: text, key: text },
  gives: { requestHash: bytes, status: nullable(int), body: nullable(named<never>('json')) },
  sql: `
    SELECT request_hash, status, body FROM idempotency_records WHERE caller = :caller AND key = :key`,
})

/**
 * Stores the response of a run, in the transaction of its work.
 *
 * @returns whether the run still owns the name. If not, another run took over and the work must be rolled
 * back.
 */
export async function storeIdempotentResponse(
  tx: Transaction | Database['prisma'],
  { caller, key }: IdempotencyName,
  { runId, status, body }: StoredResponse & { runId: string },
): Promise<boolean> {
  const { count } = await tx.idempotencyRecord.updateMany({
    where: { caller, key, runId, status: null },
    data: {
      status,
      lockedUntil: null,
      ...(body !== undefined && { body: body as Prisma.InputJsonValue }),
    },
  })
  return count === 1
}

/** Releases a name after a run whose response must not be stored. */
export async function releaseIdempotency(
  { prisma }: Database,
  { caller, key }: IdempotencyName,
  runId: string,
): Promise<void> {
  await prisma.idempotencyRecord.deleteMany({ where: { caller, key, runId, status: null } })
}

/** Deletes expired records. Returns their number. */
export const dropExpiredIdempotency = defineDeletion({
  name: 'delete-expired-idempotency',
  table: 'idempotency_records',
  where: 'expires_at < now()',
})
