import { auditKeysOf } from '@hosting/core/audit'
import {
  appendAuditEvent,
  AuditSealer,
  makeAuditAnchor,
  verifyAuditChains,
  type ChainError,
} from '@hosting/postgres/audit'
import { beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { makeAuditEvent } from '../support/audit-event.ts'
import { useDatabase } from '../support/database.ts'

// Without AUDIT_KEY the chains are keyed with the versions of the server secret. Each step of the rotation in
// docs/operations.md reaches one worker after the other, so two orders of versions seal side by side.

const database = useDatabase()
const [first, second, third] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [
  Buffer,
  Buffer,
  Buffer,
]

let tenantIds: string[]

beforeEach(async () => {
  await database.pool.query('ALTER TABLE audit_events DISABLE TRIGGER USER')
  await database.pool.query('TRUNCATE audit_events, audit_seals, audit_unsealed, audit_chain')
  await database.pool.query('ALTER TABLE audit_events ENABLE TRIGGER USER')
  tenantIds = [randomUUID(), randomUUID()]
})

const keysOf = (...versions: [Buffer, ...Buffer[]]) => auditKeysOf(undefined, versions)

/** A worker with the versions in this order. */
const workerWith = (...versions: [Buffer, ...Buffer[]]): AuditSealer =>
  new AuditSealer(database, keysOf(...versions))

/** An event of each organization, sealed by the worker. */
async function sealOnce(worker: AuditSealer): Promise<void> {
  for (const tenantId of tenantIds) {
    await appendAuditEvent(database.prisma, makeAuditEvent(tenantId))
  }
  expect(await worker.seal()).toBe(tenantIds.length)
  expect([...worker.broken]).toEqual([])
}

const errorsWith = async (...versions: [Buffer, ...Buffer[]]): Promise<readonly ChainError[]> =>
  (await verifyAuditChains(database, keysOf(...versions))).errors

test('while a rotation reaches the workers one by one, all of them seal and the chains verify', async () => {
  const before = workerWith(first)
  const told = workerWith(first, second)
  const after = workerWith(second, first)
  for (const worker of [before, told, before, told, after, told, after, told, after]) {
    await sealOnce(worker)
    expect(await errorsWith(second, first)).toEqual([])
  }
})

test('a worker that starts with the previous key order during a rotation continues with the newer version', async () => {
  await sealOnce(workerWith(first))
  await sealOnce(workerWith(second, first))
  await sealOnce(workerWith(first, second))
  expect(await errorsWith(second, first)).toEqual([])
})

test('after several rotations the chains and the anchors of every version verify', async () => {
  await sealOnce(workerWith(first))
  const anchors = [await makeAuditAnchor(database, keysOf(first))]
  await sealOnce(workerWith(second, first))
  anchors.push(await makeAuditAnchor(database, keysOf(second, first)))
  const told = workerWith(second, third, first)
  const after = workerWith(third, second, first)
  for (const worker of [told, after, told, after]) await sealOnce(worker)
  const keys = keysOf(third, second, first)
  const { errors, rows } = await verifyAuditChains(database, keys, anchors)
  expect(errors).toEqual([])
  expect(rows).toBe(12)
})
