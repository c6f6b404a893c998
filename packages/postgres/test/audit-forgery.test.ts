import {
  auditKeysOf,
  chainStart,
  createUuidv7,
  linkHash,
  signHead,
  unkeyedSealHash,
  type AuditKeys,
} from '@hosting/core'
import {
  appendAuditEvent,
  AuditSealer,
  makeAuditAnchor,
  sealedColumns,
  verifyAuditChains,
} from '@hosting/postgres'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDatabase } from './support/database.ts'

const database = useDatabase()
const serverSecret = Buffer.alloc(32, 9)
const keys = auditKeysOf(undefined, [serverSecret])

const tables = ['audit_events', 'audit_seals', 'audit_heads', 'audit_unsealed', 'audit_chain']

let sealer: AuditSealer
let tenantId: string
let other: string

beforeEach(async () => {
  await tamper(`TRUNCATE ${tables.join(', ')}`)
  sealer = new AuditSealer(database, keys)
  ;[tenantId, other] = [randomUUID(), randomUUID()]
})

const append = (id: string): Promise<void> =>
  appendAuditEvent(database.prisma, {
    tenantId: id,
    action: 'webhook.create',
    outcome: 'success',
    actor: { type: 'user', id: randomUUID(), name: 'Ana', keyId: null },
    target: { type: 'webhook', id: randomUUID() },
    ip: '192.0.2.1',
    requestId: createUuidv7(),
  })

/** Appends events of both organizations and seals them one by one. */
async function makeHistory(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    for (const id of [tenantId, other]) await append(id)
    await sealer.seal()
  }
}

/** Runs statements as someone who can write to the database, triggers included. `$1` is the organization. */
async function tamper(...statements: string[]): Promise<void> {
  await database.pool.query('ALTER TABLE audit_events DISABLE TRIGGER USER')
  for (const statement of statements) {
    await database.pool.query(statement, statement.includes('$1') ? [tenantId] : [])
  }
  await database.pool.query('ALTER TABLE audit_events ENABLE TRIGGER USER')
}

/** Recomputes the seals of the organization from its events, as someone without the audit key can. */
async function recomputeSeals(): Promise<{ count: bigint; hash: Buffer }> {
  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT ${sealedColumns} FROM audit_events WHERE tenant_id = $1 ORDER BY id`,
    [tenantId],
  )
  await database.pool.query('DELETE FROM audit_seals WHERE tenant_id = $1', [tenantId])
  let [count, hash]: [bigint, Buffer] = [0n, chainStart]
  for (const row of rows) {
    count += 1n
    hash = unkeyedSealHash({ previous: hash, sequence: count, row })
    await database.pool.query(
      `INSERT INTO audit_seals (tenant_id, sequence, audit_event_id, hash, version)
       VALUES ($1, $2, $3, $4, 2)`,
      [tenantId, count, row.id, hash],
    )
  }
  await database.pool.query(
    `UPDATE audit_chain SET count = $2, hash = $3 WHERE sequence = (
       SELECT max(sequence) FROM audit_chain WHERE tenant_id = $1)`,
    [tenantId, count, hash],
  )
  return { count, hash }
}

const eventAt = (sequence: number): string =>
  `(SELECT audit_event_id FROM audit_seals WHERE tenant_id = $1 AND sequence = ${sequence})`

const forgeries: readonly [name: string, forge: () => Promise<unknown>][] = [
  [
    'a changed event with recomputed hashes',
    async () => {
      await tamper(`UPDATE audit_events SET actor_name = 'Eve' WHERE id = ${eventAt(2)}`)
      await recomputeSeals()
    },
  ],
  [
    'an event deleted from the middle with recomputed hashes',
    async () => {
      await tamper(`DELETE FROM audit_events WHERE id = ${eventAt(2)}`)
      await recomputeSeals()
    },
  ],
  [
    'a cut tail',
    () =>
      tamper(
        `DELETE FROM audit_events WHERE id = ${eventAt(4)}`,
        'DELETE FROM audit_seals WHERE tenant_id = $1 AND sequence = 4',
      ),
  ],
  [
    'a cut tail and an older head put back',
    () =>
      tamper(
        `DELETE FROM audit_events WHERE id = ${eventAt(4)}`,
        'DELETE FROM audit_seals WHERE tenant_id = $1 AND sequence = 4',
        'DELETE FROM audit_chain WHERE tenant_id = $1 AND count = 4',
      ),
  ],
  [
    'the whole installation cut back to an older state',
    () =>
      tamper(
        'DELETE FROM audit_events WHERE id IN (SELECT audit_event_id FROM audit_seals WHERE sequence = 4)',
        'DELETE FROM audit_seals WHERE sequence = 4',
        'DELETE FROM audit_chain WHERE count = 4',
      ),
  ],
  [
    'one organization removed from every table',
    () => tamper(...tables.map((table) => `DELETE FROM ${table} WHERE tenant_id = $1`)),
  ],
  [
    'an organization that is no longer there but for its head',
    () => tamper(...tables.slice(0, 4).map((table) => `DELETE FROM ${table} WHERE tenant_id = $1`)),
  ],
  [
    'an extra seal after the head',
    () =>
      tamper(
        `INSERT INTO audit_events (id, tenant_id, action, outcome, actor_type)
         VALUES (uuid_v7(), $1, 'api_key.create', 'success', 'system')`,
        `INSERT INTO audit_seals (tenant_id, sequence, audit_event_id, hash, version)
         SELECT $1, 5, id, '\\x00', 2 FROM audit_events WHERE tenant_id = $1 ORDER BY id DESC LIMIT 1`,
      ),
  ],
]

describe.each(forgeries)('%s', (_name, forge) => {
  test('stops the sealing of the organization', async () => {
    await makeHistory(4)
    await forge()
    for (const id of [tenantId, other]) await append(id)
    await sealer.seal()
    const { rows } = await database.pool.query<{ count: number }>(
      'SELECT count(*)::int FROM audit_unsealed WHERE tenant_id = $1',
      [tenantId],
    )
    expect(rows).toEqual([{ count: 1 }])
    expect(sealer.broken.size).toBeGreaterThan(0)
  })

  test('is found by the next verification with an anchor, whatever was sealed by a new process since', async () => {
    await makeHistory(4)
    const anchor = await makeAuditAnchor(database, keys)
    expect((await verifyAuditChains(database, keys, [anchor])).faults).toEqual([])
    await forge()
    for (const id of [tenantId, other]) await append(id)
    await new AuditSealer(database, keys).seal()
    expect((await verifyAuditChains(database, keys, [anchor])).faults).not.toEqual([])
  })
})

test('a broken chain does not keep other organizations from being sealed', async () => {
  await makeHistory(2)
  await tamper(`UPDATE audit_events SET actor_name = 'Eve' WHERE id = ${eventAt(2)}`)
  for (const id of [tenantId, other]) await append(id)
  expect(await sealer.seal()).toBe(1)
  expect([...sealer.broken.values()]).toEqual([
    { tenantId, sequence: 2n, fault: 'the entry or its position was changed' },
  ])
  await append(other)
  expect(await sealer.seal()).toBe(1)
})

test('a chain that is whole again is extended again', async () => {
  await makeHistory(1)
  await tamper(`UPDATE audit_events SET actor_name = 'Eve' WHERE tenant_id = $1`)
  await append(tenantId)
  expect(await sealer.seal()).toBe(0)
  await tamper(`UPDATE audit_events SET actor_name = 'Ana' WHERE tenant_id = $1`)
  expect(await sealer.seal()).toBe(1)
  expect(sealer.broken.size).toBe(0)
})

describe('an anchor', () => {
  test('with another time or count is refused', async () => {
    await makeHistory(2)
    const anchor = await makeAuditAnchor(database, keys)
    const verify = async (change: object) =>
      (await verifyAuditChains(database, keys, [{ ...anchor, ...change }])).faults
    expect(await verify({})).toEqual([])
    expect(await verify({ time: '2026-01-01T00:00:00.000Z' })).toHaveLength(1)
    expect(await verify({ count: 1 })).toHaveLength(1)
    expect(await verify({ count: 99 })).toHaveLength(1)
  })

  test('is told once for each state', async () => {
    await makeHistory(1)
    expect(await sealer.findNewAnchor()).toMatchObject({ count: 2 })
    expect(await sealer.findNewAnchor()).toBeUndefined()
    await makeHistory(1)
    expect(await sealer.findNewAnchor()).toMatchObject({ count: 4 })
  })
})

describe('a chain of an earlier release', () => {
  /** Seals what waits as the release before did. */
  async function sealWithoutKey(): Promise<void> {
    const { count, hash } = await recomputeSeals()
    await tamper('UPDATE audit_seals SET version = 1', 'TRUNCATE audit_unsealed, audit_chain')
    const signature = signHead(serverSecret, { tenantId, count, hash })
    await database.pool.query(
      'INSERT INTO audit_heads (tenant_id, count, hash, signature) VALUES ($1, $2, $3, $4)',
      [tenantId, count, hash, signature],
    )
  }

  const faultsWith = async (with_: AuditKeys = keys) =>
    (await verifyAuditChains(database, with_)).faults

  test('is verified, anchored by the first round, and continued with keyed seals', async () => {
    for (let count = 0; count < 3; count++) await append(tenantId)
    await sealWithoutKey()
    expect(await faultsWith()).toEqual([])
    expect(await sealer.seal()).toBe(0)
    expect(await makeAuditAnchor(database, keys)).toMatchObject({ count: 1 })
    await append(tenantId)
    expect(await sealer.seal()).toBe(1)
    expect(await faultsWith()).toEqual([])
    expect(sealer.broken.size).toBe(0)
  })

  test('cannot be extended without a key any more, also not by a worker of that release', async () => {
    await append(tenantId)
    await sealWithoutKey()
    await sealer.seal()
    await append(tenantId)
    const insert = database.pool.query(
      `INSERT INTO audit_seals (tenant_id, sequence, audit_event_id, hash)
       SELECT tenant_id, 2, audit_event_id, '\\x00' FROM audit_unsealed`,
    )
    await expect(insert).rejects.toThrow('takes keyed seals only')
  })

  test('whose head somebody else signed is not continued', async () => {
    await append(tenantId)
    await sealWithoutKey()
    await database.pool.query(`UPDATE audit_heads SET signature = '\\x00'`)
    await append(tenantId)
    expect(await sealer.seal()).toBe(0)
    expect([...sealer.broken.values()]).toMatchObject([{ tenantId, fault: 'the head was changed' }])
    expect(await faultsWith()).not.toEqual([])
  })
})

describe('keys', () => {
  test('AUDIT_KEY replaces the key that is derived from the server secret', async () => {
    const own = auditKeysOf(Buffer.alloc(32, 1), [serverSecret])
    await append(tenantId)
    await new AuditSealer(database, own).seal()
    expect((await verifyAuditChains(database, own)).faults).toEqual([])
    expect((await verifyAuditChains(database, keys)).faults).not.toEqual([])
  })

  test('a chain goes on under a newer server secret, and not under an older one again', async () => {
    const newer = auditKeysOf(undefined, [Buffer.alloc(32, 2), serverSecret])
    await append(tenantId)
    await sealer.seal()
    for (let count = 0; count < 2; count++) {
      await append(tenantId)
      expect(await new AuditSealer(database, newer).seal()).toBe(1)
    }
    expect((await verifyAuditChains(database, newer)).faults).toEqual([])
    const { rows } = await database.pool.query<{ hash: Buffer; link: Buffer; previous: Buffer }>(
      `SELECT c.hash, c.link, p.link AS previous FROM audit_chain c
       JOIN audit_chain p ON p.sequence = c.sequence - 1 WHERE c.sequence = 3`,
    )
    const link = { ...rows[0]!, sequence: 3n, tenantId, count: 3n, unkeyed: 0n }
    expect(linkHash(newer.keys[0], link)).toEqual(link.link)
    await database.pool.query('UPDATE audit_chain SET link = $1 WHERE sequence = 3', [
      linkHash(keys.keys[0], link),
    ])
    expect((await verifyAuditChains(database, newer)).faults).toEqual([
      { tenantId, sequence: null, fault: expect.stringContaining('in link 3') },
    ])
  })
})
