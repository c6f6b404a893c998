import { createUuidv7, lowestUuidv7 } from '@hosting/core'
import type { Client, Database, Transaction } from '../database/database.ts'
import type { Prisma } from '../generated/client.ts'
import { redeliver } from '../deliveries/manual-deliveries.ts'

/** A recovery of an endpoint. */
export type RecoveryRow = Prisma.WebhookRecoveryGetPayload<object>

/** The time span of a recovery in Unix milliseconds. `sinceMs` is inclusive, `untilMs` is exclusive. */
export interface RecoverySpan {
  readonly sinceMs: number
  readonly untilMs: number
}

/** The most dead deliveries of a span that are counted, which limits the cost of a request. */
const countedMax = 10_000
/** The most dead deliveries that one step examines. */
const examinedMax = 1_000

/**
 * Whether a dead delivery `d` must be redelivered: no later delivery of its event has reached the
 * endpoint or is in progress. Of several dead deliveries of an event in the span, only the last one
 * qualifies. It is a subquery and not a join, so that each event is looked up by index, whatever the
 * planner's statistics.
 */
const isUnreached = `(SELECT true FROM deliveries r
  WHERE r.event_ref = d.event_ref AND r.endpoint_id = d.endpoint_id AND r.id > d.id AND r.id >= $2::uuid
    AND (r.outcome IS DISTINCT FROM 'dead' OR r.id < $3::uuid)
  LIMIT 1) IS NULL`

/** Dead deliveries of endpoint $1 with ids from $2 (inclusive) to $3 (exclusive). */
const deadOfSpan = `SELECT d.id, d.event_ref, d.endpoint_id FROM deliveries d
  WHERE d.endpoint_id = $1::uuid AND d.dead AND d.id >= $2::uuid AND d.id < $3::uuid`

/** The dead deliveries that a recovery would redeliver. */
export interface RecoveryCount {
  /** Counted among the first 10,000 dead deliveries of the span. */
  readonly total: number
  /** Whether the span holds more dead deliveries than were counted. */
  readonly isMore: boolean
}

/** Counts the deliveries that a recovery of the span would redeliver. */
export async function countRecoverable(
  client: Client,
  endpointId: string,
  { sinceMs, untilMs }: RecoverySpan,
): Promise<RecoveryCount> {
  const [row] = await client.$queryRawUnsafe<{ total: number; examined: number }[]>(
    `SELECT count(*) FILTER (WHERE ${isUnreached})::int AS total, count(*)::int AS examined
     FROM (${deadOfSpan} ORDER BY d.id LIMIT ${countedMax}) d`,
    endpointId,
    lowestUuidv7(sinceMs),
    lowestUuidv7(untilMs),
  )
  return { total: row!.total, isMore: row!.examined === countedMax }
}

/** Whether a recovery of the endpoint is running. Lock the endpoint before acting on the result. */
export async function isRecovering(client: Client, endpointId: string): Promise<boolean> {
  return (await client.webhookRecovery.count({ where: { endpointId, status: 'running' } })) > 0
}

/**
 * Starts the redelivery of the dead deliveries of the span whose events have not reached the endpoint.
 */
export async function createRecovery(
  client: Client,
  { tenantId, endpointId }: { tenantId: string; endpointId: string },
  span: RecoverySpan,
): Promise<RecoveryRow> {
  const { total, isMore } = await countRecoverable(client, endpointId, span)
  return client.webhookRecovery.create({
    data: {
      id: createUuidv7(),
      tenantId,
      endpointId,
      fromId: lowestUuidv7(span.sinceMs),
      beforeId: lowestUuidv7(span.untilMs),
      total,
      status: total === 0 && !isMore ? 'done' : 'running',
    },
  })
}

/** Finds a recovery of the endpoint. */
export const findRecovery = (
  client: Client,
  { tenantId, endpointId, id }: { tenantId: string; endpointId: string; id: string },
): Promise<RecoveryRow | null> =>
  client.webhookRecovery.findFirst({ where: { id, tenantId, endpointId } })

/**
 * Cancels the running recoveries that match the condition. Redeliveries made so far remain.
 *
 * @returns the number of recoveries cancelled.
 */
export async function cancelRecoveries(
  client: Client,
  where: { id: string } | { endpointId: string },
): Promise<number> {
  const { count } = await client.webhookRecovery.updateMany({
    where: { ...where, status: 'running' },
    data: { status: 'cancelled' },
  })
  return count
}

/**
 * Deletes recoveries that ended and were requested over 30 days ago, when their records expire. Returns
 * their number.
 */
export async function dropOldRecoveries({ pool }: Database): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM webhook_recoveries
     WHERE status <> 'running' AND created_at < now() - interval '30 days'`,
  )
  return rowCount ?? 0
}

/** The pace of recoveries across all processes. */
export interface RecoveryPace {
  /** Deliveries of a recovery per round. */
  readonly stepMax: number
  /** Milliseconds between rounds. */
  readonly stepMs: number
  /** Recoveries that run a step per round. */
  readonly recoveriesMax: number
}

/**
 * Starts a round if the last one is long enough ago, and runs a step of running recoveries in it. Tenants
 * take turns. Any number of processes may call it at the same time: one of them starts the round.
 *
 * @returns the number of deliveries created.
 * @throws the first error, after every recovery of the round has run its step.
 */
export async function advanceRecoveries(
  database: Pick<Database, 'pool' | 'prisma'>,
  pace: RecoveryPace,
): Promise<number> {
  const errors: unknown[] = []
  let made = 0
  for (const id of await startRound(database.pool, pace)) {
    try {
      made += await advance(database.prisma, id, pace)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return made
}

/**
 * Returns the recoveries of a new round: one per tenant before a second of any tenant, starting with the
 * tenant that has waited longest. Every worker calls it several times per second. It does not use Prisma,
 * so an idle worker never loads Prisma's query compiler.
 */
async function startRound(
  pool: Database['pool'],
  { stepMs, recoveriesMax }: RecoveryPace,
): Promise<string[]> {
  const started = await pool.query(
    `INSERT INTO recovery_rounds (id, started_at)
     SELECT 1, now() WHERE EXISTS (SELECT 1 FROM webhook_recoveries WHERE status = 'running')
     ON CONFLICT (id) DO UPDATE SET started_at = now()
     WHERE recovery_rounds.started_at <= now() - $1::float8 * interval '1 ms'`,
    [stepMs],
  )
  if (started.rowCount === 0) return []
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id::text FROM (
       SELECT id, row_number() OVER (PARTITION BY tenant_id ORDER BY stepped_at NULLS FIRST, id) AS turn,
         max(stepped_at) OVER (PARTITION BY tenant_id) AS tenant_stepped_at
       FROM webhook_recoveries WHERE status = 'running'
     ) running
     ORDER BY turn, tenant_stepped_at NULLS FIRST, id LIMIT $1::int`,
    [recoveriesMax],
  )
  return rows.map(({ id }) => id)
}

const advance = (prisma: Database['prisma'], id: string, { stepMax, stepMs }: RecoveryPace) =>
  prisma.$transaction(async (tx) => {
    const [recovery] = await tx.$queryRaw<Step[]>`
      SELECT endpoint_id::text, from_id::text, before_id::text, done_id::text, total, done, now() AS now
      FROM webhook_recoveries
      WHERE id = ${id}::uuid AND status = 'running'
        AND (stepped_at IS NULL OR stepped_at <= now() - ${stepMs}::float8 * interval '1 ms')
      FOR UPDATE SKIP LOCKED`
    if (!recovery) return 0
    const { ids, examinedTo } = await findUnreached(tx, recovery, stepMax)
    const made = await redeliver(tx, ids, 0)
    const done = recovery.done + made.length
    const isDone = examinedTo === undefined
    await tx.webhookRecovery.update({
      where: { id },
      data: {
        done,
        steppedAt: recovery.now,
        // The initial count covers one moment, and only part of a long span.
        total: isDone ? done : Math.max(recovery.total, done),
        ...(isDone ? { status: 'done' } : { doneId: examinedTo }),
      },
    })
    return made.length
  })

/**
 * Finds the next dead deliveries to redeliver. `examinedTo` is the last one examined, `undefined` at the
 * end of the span.
 */
async function findUnreached(
  tx: Transaction,
  { endpoint_id, from_id, before_id, done_id }: Step,
  stepMax: number,
): Promise<{ ids: string[]; examinedTo: string | undefined }> {
  const values = [endpoint_id, from_id, before_id, done_id]
  const examined = `${deadOfSpan} AND ($4::uuid IS NULL OR d.id > $4::uuid) ORDER BY d.id`
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT id::text FROM (${examined} LIMIT ${examinedMax}) d WHERE ${isUnreached}
     ORDER BY id LIMIT ${stepMax}`,
    ...values,
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length === stepMax) return { ids, examinedTo: ids.at(-1) }
  const last = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT id::text FROM (${examined} OFFSET ${examinedMax - 1} LIMIT 1) AS d`,
    ...values,
  )
  return { ids, examinedTo: last[0]?.id }
}

interface Step {
  readonly endpoint_id: string
  readonly from_id: string
  readonly before_id: string
  readonly done_id: string | null
  readonly total: number
  readonly done: number
  readonly now: Date
}
