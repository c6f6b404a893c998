import { auditKeysOf } from '@hosting/core/audit'
import {
  appendAuditEvent,
  AuditSealer,
  makeAuditAnchor,
  verifyAuditChains,
} from '@hosting/postgres/audit'
import type { Database } from '@hosting/postgres/database'
import { beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { makeAuditEvent } from '../support/audit-event.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()
const keys = auditKeysOf(undefined, [Buffer.alloc(32, 9)])

/** The server that sessions belong to. */
let server: { systemId: string; timeline: number }
const onTimeline = (timeline: number) => ({ systemId: '7000000000000000000', timeline })
beforeEach(() => {
  server = onTimeline(1)
})

/** The database, with sessions that belong to the current server. */
const served = () =>
  ({
    ...database,
    lineage: { serverOf: () => server },
  }) as unknown as Database

const append = (tenantId: string) => appendAuditEvent(database.prisma, makeAuditEvent(tenantId))

const entriesOf = (tenantId: string) =>
  database.prisma.auditEvent.findMany({
    where: { tenantId, action: 'audit_log.set_back' },
    select: { actorType: true, targetId: true, details: true },
  })

/** Removes the newest entry with its seal and its link, as a failover does that loses their commit. */
async function loseNewest(): Promise<void> {
  await database.pool.query('ALTER TABLE audit_events DISABLE TRIGGER USER')
  await database.pool.query(`
    WITH link AS (
      DELETE FROM audit_chain WHERE sequence = (SELECT max(sequence) FROM audit_chain) RETURNING tenant_id, count
    ), seal AS (
      DELETE FROM audit_seals s USING link WHERE s.tenant_id = link.tenant_id AND s.sequence = link.count
      RETURNING audit_event_id
    )
    DELETE FROM audit_events USING seal WHERE id = audit_event_id`)
  await database.pool.query('ALTER TABLE audit_events ENABLE TRIGGER USER')
}

/** Workers that have sealed two entries, the second of which was lost. Returns the organization and its last anchor. */
async function loseSealed(workers: readonly AuditSealer[]) {
  const tenantId = randomUUID()
  for (const worker of workers) {
    await append(tenantId)
    await worker.seal()
  }
  await append(tenantId)
  for (const worker of workers) await worker.seal()
  const anchor = await makeAuditAnchor(database, keys)
  await loseNewest()
  return { tenantId, anchor }
}

test('after a failover that lost commits, sealing goes on, and one entry names the links that were lost', async () => {
  const workers = [new AuditSealer(served(), keys), new AuditSealer(served(), keys)]
  const { tenantId, anchor } = await loseSealed(workers)
  server = onTimeline(2)
  await append(tenantId)
  for (let round = 0; round < 3; round++) {
    for (const worker of workers) await worker.seal()
  }
  expect(workers.map(({ broken }) => broken.size)).toEqual([0, 0])
  const lost = String(anchor.count)
  expect(await entriesOf(tenantId)).toEqual([
    {
      actorType: 'system',
      targetId: tenantId,
      details: { server: '7000000000000000000/2', from: lost, until: lost },
    },
  ])
  const { errors, setBacks } = await verifyAuditChains(database, keys, [anchor])
  expect(errors).toEqual([])
  expect(setBacks).toEqual([
    { tenantId, occurredAt: expect.any(Date), from: BigInt(lost), until: BigInt(lost) },
  ])
})

test('an anchor of a lost link that another worker had added is not reported', async () => {
  const [worker, other] = [new AuditSealer(served(), keys), new AuditSealer(served(), keys)]
  const tenantId = randomUUID()
  for (const sealing of [worker, worker, other]) {
    await append(tenantId)
    await sealing.seal()
  }
  const anchor = await makeAuditAnchor(database, keys)
  await loseNewest()
  await loseNewest()
  // No other test has recorded a failover to it.
  server = onTimeline(3)
  await append(tenantId)
  for (let round = 0; round < 3; round++) await worker.seal()
  const { errors, setBacks } = await verifyAuditChains(database, keys, [anchor])
  expect(errors).toEqual([])
  expect(setBacks.at(-1)).toMatchObject({ tenantId, until: BigInt(anchor.count) - 1n })
})

test('an anchor of a lost link whose place another worker has filled is not reported', async () => {
  const [worker, other] = [new AuditSealer(served(), keys), new AuditSealer(served(), keys)]
  const { tenantId, anchor } = await loseSealed([worker])
  server = onTimeline(4)
  await append(tenantId)
  await other.seal()
  await append(tenantId)
  for (let round = 0; round < 3; round++) await worker.seal()
  const { errors, setBacks } = await verifyAuditChains(database, keys, [anchor])
  expect(errors).toEqual([])
  expect(setBacks.at(-1)).toMatchObject({ tenantId, from: BigInt(anchor.count) })
})

test('without a failover, nothing is sealed after a link was removed', async () => {
  const worker = new AuditSealer(served(), keys)
  const { tenantId, anchor } = await loseSealed([worker])
  await append(tenantId)
  expect(await worker.seal()).toBe(0)
  expect([...worker.broken.keys()]).toEqual([''])
  expect(await entriesOf(tenantId)).toEqual([])
  await new AuditSealer(served(), keys).seal()
  const { errors } = await verifyAuditChains(database, keys, [anchor])
  expect(errors).toEqual([
    {
      tenantId: null,
      sequence: BigInt(anchor.count),
      error: expect.stringContaining('the chain was a different one at that time'),
    },
  ])
})
