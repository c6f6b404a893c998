import { currentTimeMs, dayMs } from '@hosting/core/clock'
import { conflict, notFound, validationFailed } from '@hosting/core/problems'
import { recordsKeptDays } from '@hosting/core/webhooks'
import {
  countRecoverable,
  createRecovery,
  findEndpoint,
  isRecovering,
  lockEndpoint,
  type RecoveryCount,
  type RecoveryRow,
} from '@hosting/postgres/webhooks'
import { readerOf, type Caller } from '../access/caller.ts'
import { HttpResponse } from '../response.ts'
import type { RecoveryRecord, RecoveryFields } from '../schemas/recovery.ts'
import type { Needs } from '../services.ts'
import { recordChange, type RequestContext } from './audit.ts'

/** Tolerance for a `since` of exactly 30 days ago when the request was sent. */
const slackMs = 60_000

/** How long a dry run may count, in ms, before it stops with what it has counted. */
const countMsMax = 4_000

type RecoveryRequest = Omit<RecoveryFields, 'dry_run'> & { readonly id: string }

/** Starts the redelivery of every dead delivery in a time range. The worker redelivers them at a steady rate. */
export async function recover(
  context: RequestContext,
  { id, since, until, ...options }: RecoveryRequest,
): Promise<HttpResponse<{ recovery: RecoveryRecord }>> {
  const { tx } = context.work
  const tenantId = context.caller.tenant.id
  const span = readSpan(since, until, currentTimeMs())
  const choice = toChoice(options)
  const target = { tenantId, endpointId: id }
  if (!(await lockEndpoint(tx, tenantId, id))) throw notFound()
  if (await isRecovering(tx, id)) {
    throw conflict('a recovery of this endpoint is already running.')
  }
  const row = await createRecovery(tx, target, span, choice)
  await recordChange(context, {
    action: 'webhook.recover',
    target: { type: 'webhook', id },
    details: {
      recovery_id: row.id,
      since,
      ...(until !== undefined && { until }),
      ...toDetails(options),
    },
  })
  return new HttpResponse(202, { recovery: toRecoveryRecord(row) })
}

const toChoice = ({
  status = 'dead',
  event_types: eventTypes,
  backfill = false,
}: Pick<RecoveryFields, 'status' | 'event_types' | 'backfill'>) => ({
  anyStatus: status === 'any',
  eventTypes,
  backfill,
})

/** The members of a request that differ from their defaults. */
const toDetails = ({ status, event_types, backfill }: Parameters<typeof toChoice>[0]) => ({
  ...(status === 'any' && { status }),
  ...(event_types && { event_types }),
  ...(backfill && { backfill }),
})

/** Counts what a recovery of a time range would send, for an endpoint of the caller's organization. */
export async function countRecovery(
  { database: { prisma }, readTurns }: Needs<'database' | 'readTurns'>,
  caller: Caller,
  { id, since, until, ...options }: RecoveryRequest,
): Promise<RecoveryCount> {
  const { tenant } = caller
  const span = readSpan(since, until, currentTimeMs())
  if (!(await findEndpoint(prisma, tenant.id, id))) throw notFound()
  const target = { tenantId: tenant.id, endpointId: id }
  return readTurns.run(readerOf(caller), () =>
    countRecoverable(prisma, target, { span, choice: toChoice(options), msMax: countMsMax }),
  )
}

/** Reads the time span of a request about records that are still kept. @throws Problem `validation_failed` */
export function readSpan(since: string, until: string | undefined, nowMs: number) {
  const [sinceMs, untilMs] = [Date.parse(since), until === undefined ? nowMs : Date.parse(until)]
  if (sinceMs < nowMs - recordsKeptDays * dayMs - slackMs) {
    throw validationFailed({
      pointer: '/since',
      message: `must be at most ${recordsKeptDays} days ago`,
    })
  }
  if (untilMs <= sinceMs) {
    const [pointer, message] =
      until === undefined
        ? ['/since', 'must be in the past']
        : ['/until', 'must be later than since']
    throw validationFailed({ pointer, message })
  }
  // Excludes deliveries created later, for example by the recovery itself.
  return { sinceMs, untilMs: Math.min(untilMs, nowMs) }
}

/** A recovery as the API returns it. */
export const toRecoveryRecord = ({ id, status, total, done }: RecoveryRow) => ({
  id,
  status,
  total,
  done,
})
