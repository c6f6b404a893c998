import type { ClaimedAttempt } from '@hosting/core/webhooks'
import {
  claimAttempts,
  findEncryptedSecrets,
  finishAttempts,
  takeDueAttempts,
} from '@hosting/postgres/deliveries'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { buildTaken } from '../../../../test/support/attempts.ts'
import { useDatabase } from '../support/database.ts'
import {
  buildFinished,
  claim,
  failAttempt,
  findPending,
  findRecord,
  lapseHold,
  makeEndpoint,
  makeSubscriber,
  makeTenant,
  publish,
  removeEndpoint,
  setEnabled,
} from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

const leaseMs = 60_000
const claimOf = (deliveryId: string) => buildTaken({ deliveryId })

/** The secrets of a claimed attempt as they are stored, in the order of its signatures. */
async function encryptedOf({ secretIds }: ClaimedAttempt): Promise<(string | undefined)[]> {
  const encrypted = await findEncryptedSecrets(database, secretIds)
  return secretIds.map((id) => encrypted.get(id))
}

describe('claimAttempts', () => {
  test('returns everything that sending needs, and holds the delivery', async () => {
    const tenantId = await makeTenant(database)
    const url = 'https://hooks.example.com/claimed'
    const endpointId = await makeEndpoint(database, tenantId, { url })
    const [deliveryId] = await publish(database, tenantId)
    const leaseId = randomUUID()
    const claims = [buildTaken({ deliveryId: deliveryId!, leaseId })]
    const claimed = await claimAttempts(database, claims, leaseMs)
    expect(claimed).toEqual([
      {
        state: 'claimed',
        deliveryId,
        number: 1,
        leaseId,
        leaseEndsMs: expect.any(Number),
        tenantId,
        endpointId,
        url,
        secretIds: [expect.any(String)],
        headersId: null,
        standardWebhooks: false,
        eventId: expect.any(String),
        eventType: 'site.created',
        payload: expect.stringContaining(tenantId),
        traceParent: null,
        startBy: null,
      },
    ])
    expect(await encryptedOf(claimed[0]!)).toEqual(['v1:test:first'])
    const row = await findPending(database, deliveryId!)
    expect(row).toMatchObject({ attempts_made: 0, lease_id: leaseId })
    expect(row!.held_for_ms).toBeGreaterThan(leaseMs - 5_000)
    expect(row!.held_for_ms).toBeLessThanOrEqual(leaseMs)
  })

  test('returns the valid secrets, newest first, without expired ones', async () => {
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
          encrypted: 'ended',
          createdAt: ago(20_000),
          expiresAt: ago(1),
        },
        { id: randomUUID(), endpointId, encrypted: 'present', createdAt: ago(10_000) },
      ],
    })
    const [deliveryId] = await publish(database, tenantId)
    const [claimed] = await claimAttempts(database, [claimOf(deliveryId!)], leaseMs)
    expect(await encryptedOf(claimed!)).toEqual(['present', 'v1:test:first'])
  })

  test('claims a delivery that is reserved for its job', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId, { heldForMs: 60_000 })
    expect(await claim(database, deliveryId!)).toBeDefined()
  })

  test('concurrent claims return each delivery to one claimer', async () => {
    const { tenantId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 10 })
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, claimer) => {
        const own = ids.map(claimOf)
        return claimAttempts(database, claimer % 2 ? own : own.toReversed(), leaseMs)
      }),
    )
    const claimed = claims.flat()
    expect(claimed.map(({ deliveryId }) => deliveryId).toSorted()).toEqual(ids.toSorted())
    for (const { deliveryId, leaseId } of claimed) {
      expect(await findPending(database, deliveryId)).toMatchObject({ lease_id: leaseId })
    }
  })

  test('returns a delivery once even if it is requested twice', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    const claims = [claimOf(deliveryId!), claimOf(deliveryId!)]
    const claimed = await claimAttempts(database, claims, leaseMs)
    expect(claimed).toHaveLength(1)
    const { leaseId } = claimed[0]!
    expect(await findPending(database, deliveryId!)).toMatchObject({ lease_id: leaseId })
  })

  test("returns only the delivery's next attempt", async () => {
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

  test('returns nothing for a delivery that is not pending', async () => {
    expect(await claim(database, randomUUID())).toBeUndefined()
    expect(await claimAttempts(database, [], leaseMs)).toEqual([])
  })

  test('returns the available deliveries of a batch and skips the others', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [first, second] = await publish(database, tenantId, { count: 2 })
    await claim(database, first!)
    const claims = [first!, second!, randomUUID()].map(claimOf)
    const claimed = await claimAttempts(database, claims, leaseMs)
    expect(claimed.map(({ deliveryId }) => deliveryId)).toEqual([second])
  })
})

describe('a change after the job was created', () => {
  test('applies to the claim: URL and secrets are current', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 2, heldForMs: 60_000 })
    const [before] = await claimAttempts(database, [claimOf(ids[0]!)], leaseMs)
    const url = 'https://hooks.example.com/moved'
    await database.prisma.webhookEndpoint.update({ where: { id: endpointId }, data: { url } })
    await database.prisma.webhookSecret.deleteMany({ where: { endpointId } })
    const secret = { id: randomUUID(), endpointId, encrypted: 'v1:test:rotated' }
    await database.prisma.webhookSecret.create({ data: { ...secret, createdAt: new Date() } })
    const [after] = await claimAttempts(database, [claimOf(ids[1]!)], leaseMs)
    expect(after).toMatchObject({ url, secretIds: [secret.id] })
    expect(after!.secretIds).not.toContain(before!.secretIds[0])
    expect(await encryptedOf(after!)).toEqual(['v1:test:rotated'])
  })

  test.each([
    ['disabled', (endpointId: string) => setEnabled(database, endpointId, false)],
    ['deleted', (endpointId: string) => removeEndpoint(database, endpointId)],
  ])('applies to the claim: nothing is returned for an endpoint that was %s', async (_, close) => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    const many = { normal: 1_000, slow: 1_000 }
    const limits = { horizonMs: 0, holdMs: 60_000, perEndpoint: many, max: many }
    const { attempts } = await takeDueAttempts(database, limits, [endpointId])
    expect(attempts).toMatchObject([{ deliveryId }])
    await close(endpointId)
    expect(await claim(database, deliveryId!)).toBeUndefined()
    const row = await findPending(database, deliveryId!)
    expect(row).toMatchObject({ attempts_made: 0, lease_id: null })
    expect(row!.held_for_ms).toBeLessThan(0)
  })
})

describe('a lease', () => {
  test('is renewed by a claim under its own id, and granted to nobody else', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    const own = claimOf(deliveryId!)
    const first = await claimAttempts(database, [own], leaseMs)
    expect(first).toHaveLength(1)
    const { leaseEndsMs } = first[0]!
    const again = await claimAttempts(database, [own], leaseMs)
    expect(again).toEqual([{ ...first[0]!, leaseEndsMs: expect.any(Number) }])
    expect(again[0]!.leaseEndsMs).toBeGreaterThan(leaseEndsMs)
    expect(await claimAttempts(database, [claimOf(deliveryId!)], leaseMs)).toEqual([])
    await finishAttempts(database, [
      buildFinished({ deliveryId: deliveryId!, leaseId: own.leaseId }),
    ])
    expect(await claimAttempts(database, [own], leaseMs)).toEqual([])
  })

  test('excludes other claims while it lasts, and one claim succeeds after its end', async () => {
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

describe('an endpoint that accepts no deliveries', () => {
  test('if disabled, gets no claims; the hold is released, and enabling lets the relay take the delivery', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId, { heldForMs: 60_000 })
    await setEnabled(database, endpointId, false)
    expect(await claim(database, deliveryId!)).toBeUndefined()
    const row = await findPending(database, deliveryId!)
    expect(row).toMatchObject({ attempts_made: 0, lease_id: null })
    expect(row!.held_for_ms).toBeLessThan(0)

    await setEnabled(database, endpointId, true)
    const many = { normal: 1_000, slow: 1_000 }
    const limits = { horizonMs: 0, holdMs: 1_000, perEndpoint: many, max: many }
    const { attempts } = await takeDueAttempts(database, limits)
    expect(attempts.map((attempt) => attempt.deliveryId)).toContain(deliveryId)
  })

  test('if deleted, gets no claims', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [deliveryId] = await publish(database, tenantId)
    await removeEndpoint(database, endpointId)
    expect(await claim(database, deliveryId!)).toBeUndefined()
  })

  test('does not delay other endpoints of the batch', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    await makeEndpoint(database, tenantId)
    const ids = await publish(database, tenantId)
    await setEnabled(database, endpointId, false)
    expect(await claimAttempts(database, ids.map(claimOf), leaseMs)).toHaveLength(1)
  })
})

describe('a delivery that cannot be sent', () => {
  test('ends as dead if its event is missing, without delaying others of the batch', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [lost, kept] = await publish(database, tenantId, { count: 2 })
    await database.pool.query(
      'DELETE FROM events WHERE id = (SELECT event_ref FROM pending_deliveries WHERE delivery_id = $1)',
      [lost],
    )
    const claimed = await claimAttempts(database, [lost!, kept!].map(claimOf), leaseMs)
    expect(claimed.map(({ deliveryId }) => deliveryId)).toEqual([kept])
    expect(await findPending(database, lost!)).toBeUndefined()
    expect(await findRecord(database, lost!)).toMatchObject({
      outcome: 'dead',
      attempt_count: 0,
      completed_at: expect.any(Date),
    })
  })

  test('waits without using an attempt or delaying others if its endpoint has no valid secret', async () => {
    const [without, other] = [await makeSubscriber(database), await makeSubscriber(database)]
    const [waits] = await publish(database, without.tenantId)
    const [sent] = await publish(database, other.tenantId)
    await database.pool.query('DELETE FROM webhook_secrets WHERE endpoint_id = $1', [
      without.endpointId,
    ])
    const claimed = await claimAttempts(database, [waits!, sent!].map(claimOf), leaseMs)
    expect(claimed.map(({ deliveryId }) => deliveryId)).toEqual([sent])
    const row = await findPending(database, waits!)
    expect(row).toMatchObject({ attempts_made: 0, lease_id: null })
    expect(row!.held_for_ms).toBeGreaterThan(30_000)
  })
})
