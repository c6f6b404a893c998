import { createUuidv7, lowestUuidv7 } from '@hosting/core'
import type { Client, Database } from './database.ts'
import type { Prisma } from './generated/client.ts'
import { redeliver } from './single-deliveries.ts'

/** A recovery of an endpoint. */
export type RecoveryRow = Prisma.WebhookRecoveryGetPayload<object>

/** The span of a recovery, in Unix milliseconds: `sinceMs` is in it, `untilMs` is not. */
export interface RecoverySpan {
  readonly sinceMs: number
  readonly untilMs: number
}

/** Starts the redelivery of every dead delivery of the endpoint that was made in the span. */
export async function createRecovery(
  client: Client,
  { tenantId, endpointId }: { tenantId: string; endpointId: string },
  { sinceMs, untilMs }: RecoverySpan,
): Promise<RecoveryRow> {
  const [fromId, beforeId] = [lowestUuidv7(sinceMs), lowestUuidv7(untilMs)]
  const total = await client.delivery.count({
    where: { endpointId, dead: true, id: { gte: fromId, lt: beforeId } },
  })
  return client.webhookRecovery.create({
    data: {
      id: createUuidv7(),
      tenantId,
      endpointId,
      fromId,
      beforeId,
      total,
      status: total === 0 ? 'done' : 'running',
    },
  })
}

/** A recovery of the endpoint. */
export const findRecovery = (
  client: Client,
  { tenantId, endpointId, id }: { tenantId: string; endpointId: string; id: string },
): Promise<RecoveryRow | null> =>
  client.webhookRecovery.findFirst({ where: { id, tenantId, endpointId } })

/**
 * Cancels the running recoveries that the condition names; what was redelivered stays so.
 *
 * @returns how many were cancelled.
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

/** Forgets recoveries that ended and were asked for over 30 days ago, as long as records are kept; gives how many. */
export async function dropOldRecoveries({ pool }: Database): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM webhook_recoveries
     WHERE status <> 'running' AND created_at < now() - interval '30 days'`,
  )
  return rowCount ?? 0
}

/** The pace of a recovery, over all processes: so many deliveries per step, and so many ms between steps. */
export interface RecoveryPace {
  readonly stepMax: number
  readonly stepMs: number
}

/**
 * Takes every running recovery a step further whose next step is due. Any number of processes may do so
 * at once: each step is taken by one of them.
 *
 * @returns how many deliveries were made.
 * @throws the first error, once every recovery had its turn.
 */
export async function advanceRecoveries({ prisma }: Database, pace: RecoveryPace): Promise<number> {
  const running = await prisma.webhookRecovery.findMany({
    where: { status: 'running' },
    orderBy: { createdAt: 'asc' },
    select: { id: true },
  })
  const errors: unknown[] = []
  let made = 0
  for (const { id } of running) {
    try {
      made += await advance(prisma, id, pace)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return made
}

const advance = (
  prisma: Database['prisma'],
  id: string,
  { stepMax, stepMs }: RecoveryPace,
): Promise<number> =>
  prisma.$transaction(async (tx) => {
    const [recovery] = await tx.$queryRaw<Step[]>`
      SELECT endpoint_id::text, from_id::text, before_id::text, done_id::text, total, done, now() AS now
      FROM webhook_recoveries
      WHERE id = ${id}::uuid AND status = 'running'
        AND (stepped_at IS NULL OR stepped_at <= now() - ${stepMs}::float8 * interval '1 ms')
      FOR UPDATE SKIP LOCKED`
    if (!recovery) return 0
    const dead = await tx.delivery.findMany({
      where: {
        endpointId: recovery.endpoint_id,
        dead: true,
        id: {
          lt: recovery.before_id,
          ...(recovery.done_id ? { gt: recovery.done_id } : { gte: recovery.from_id }),
        },
      },
      orderBy: { id: 'asc' },
      take: stepMax,
      select: { id: true },
    })
    const made = await redeliver(
      tx,
      dead.map((delivery) => delivery.id),
      0,
    )
    const last = dead.at(-1)
    const done = recovery.done + made.length
    await tx.webhookRecovery.update({
      where: { id },
      data: {
        done,
        steppedAt: recovery.now,
        // Deliveries of the span may have died since they were counted.
        total: Math.max(recovery.total, done),
        ...(last && { doneId: last.id }),
        ...(dead.length < stepMax && { status: 'done' }),
      },
    })
    return made.length
  })

interface Step {
  readonly endpoint_id: string
  readonly from_id: string
  readonly before_id: string
  readonly done_id: string | null
  readonly total: number
  readonly done: number
  readonly now: Date
}
