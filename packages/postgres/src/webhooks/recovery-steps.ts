import { timeOfUuidv7 } from '@hosting/core/ids'
import type { Transaction } from '../database/database.ts'
import type { Prisma } from '../generated/client.ts'
import { deliverEvents, redeliver } from '../deliveries/manual-deliveries.ts'
import {
  findMissing,
  findRecoverable,
  storedScopeOf,
  type Examined,
  type RecoveryRow,
} from './recovery-candidates.ts'

/** How many deliveries or events a step examines. */
const examinedMax = 1_000

/**
 * Runs a step of a recovery: of the dead deliveries first, and then of the events that the endpoint never got.
 *
 * @param take - the most deliveries to create.
 */
export const runStep = (tx: Transaction, recovery: RecoveryRow, take: number): Promise<Step> =>
  recovery.deliveriesDone ? sendMissing(tx, recovery, take) : redeliverNext(tx, recovery, take)

/** What a step did. */
interface Step {
  /** The deliveries that it created. */
  readonly made: number
  /** What to store of the recovery. */
  readonly progress: Prisma.WebhookRecoveryUpdateInput & { readonly status?: 'done' }
}

/** Redelivers the next deliveries of the span. */
async function redeliverNext(tx: Transaction, row: RecoveryRow, take: number): Promise<Step> {
  const scope = storedScopeOf(row)
  const { ids, examinedTo } = await examineStep(row.doneId, take, (afterId, limits) =>
    findRecoverable(tx, scope, { ...limits, afterId }),
  )
  const made = (await redeliver(tx, ids, 0)).length
  if (examinedTo !== undefined) return { made, progress: { doneId: examinedTo } }
  return { made, progress: row.logUntil === null ? { status: 'done' } : { deliveriesDone: true } }
}

/** Sends the next events of the log of which the endpoint never had a delivery. */
async function sendMissing(tx: Transaction, row: RecoveryRow, take: number): Promise<Step> {
  const scope = storedScopeOf(row)
  const span = { sinceMs: timeOfUuidv7(row.fromId), untilMs: timeOfUuidv7(row.beforeId) }
  const untilPosition = row.logUntil!
  const { ids, examinedTo } = await examineStep(row.logAfter!, take, (afterPosition, limits) =>
    findMissing(tx, scope, { ...limits, span, part: { afterPosition, untilPosition } }),
  )
  const made = (await deliverEvents(tx, row.endpointId, ids)).length
  return {
    made,
    progress: examinedTo === undefined ? { status: 'done' } : { logAfter: examinedTo },
  }
}

interface Limits {
  readonly examinedMax: number
  readonly take: number
}

/** Examines for one step. First only a few, because most recoveries send most of what they examine. */
async function examineStep<Position>(
  from: Position,
  take: number,
  examine: (after: Position, limits: Limits) => Promise<Examined<NonNullable<Position>>>,
): Promise<Examined<NonNullable<Position>>> {
  const few = Math.min(2 * take, examinedMax - 1)
  const first = await examine(from, { examinedMax: few, take })
  if (first.ids.length === take || first.examinedTo === undefined) return first
  const limits = { examinedMax: examinedMax - few, take: take - first.ids.length }
  const { ids, examinedTo } = await examine(first.examinedTo, limits)
  return { ids: [...first.ids, ...ids], examinedTo }
}
