import { auditKeysOf } from '@hosting/core/audit'
import {
  appendAuditEvent,
  AuditSealer,
  sealedColumns,
  verifyAuditChains,
} from '@hosting/postgres/audit'
import { type Client } from '@hosting/postgres/database'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { makeAuditEvent } from '../support/audit-event.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()
const keys = auditKeysOf(undefined, [Buffer.alloc(32, 9)])

const seal = (): Promise<number> => new AuditSealer(database, keys).seal()
const verify = () => verifyAuditChains(database, keys)

const append = (tenantId: string, client: Client = database.prisma): Promise<void> =>
  appendAuditEvent(client, {
    ...makeAuditEvent(tenantId),
    details: { zulu: 1, alpha: [1, 2.5, null, { b: true, a: 'ä\u2028' }] },
  })

/** Lets the append-only triggers be set aside for a statement, as a superuser can. */
async function tamper(statement: string, values: readonly unknown[] = []): Promise<void> {
  await database.pool.query('ALTER TABLE audit_events DISABLE TRIGGER USER')
  await database.pool.query(statement, [...values])
  await database.pool.query('ALTER TABLE audit_events ENABLE TRIGGER USER')
}

async function sealsOf(tenantId: string) {
  const { rows } = await database.pool.query<{ sequence: string; audit_event_id: string }>(
    'SELECT sequence, audit_event_id FROM audit_seals WHERE tenant_id = $1 ORDER BY sequence',
    [tenantId],
  )
  return rows
}

beforeEach(async () => {
  await tamper('TRUNCATE audit_events, audit_seals, audit_unsealed, audit_chain')
})

describe('AuditSealer', () => {
  test('seals every column of an entry', async () => {
    const { rows } = await database.pool.query<{ columns: string }>(
      `SELECT string_agg(column_name, ', ' ORDER BY ordinal_position) AS columns
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'audit_events'`,
    )
    expect(sealedColumns).toBe(rows[0]!.columns)
  })

  test('chains the events of each organization in order, each once', async () => {
    const [first, second] = [randomUUID(), randomUUID()]
    for (const tenantId of [first, second, first]) await append(tenantId)
    expect(await seal()).toBe(3)
    await append(first)
    expect(await seal()).toBe(1)
    expect(await seal()).toBe(0)
    const events = await database.prisma.auditEvent.findMany({
      where: { tenantId: first },
      orderBy: { id: 'asc' },
    })
    expect(await sealsOf(first)).toEqual(
      events.map(({ id }, index) => ({ sequence: String(index + 1), audit_event_id: id })),
    )
    expect(await verify()).toEqual({ tenants: 2, rows: 4, errors: [], setBacks: [] })
  })

  test('seals an event that commits after a later one was sealed', async () => {
    const tenantId = randomUUID()
    await database.prisma.$transaction(async (tx) => {
      await append(tenantId, tx)
      await append(tenantId)
      expect(await seal()).toBe(1)
    })
    expect(await seal()).toBe(1)
    expect(await verify()).toEqual({ tenants: 1, rows: 2, errors: [], setBacks: [] })
  })

  test('seals a long backlog in several rounds', async () => {
    const tenantId = randomUUID()
    await database.pool.query(
      `INSERT INTO audit_events (id, tenant_id, action, outcome, actor_type)
       SELECT uuid_v7(), $1, 'api_key.create', 'success', 'user' FROM generate_series(1, 1200)`,
      [tenantId],
    )
    expect([await seal(), await seal(), await seal(), await seal()]).toEqual([500, 500, 200, 0])
    expect(await verify()).toEqual({ tenants: 1, rows: 1_200, errors: [], setBacks: [] })
  })

  test('concurrent processes produce one intact chain while events arrive and the chain is verified', async () => {
    const tenantId = randomUUID()
    const writers = new Set([1, 2])
    const writing = Promise.all(
      [...writers].map(async (writer) => {
        for (let count = 0; count < 60; count++) await append(tenantId)
        writers.delete(writer)
      }),
    )
    const errors: unknown[] = []
    const working = [seal, seal, seal, async () => errors.push(...(await verify()).errors)].map(
      async (work) => {
        while (writers.size > 0) await work()
      },
    )
    await Promise.all([writing, ...working])
    await seal()
    expect(errors).toEqual([])
    const seals = await sealsOf(tenantId)
    expect(seals.map(({ sequence }) => Number(sequence))).toEqual(
      Array.from({ length: 120 }, (_, index) => index + 1),
    )
    expect(new Set(seals.map((row) => row.audit_event_id)).size).toBe(120)
    expect(await verify()).toEqual({ tenants: 1, rows: 120, errors: [], setBacks: [] })
  })
})

describe('verifyAuditChains', () => {
  test('reports no error for events that are not sealed yet', async () => {
    await append(randomUUID())
    expect(await verify()).toEqual({ tenants: 0, rows: 0, errors: [], setBacks: [] })
  })

  test('names the organization and the position of an error', async () => {
    const [sound, broken] = [randomUUID(), randomUUID()]
    for (const tenantId of [sound, broken, broken, broken]) await append(tenantId)
    await seal()
    const [, second] = await sealsOf(broken)
    await tamper(`UPDATE audit_events SET ip = '192.0.2.2' WHERE id = $1`, [second!.audit_event_id])
    expect((await verify()).errors).toEqual([
      { tenantId: broken, sequence: 2n, error: expect.stringContaining('changed') },
    ])
  })

  test.each([
    'id = uuid_v7()',
    "occurred_at = occurred_at + interval '1 millisecond'",
    "action = 'webhook.delete'",
    "outcome = 'refused'",
    "reason = 'conflict'",
    "actor_type = 'system'",
    'actor_id = NULL',
    "actor_name = 'Eve'",
    "actor_key_id = 'abcdefghijkl'",
    "target_type = 'api_key'",
    "target_id = 'other'",
    'ip = NULL',
    "request_id = 'other'",
    'details = details || \'{"zulu": 2}\'',
  ])('detects every edit: %s', async (edit) => {
    await append(randomUUID())
    await seal()
    await tamper(`UPDATE audit_events SET ${edit}`)
    expect((await verify()).errors).not.toEqual([])
  })

  test('detects that an event was removed before it was sealed', async () => {
    const tenantId = randomUUID()
    await append(tenantId)
    await tamper('DELETE FROM audit_events')
    expect((await verify()).errors).toEqual([
      { tenantId, sequence: null, error: expect.stringContaining('was removed') },
    ])
  })

  test('detects an event that was moved to another organization', async () => {
    const [first, second] = [randomUUID(), randomUUID()]
    for (const tenantId of [first, second]) await append(tenantId)
    await seal()
    await tamper('UPDATE audit_events SET tenant_id = $1', [second])
    expect((await verify()).errors).toMatchObject([{ tenantId: first, sequence: 1n }])
  })

  test('detects a chain that was rebuilt without the audit key', async () => {
    const tenantId = randomUUID()
    for (let count = 0; count < 3; count++) await append(tenantId)
    await seal()
    const [first] = await sealsOf(tenantId)
    await tamper('DELETE FROM audit_events WHERE id = $1', [first!.audit_event_id])
    await database.pool.query('TRUNCATE audit_seals, audit_chain')
    await database.pool.query(
      'INSERT INTO audit_unsealed (audit_event_id, tenant_id) SELECT id, tenant_id FROM audit_events',
    )
    await new AuditSealer(database, auditKeysOf(undefined, [Buffer.alloc(32, 8)])).seal()
    const { errors } = await verify()
    expect(errors).toContainEqual({
      tenantId,
      sequence: null,
      error: expect.stringContaining('in link 1'),
    })
    expect(errors).toContainEqual({
      tenantId,
      sequence: 1n,
      error: 'the entry or its position was changed',
    })
  })
})
