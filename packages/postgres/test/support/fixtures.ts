import { createUuidv7 } from '@hosting/core/ids'
import { freezeEnvelope, patternsMatching, type FinishedAttempt } from '@hosting/core/webhooks'
import { type Database } from '@hosting/postgres/database'
import { claimAttempts, finishAttempts } from '@hosting/postgres/deliveries'
import { putTenant } from '@hosting/postgres/directory'
import {
  createEndpoint,
  deleteEndpoint,
  publishEvents,
  updateEndpoint,
  type FirstJobs,
  type NewEvent,
} from '@hosting/postgres/webhooks'
import { randomUUID } from 'node:crypto'
import { buildTaken } from '../../../../test/support/attempts.ts'

/** Makes an organization; gives its id. */
export async function makeTenant({ prisma }: Database): Promise<string> {
  const id = randomUUID()
  await putTenant(prisma, { id, slug: id, name: 'Acme', edition: 'standard' })
  return id
}

/** Makes an endpoint; gives its id. */
export async function makeEndpoint(
  { prisma }: Database,
  tenantId: string,
  fields: { events?: string[]; enabled?: boolean; url?: string; description?: string | null } = {},
): Promise<string> {
  const id = createUuidv7()
  await createEndpoint(prisma, {
    id,
    tenantId,
    url: 'https://hooks.example.com/in',
    events: ['*'],
    description: null,
    enabled: true,
    createdAt: new Date(),
    secretId: randomUUID(),
    encryptedSecret: 'v1:test:first',
    ...fields,
  })
  return id
}

/** Makes an organization with an endpoint. */
export async function makeSubscriber(database: Database, fields: { enabled?: boolean } = {}) {
  const tenantId = await makeTenant(database)
  return { tenantId, endpointId: await makeEndpoint(database, tenantId, fields) }
}

/** Makes an organization with an endpoint that has had a success. */
export async function makeHealthy(database: Database): ReturnType<typeof makeSubscriber> {
  const subscriber = await makeSubscriber(database)
  await database.pool.query(
    `UPDATE webhook_endpoint_failures SET state = 'healthy' WHERE endpoint_id = $1`,
    [subscriber.endpointId],
  )
  return subscriber
}

export const setEnabled = ({ prisma }: Database, endpointId: string, enabled: boolean) =>
  prisma.$transaction(async (tx) => {
    await updateEndpoint(tx, endpointId, { enabled })
  })

export const removeEndpoint = ({ prisma }: Database, endpointId: string): Promise<void> =>
  prisma.$transaction((tx) => deleteEndpoint(tx, endpointId))

/** An event as the API hands it to the store. */
export function buildEvent(tenantId: string, members: Partial<NewEvent> = {}): NewEvent {
  const id = createUuidv7()
  const type = 'site.created'
  const createdAt = new Date()
  return {
    id,
    eventId: id,
    idGiven: false,
    tenantId,
    type,
    patterns: patternsMatching(type),
    createdAt,
    subject: { objectId: 'site-1', accountId: 'account-1', name: 'shop.example' },
    payload: freezeEnvelope({
      id,
      type,
      created_at: createdAt.toISOString(),
      tenant_id: tenantId,
      data: {},
    }),
    ...members,
  }
}

/** Leaves every delivery that may be to its job for so long, but for what is named. */
export const heldFor = (holdMs: number, except: Partial<FirstJobs> = {}): FirstJobs => ({
  holdMs,
  perTenantMax: 1_000,
  exceptTenantIds: [],
  exceptEndpointIds: [],
  ...except,
})

/** Publishes events. Returns the ids of their deliveries, in the order of the events. */
export async function publish(
  database: Database,
  tenantId: string,
  { count = 1, heldForMs = 0 } = {},
): Promise<string[]> {
  const ids: string[] = []
  for (let event = 0; event < count; event++) {
    const firstJobs = heldForMs > 0 ? heldFor(heldForMs) : undefined
    const { deliveries } = await publishEvents(database, [buildEvent(tenantId)], firstJobs)
    ids.push(...deliveries.map(({ deliveryId }) => deliveryId))
  }
  return ids
}

/** Claims an attempt; gives the lease, or `undefined` if it is not to be made. */
export async function claim(
  database: Database,
  deliveryId: string,
  number = 1,
): Promise<string | undefined> {
  const leaseId = randomUUID()
  const claimed = await claimAttempts(
    database,
    [buildTaken({ deliveryId, number, leaseId })],
    60_000,
  )
  return claimed.length === 1 ? leaseId : undefined
}

/** An attempt that succeeded, unless something else is named. */
export const buildFinished = (
  members: Pick<FinishedAttempt, 'deliveryId' | 'leaseId'> & Partial<FinishedAttempt>,
): FinishedAttempt => ({
  endpointId: randomUUID(),
  tenantId: randomUUID(),
  number: 1,
  leaseEndsMs: performance.now() + 60_000,
  attemptId: createUuidv7(),
  startedAt: new Date(),
  durationMs: 15,
  outcome: { statusCode: 200, errorClass: null },
  timedOut: false,
  nextStep: { status: 'succeeded' },
  ...members,
  state: 'finished',
})

/** Makes an attempt that fails, so that its retry is due after a delay. */
export async function failAttempt(
  database: Database,
  deliveryId: string,
  { number = 1, delayMs = 0 } = {},
): Promise<void> {
  const leaseId = await claim(database, deliveryId, number)
  const finished = buildFinished({
    deliveryId,
    leaseId: leaseId!,
    number,
    outcome: { statusCode: 500, errorClass: 'http_error' },
    nextStep: { status: 'waiting_retry', delayMs },
  })
  await finishAttempts(database, [finished])
}

/** Makes attempts that succeed: their deliveries end. */
export async function succeed(database: Database, deliveryIds: readonly string[]): Promise<void> {
  const taken = deliveryIds.map((deliveryId) => buildTaken({ deliveryId }))
  const claimed = await claimAttempts(database, taken, 60_000)
  await finishAttempts(
    database,
    claimed.map(({ deliveryId, leaseId }) => buildFinished({ deliveryId, leaseId })),
  )
}

/** Lets an attempt to an endpoint run out of time, so that it is in the slow lane; its delivery ends. */
export async function timeOut(database: Database, deliveryId: string): Promise<void> {
  const leaseId = await claim(database, deliveryId)
  const finished = buildFinished({
    deliveryId,
    leaseId: leaseId!,
    outcome: { statusCode: null, errorClass: 'timeout' },
    timedOut: true,
    nextStep: { status: 'dead' },
  })
  await finishAttempts(database, [finished])
}

/** Lets the time of a hold or a lease be over. */
export async function lapseHold({ pool }: Database, deliveryId: string): Promise<void> {
  await pool.query(
    `UPDATE pending_deliveries SET held_until = now() - interval '1 ms' WHERE delivery_id = $1`,
    [deliveryId],
  )
}

/** Lets the time come at which the relay looks at each endpoint again. */
export async function letWakeupsCome({ pool }: Database): Promise<void> {
  await pool.query('UPDATE endpoint_wakeups SET at = now() WHERE at > now()')
}

interface PendingRow {
  readonly attempts_made: number
  readonly lease_id: string | null
  /** Milliseconds from now; below 0 if it is past. */
  readonly due_in_ms: number
  readonly held_for_ms: number
}

/** The row of an unfinished delivery, or `undefined`. */
export async function findPending(
  { pool }: Database,
  deliveryId: string,
): Promise<PendingRow | undefined> {
  const { rows } = await pool.query<PendingRow>(
    `SELECT attempts_made, lease_id,
       (extract(epoch FROM due_at - now()) * 1000)::float8 AS due_in_ms,
       (extract(epoch FROM held_until - now()) * 1000)::float8 AS held_for_ms
     FROM pending_deliveries WHERE delivery_id = $1`,
    [deliveryId],
  )
  return rows[0]
}

/** What is recorded of a delivery. */
export async function findRecord({ pool }: Database, deliveryId: string) {
  const { rows } = await pool.query<{
    outcome: string | null
    attempt_count: number
    completed_at: Date | null
    attempts: number[]
  }>(
    `SELECT outcome, attempt_count, completed_at,
       ARRAY(SELECT number FROM recorded_attempts WHERE delivery_id = d.id ORDER BY number) AS attempts
     FROM all_deliveries d WHERE id = $1`,
    [deliveryId],
  )
  return rows[0]!
}
