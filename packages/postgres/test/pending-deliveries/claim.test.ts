import { claimAttempts, makePartitions, takeDueAttempts } from '@hosting/postgres'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDatabase } from '../support/database.ts'
import {
  claim,
  failAttempt,
  findPending,
  lapseHold,
  makeEndpoint,
  makeSubscriber,
  makeTenant,
  publish,
  removeEndpoint,
  setEnabled,
} from '../support/fixtures.ts'

const database = useDatabase()
beforeAll(async () => {
  await makePartitions(database)
})

const lease = () => ({ leaseId: randomUUID(), leaseMs: 60_000 })

describe('claimAttempts', () => {
  test('gives all that sending takes, and holds the delivery', async () => {
    const tenantId = await makeTenant(database)
    const url = 'https://hooks.example.com/claimed'
    const endpointId = await makeEndpoint(database, tenantId, { url })
    const [deliveryId] = await publish(database, tenantId)
    const { leaseId, leaseMs } = lease()
    const claimed = await claimAttempts(database, [{ deliveryId: deliveryId!, number: 1 }], {
      leaseId,
      leaseMs,
    })
    expect(claimed).toEqual([
      {
        deliveryId,
        number: 1,
        leaseId,
        tenantId,
        endpointId,
        url,
        secrets: [{ id: expect.any(String), sealed: 'v1:test:first' }],
        eventType: 'site.created',
        payload: expect.stringContaining(tenantId),
      },
    ])
    const row = await findPending(database, deliveryId!)
    expect(row).toMatchObject({ attempts_made: 0, lease_id: leaseId })
    expect(row!.held_for_ms).toBeGreaterThan(leaseMs - 5_000)
    expect(row!.held_for_ms).toBeLessThanOrEqual(leaseMs)
  })

  test('gives the valid secrets, newest first, and none that ended', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const ago = (ms: number) => new Date(Date.now() - ms)
    await database.prisma.webhookSecret.updateMany({
      where: { endpointId },
      data: { createdAt: ago(30_000), expiresAt: ago(-60_000) },
    })
    await database.prisma.webhookSecret.createMany({
      data: [
        {
          id: randomUUID(),
          endpointId,
          sealed: 'ended',
          createdAt: ago(20_000),
          expiresAt: ago(1),
        },
        { id: randomUUID(), endpointId, sealed: 'present', createdAt: ago(10_000) },
      ],
    })
    const [deliveryId] = await publish(database, tenantId)
    const [claimed] = await claimAttempts(
      database,
      [{ deliveryId: deliveryId!, number: 1 }],
      lease(),
    )
    expect(claimed!.secrets.map(({ sealed }) => sealed)).toEqual(['present', 'v1:test:first'])
  })

  test('takes a delivery that is left to its job, since this is the job', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId, { heldForMs: 60_000 })
    expect(await claim(database, deliveryId!)).toBeDefined()
  })

  test('of many claimers at the same time one gets each delivery', async () => {
    const { tenantId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 10 })
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, claimer) => {
        const names = ids.map((deliveryId) => ({ deliveryId, number: 1 }))
        return claimAttempts(database, claimer % 2 ? names : names.toReversed(), lease())
      }),
    )
    const claimed = claims.flat()
    expect(claimed.map(({ deliveryId }) => deliveryId).toSorted()).toEqual(ids.toSorted())
    for (const { deliveryId, leaseId } of claimed) {
      expect(await findPending(database, deliveryId)).toMatchObject({ lease_id: leaseId })
    }
  })

  test('gives a delivery that is named twice once', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    const name = { deliveryId: deliveryId!, number: 1 }
    expect(await claimAttempts(database, [name, name], lease())).toHaveLength(1)
  })

  test('gives only the attempt that comes next', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    const before = await findPending(database, deliveryId!)
    for (const number of [0, 2, 7])
      expect(await claim(database, deliveryId!, number)).toBeUndefined()
    expect(await findPending(database, deliveryId!)).toMatchObject({ lease_id: before!.lease_id })

    await failAttempt(database, deliveryId!)
    expect(await claim(database, deliveryId!, 1)).toBeUndefined()
    expect(await claim(database, deliveryId!, 2)).toBeDefined()
  })

  test('gives nothing for what is not pending', async () => {
    expect(await claim(database, randomUUID())).toBeUndefined()
    expect(await claimAttempts(database, [], lease())).toEqual([])
  })

  test('gives the others of a batch', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [first, second] = await publish(database, tenantId, { count: 2 })
    await claim(database, first!)
    const names = [first!, second!, randomUUID()].map((deliveryId) => ({ deliveryId, number: 1 }))
    const claimed = await claimAttempts(database, names, lease())
    expect(claimed.map(({ deliveryId }) => deliveryId)).toEqual([second])
  })
})

describe('a lease', () => {
  test('keeps others out while it lasts, and lets one in once it is over', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    const first = await claim(database, deliveryId!)
    expect(await claim(database, deliveryId!)).toBeUndefined()
    expect(await findPending(database, deliveryId!)).toMatchObject({ lease_id: first })

    await lapseHold(database, deliveryId!)
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(database, deliveryId!)))
    const winners = claims.filter((leaseId) => leaseId !== undefined)
    expect(winners).toHaveLength(1)
    expect(await findPending(database, deliveryId!)).toMatchObject({ lease_id: winners[0] })
  })
})

describe('an endpoint that takes no deliveries', () => {
  test('while disabled: nothing is given, the hold is released, and enabling lets the relay take it', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId, { heldForMs: 60_000 })
    await setEnabled(database, endpointId, false)
    expect(await claim(database, deliveryId!)).toBeUndefined()
    const row = await findPending(database, deliveryId!)
    expect(row).toMatchObject({ attempts_made: 0, lease_id: null })
    expect(row!.held_for_ms).toBeLessThan(0)

    await setEnabled(database, endpointId, true)
    const due = await takeDueAttempts(database, {
      horizonMs: 0,
      holdMs: 1_000,
      perEndpointMax: 1_000,
      max: 1_000,
    })
    expect(due.map((attempt) => attempt.deliveryId)).toContain(deliveryId)
  })

  test('once deleted: nothing is given', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    await removeEndpoint(database, endpointId)
    expect(await claim(database, deliveryId!)).toBeUndefined()
  })

  test('keeps no other endpoint of the batch waiting', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    await makeEndpoint(database, tenantId)
    const ids = await publish(database, tenantId)
    await setEnabled(database, endpointId, false)
    const names = ids.map((deliveryId) => ({ deliveryId, number: 1 }))
    expect(await claimAttempts(database, names, lease())).toHaveLength(1)
  })
})
