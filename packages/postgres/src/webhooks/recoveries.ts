import { createUuidv7 } from '@hosting/core/ids'
import { recordsKeptDays } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import type { Client, Database } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { withPartitions } from '../database/partitions.ts'
import { defineStatement, execute, run, runIn } from '../database/statement.ts'
import {
  findLogPart,
  findMissing,
  findRecoverable,
  scopeOf,
  type Examined,
  type RecoveryChoice,
  type RecoveryRow,
  type RecoverySpan,
} from './recovery-candidates.ts'
import { turnBy } from '../deliveries/fairness.ts'
import { runStep } from './recovery-steps.ts'

const { float, int, notNull, time, uuid } = types

/** How many deliveries or events one statement examines to count them. */
const countedMax = 10_000

/** What a recovery would send. */
export interface RecoveryCount {
  readonly total: number
  /** Whether there is more to examine than was counted. */
  readonly isMore: boolean
}

/**
 * Counts what a recovery of the span would send, exactly, unless that takes longer than the given time.
 *
 * @param msMax - the time after which no further statement starts. 0: one statement each for deliveries and events.
 */
export async function countRecoverable(
  client: Client,
  target: { tenantId: string; endpointId: string },
  { span, choice = {}, msMax = 0 }: { span: RecoverySpan; choice?: RecoveryChoice; msMax?: number },
): Promise<RecoveryCount> {
  const scope = scopeOf(target, span, choice)
  const limits = { examinedMax: countedMax, take: countedMax }
  const endsAt = performance.now() + msMax
  const dead = await countAll<string>(endsAt, null, (afterId) =>
    findRecoverable(client, scope, { ...limits, afterId }),
  )
  if (!choice.backfill) return dead
  const part = await findLogPart(client, target.tenantId, span)
  const missing = await countAll<bigint>(endsAt, part.afterPosition, (afterPosition) =>
    findMissing(client, scope, {
      ...limits,
      span,
      part: { ...part, afterPosition: afterPosition! },
    }),
  )
  return { total: dead.total + missing.total, isMore: dead.isMore || missing.isMore }
}

async function countAll<Position>(
  endsAt: number,
  from: Position | null,
  examine: (after: Position | null) => Promise<Examined<Position>>,
): Promise<RecoveryCount> {
  let total = 0
  for (let after = from; ;) {
    const { ids, examinedTo } = await examine(after)
    total += ids.length
    if (examinedTo === undefined) return { total, isMore: false }
    if (performance.now() > endsAt) return { total, isMore: true }
    after = examinedTo
  }
}

/** Whether a recovery of the endpoint is running. Lock the endpoint before acting on the result. */
export async function isRecovering(client: Client, endpointId: string): Promise<boolean> {
  return (await client.webhookRecovery.count({ where: { endpointId, status: 'running' } })) > 0
}

/**
 * Starts the redelivery of what the recovery chooses of the span.
 */
export async function createRecovery(
  client: Client,
  target: { tenantId: string; endpointId: string },
  span: RecoverySpan,
  choice: RecoveryChoice = {},
): Promise<RecoveryRow> {
  const { total, isMore } = await countRecoverable(client, target, { span, choice })
  const { fromId, beforeId, anyStatus, eventTypes } = scopeOf(target, span, choice)
  const part = choice.backfill ? await findLogPart(client, target.tenantId, span) : undefined
  return client.webhookRecovery.create({
    data: {
      id: createUuidv7(),
      ...target,
      fromId,
      beforeId,
      anyStatus,
      eventTypes: eventTypes ? [...eventTypes] : [],
      ...(part && { logAfter: part.afterPosition, logUntil: part.untilPosition }),
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
export const dropOldRecoveries = defineDeletion({
  name: 'delete-old-recoveries',
  table: 'webhook_recoveries',
  where: `status <> 'running' AND created_at < now() - make_interval(days => ${recordsKeptDays})`,
})

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
      made += await withPartitions(database, () => advance(database.prisma, id, pace))
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
  if ((await execute(pool, startStatement, { stepMs })) === 0) return []
  return (await run(pool, turnsStatement, { recoveriesMax })).map(({ id }) => id)
}

/** Starts a round if one is due. Changes no row if another process has started it. */
const startStatement = defineStatement({
  name: 'start-recovery-round',
  takes: { stepMs: float },
  gives: {},
  sql: `
    INSERT INTO recovery_rounds (id, started_at)
    SELECT 1, now() WHERE EXISTS (SELECT 1 FROM webhook_recoveries WHERE status = 'running')
    ON CONFLICT (id) DO UPDATE SET started_at = now()
    WHERE recovery_rounds.started_at <= now() - :stepMs * interval '1 ms'`,
})

/** Returns running recoveries, tenants in turn. Locks nothing. */
const turnsStatement = defineStatement({
  name: 'list-recoveries-in-turn',
  takes: { recoveriesMax: int },
  gives: { id: uuid },
  sql: `
    SELECT id FROM (
      SELECT id, ${turnBy('stepped_at NULLS FIRST, id')} AS turn,
        max(stepped_at) OVER (PARTITION BY tenant_id) AS tenant_stepped_at
      FROM webhook_recoveries WHERE status = 'running'
    ) running
    ORDER BY turn, tenant_stepped_at NULLS FIRST, id LIMIT :recoveriesMax`,
})

const advance = (prisma: Database['prisma'], id: string, { stepMax, stepMs }: RecoveryPace) =>
  prisma.$transaction(async (tx) => {
    const [locked] = await runIn(tx, lockStatement, { id, stepMs })
    if (!locked) return 0
    const recovery = await tx.webhookRecovery.findUniqueOrThrow({ where: { id } })
    const { made, progress } = await runStep(tx, recovery, stepMax)
    const done = recovery.done + made
    await tx.webhookRecovery.update({
      where: { id },
      data: {
        done,
        steppedAt: locked.now,
        // The initial count covers one moment, and only part of a long span.
        total: progress.status === 'done' ? done : Math.max(recovery.total, done),
        ...progress,
      },
    })
    return made
  })

/** Returns the time and locks a recovery whose next step is due, unless another transaction has. */
const lockStatement = defineStatement({
  name: 'lock-recovery',
  takes: { id: uuid, stepMs: float },
  gives: { now: notNull(time, 'now()') },
  sql: `
    SELECT now() AS now FROM webhook_recoveries
    WHERE id = :id AND status = 'running'
      AND (stepped_at IS NULL OR stepped_at <= now() - :stepMs * interval '1 ms')
    FOR UPDATE SKIP LOCKED`,
})
