import { createUuidv7 } from '@hosting/core/ids'
import { type Database } from '@hosting/postgres/database'
import {
  abandonDeliveries,
  claimAttempts,
  finishAttempts,
  postponeAttempts,
} from '@hosting/postgres/deliveries'
import {
  advanceRecoveries,
  createRecovery,
  findRecovery,
  rotateEndpointSecret,
} from '@hosting/postgres/webhooks'
import { expect } from '@jest/globals'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { buildClaimed, buildTaken } from '../../../../test/support/attempts.ts'
import {
  attemptsMax,
  unknownLease,
  type DeliveryModel,
  type ModelDelivery,
} from './delivery-model.ts'
import { buildFinished, lapseHold, publish, removeEndpoint, setEnabled } from './fixtures.ts'

/** The database, and the endpoint of one run. */
export interface Real {
  readonly database: Database
  readonly tenantId: string
  readonly endpointId: string
}

/** A step that runs on the model and on the database. */
type Run = (model: DeliveryModel, real: Real) => Promise<void>

/** Makes a command: runs a step, and compares the whole state with the model. */
const command = (
  name: string,
  run: Run,
  mayRun: (model: DeliveryModel) => boolean = () => true,
): fc.AsyncCommand<DeliveryModel, Real> => ({
  check: mayRun,
  async run(model, real) {
    await run(model, real)
    expect(await readState(real)).toEqual(model.expected())
  },
  toString: () => name,
})

async function readState({ database, endpointId }: Real): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `SELECT d.id, d.outcome, d.attempt_count, p.attempts_made, p.lease_id,
       ARRAY(SELECT number FROM recorded_attempts a WHERE a.delivery_id = d.id ORDER BY number) AS attempts
     FROM all_deliveries d LEFT JOIN pending_deliveries p ON p.delivery_id = d.id
     WHERE d.endpoint_id = $1 ORDER BY d.id`,
    [endpointId],
  )
  return rows
}

const hasDeliveries = ({ deliveries }: DeliveryModel): boolean => deliveries.length > 0
const hasLease = (model: DeliveryModel): boolean => model.pickLeased(0) !== undefined
const isNotDeleted = ({ endpoint }: DeliveryModel): boolean => endpoint !== 'deleted'

const leaseMs = 60_000

/** Claims an attempt, and checks that exactly the valid secrets come with it. */
async function claim(
  { database }: Real,
  model: DeliveryModel,
  { id }: ModelDelivery,
  number: number,
): Promise<string | undefined> {
  const leaseId = randomUUID()
  const [claimed] = await claimAttempts(
    database,
    [buildTaken({ deliveryId: id, number, leaseId })],
    leaseMs,
  )
  if (claimed) expect(claimed.secretIds).toEqual(model.secretIds)
  return claimed?.leaseId
}

const finish = async (
  { database }: Real,
  delivery: ModelDelivery,
  { lease, isSuccess }: { lease: string; isSuccess: boolean },
): Promise<boolean> => {
  const number = delivery.attempts + 1
  const failed = number === attemptsMax ? 'dead' : 'waiting_retry'
  const recorded = await finishAttempts(database, [
    buildFinished({
      deliveryId: delivery.id,
      leaseId: lease,
      number,
      nextStep: isSuccess ? { status: 'succeeded' } : failedStep(failed),
      ...(!isSuccess && { outcome: { statusCode: 500, errorClass: 'http_error' } }),
    }),
  ])
  return recorded.has(delivery.id)
}

const failedStep = (status: 'dead' | 'waiting_retry') =>
  status === 'dead' ? ({ status } as const) : ({ status, delayMs: 0 } as const)

/** Commands of one delivery, so that a run often repeats several on the same one. */
const commandsOfDelivery = [
  fc.tuple(fc.nat(2), fc.constantFrom(0, 0, 0, 1)).map(([index, further]) =>
    command(
      `claim(${index}, ${further})`,
      async (model, real) => {
        const delivery = model.pick(index)!
        const number = delivery.attempts + 1 + further
        const lease = await claim(real, model, delivery, number)
        expect(lease !== undefined).toBe(model.mayClaim(delivery, number))
        model.claimed(delivery, number, lease)
      },
      hasDeliveries,
    ),
  ),
  fc.nat(2).map((index) =>
    command(
      `race claims(${index})`,
      async (model, real) => {
        const delivery = model.pick(index)!
        const number = delivery.attempts + 1
        const both = await Promise.all([1, 2].map(() => claim(real, model, delivery, number)))
        const leases = both.filter((lease) => lease !== undefined)
        expect(leases.length).toBe(model.mayClaim(delivery, number) ? 1 : 0)
        model.claimed(delivery, number, leases[0])
      },
      hasDeliveries,
    ),
  ),
  fc
    .tuple(fc.nat(2), fc.boolean(), fc.constantFrom(true, true, false))
    .map(([index, isSuccess, isOwn]) =>
      command(
        `finish(${index}, ${isSuccess}, ${isOwn})`,
        async (model, real) => {
          const delivery = model.pick(index)!
          const lease = isOwn ? (delivery.lease ?? unknownLease()) : unknownLease()
          const mayFinish = model.mayFinish(delivery, lease)
          expect(await finish(real, delivery, { lease, isSuccess })).toBe(mayFinish)
          if (mayFinish) model.finished(delivery, isSuccess)
        },
        hasDeliveries,
      ),
    ),
  fc.nat(2).map((index) =>
    command(
      `take over while it finishes(${index})`,
      async (model, real) => {
        const delivery = model.pickLeased(index)!
        const lease = delivery.lease!
        await lapseHold(real.database, delivery.id)
        delivery.state = 'lapsed'
        const number = delivery.attempts + 1
        const [isRecorded, taken] = await Promise.all([
          finish(real, delivery, { lease, isSuccess: false }),
          claim(real, model, delivery, number),
        ])
        // The one that comes first decides, and the other one finds nothing.
        expect(isRecorded && taken !== undefined).toBe(false)
        if (isRecorded) model.finished(delivery, false)
        else model.claimed(delivery, number, taken)
      },
      hasLease,
    ),
  ),
  fc.nat(2).map((index) =>
    command(
      `lapse(${index})`,
      async (model, { database }) => {
        const delivery = model.pickLeased(index)!
        await lapseHold(database, delivery.id)
        delivery.state = 'lapsed'
      },
      hasLease,
    ),
  ),
  fc.nat(2).map((index) =>
    command(
      `postpone(${index})`,
      async (model, { database }) => {
        const delivery = model.pick(index)!
        const leaseId = delivery.lease ?? unknownLease()
        const attempt = buildClaimed({ deliveryId: delivery.id, leaseId })
        await postponeAttempts(database, [{ attempt, forMs: leaseMs }])
        if (delivery.lease !== null) model.postponed(delivery)
      },
      hasDeliveries,
    ),
  ),
] as const

/** Commands of the endpoint. */
const commandsOfEndpoint = [
  fc.constant(
    command('publish', async (model, { database, tenantId }) => {
      const ids = await publish(database, tenantId)
      expect(ids.length).toBe(model.endpoint === 'deleted' ? 0 : 1)
      for (const id of ids) model.published(id)
    }),
  ),
  fc.constantFrom(true, true, true, false).map((isEnabled) =>
    command(
      isEnabled ? 'enable' : 'disable',
      async (model, { database, endpointId }) => {
        await setEnabled(database, endpointId, isEnabled)
        model.endpoint = isEnabled ? 'enabled' : 'disabled'
      },
      isNotDeleted,
    ),
  ),
  fc.constant(command('rotate', rotate, isNotDeleted)),
  fc.constant(command('recover', recover, isNotDeleted)),
  fc.constant(
    command(
      'delete',
      async (model, { database, endpointId }) => {
        await removeEndpoint(database, endpointId)
        model.endpoint = 'deleted'
      },
      // Late, because little can follow.
      ({ endpoint, deliveries }) => endpoint !== 'deleted' && deliveries.length > 3,
    ),
  ),
  fc.constant(
    command('abandon', async (model, { database }) => {
      await abandonDeliveries(database)
      model.abandoned()
    }),
  ),
]

/** Publishes, claims, records, changes and recovers, mostly the first three. */
export const deliveryCommands = [
  ...commandsOfDelivery,
  ...commandsOfDelivery,
  ...commandsOfDelivery,
  ...commandsOfEndpoint,
]

async function rotate(model: DeliveryModel, { database, endpointId }: Real): Promise<void> {
  const secretId = createUuidv7()
  await database.prisma.$transaction((tx) =>
    rotateEndpointSecret(tx, endpointId, {
      removed: model.secretIds,
      retiring: undefined,
      secretId,
      encryptedSecret: 'v1:test:next',
      now: new Date(),
    }),
  )
  model.secretIds = [secretId]
}

async function recover(model: DeliveryModel, real: Real): Promise<void> {
  const { database, tenantId, endpointId } = real
  const lost = model.toRecover()
  const span = { sinceMs: Date.now() - 3_600_000, untilMs: Date.now() + 60_000 }
  const { id } = await createRecovery(database.prisma, { tenantId, endpointId }, span)
  const isRunning = async (): Promise<boolean> =>
    (await findRecovery(database.prisma, { tenantId, endpointId, id }))!.status === 'running'
  while (await isRunning()) {
    await advanceRecoveries(database, { stepMax: 2, stepMs: 0, recoveriesMax: 5 })
  }
  const { rows } = await database.pool.query<{ id: string; redelivery_of: string }>(
    'SELECT id, redelivery_of FROM all_deliveries WHERE endpoint_id = $1 AND redelivery_of IS NOT NULL ORDER BY id',
    [endpointId],
  )
  const known = new Set(model.deliveries.map((delivery) => delivery.id))
  const made = rows.filter((row) => !known.has(row.id))
  expect(made.map((row) => row.redelivery_of).toSorted()).toEqual(
    lost.map((each) => each.id).toSorted(),
  )
  for (const row of made) {
    model.redelivered(
      row.id,
      lost.find((each) => each.id === row.redelivery_of)!,
    )
  }
}
