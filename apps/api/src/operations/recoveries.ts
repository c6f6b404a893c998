import { currentTimeMs, notFound, Problem, validationFailed } from '@hosting/core'
import {
  cancelRecoveries,
  countRecoverable,
  createRecovery,
  findRecovery,
  findWebhookEndpoint,
  isRecovering,
  lockWebhookEndpoint,
  type RecoveryRow,
} from '@hosting/postgres'
import { Answer } from '../http/route.ts'
import { recordChange, type Origin } from './audit.ts'

/** How far back dead deliveries are recovered (docs/specification/deliveries.md#recovery). */
const daysMax = 30
const dayMs = 86_400_000
/** A `since` of thirty days ago was that when the caller wrote it. */
const slackMs = 60_000

/** What is asked of a recovery. */
interface RecoveryRequest {
  readonly id: string
  readonly since: string
  readonly until?: string
  readonly dry_run?: boolean
}

/** Redelivers every unreached dead delivery of the endpoint of the span; the worker does it, at a steady pace. */
export async function recover(
  origin: Origin,
  { id, since, until, dry_run: isDryRun = false }: RecoveryRequest,
): Promise<Answer> {
  const { tx } = origin.work
  const tenantId = origin.caller.tenant.id
  const span = readSpan(since, until, currentTimeMs())
  if (isDryRun) {
    if (!(await findWebhookEndpoint(tx, tenantId, id))) throw notFound()
    return new Answer(200, { total: (await countRecoverable(tx, id, span)).total })
  }
  if (!(await lockWebhookEndpoint(tx, tenantId, id))) throw notFound()
  if (await isRecovering(tx, id)) {
    throw new Problem('conflict', { facts: { reason: 'a recovery of this endpoint is running.' } })
  }
  const row = await createRecovery(tx, { tenantId, endpointId: id }, span)
  await recordChange(origin, {
    action: 'webhook.recover',
    target: { type: 'webhook', id },
    details: { recovery_id: row.id, since, ...(until !== undefined && { until }) },
  })
  return new Answer(202, { recovery: toRecoveryRecord(row) })
}

/** Ends a recovery before it is done; what it redelivered stays so. */
export async function cancelRecovery(
  origin: Origin,
  { id, recoveryId }: { id: string; recoveryId: string },
): Promise<void> {
  const { tx } = origin.work
  const place = { tenantId: origin.caller.tenant.id, endpointId: id, id: recoveryId }
  if (!(await findRecovery(tx, place))) throw notFound()
  if ((await cancelRecoveries(tx, { id: recoveryId })) === 0) return
  await recordChange(origin, {
    action: 'webhook.recover_cancel',
    target: { type: 'webhook', id },
    details: { recovery_id: recoveryId },
  })
}

/** A recovery as the API shows it (docs/specification/deliveries.md#recovery). */
export const toRecoveryRecord = ({ id, status, total, done }: RecoveryRow) => ({
  id,
  status,
  total,
  done,
})

function readSpan(since: string, until: string | undefined, nowMs: number) {
  const [sinceMs, untilMs] = [Date.parse(since), until === undefined ? nowMs : Date.parse(until)]
  if (sinceMs < nowMs - daysMax * dayMs - slackMs) {
    throw validationFailed({ pointer: '/since', message: `must be at most ${daysMax} days ago` })
  }
  if (untilMs <= sinceMs) {
    const [pointer, message] =
      until === undefined
        ? ['/since', 'must be in the past']
        : ['/until', 'must be later than since']
    throw validationFailed({ pointer, message })
  }
  // What is made later, by the recovery itself among others, was not dead when it was asked for.
  return { sinceMs, untilMs: Math.min(untilMs, nowMs) }
}
