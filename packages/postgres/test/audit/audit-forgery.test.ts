import { AuditSealer, makeAuditAnchor, verifyAuditChains } from '@hosting/postgres/audit'
import { describe, expect, test } from '@jest/globals'
import {
  database,
  keys,
  tables,
  sealer,
  tenantId,
  other,
  append,
  makeHistory,
  tamper,
  recomputeSeals,
  eventAt,
} from '../support/audit-history.ts'

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
    () => tamper(...tables.slice(0, 3).map((table) => `DELETE FROM ${table} WHERE tenant_id = $1`)),
  ],
  [
    'an extra seal after the head',
    () =>
      tamper(
        `INSERT INTO audit_events (id, tenant_id, action, outcome, actor_type)
         VALUES (uuid_v7(), $1, 'api_key.create', 'success', 'system')`,
        `INSERT INTO audit_seals (tenant_id, sequence, audit_event_id, hash)
         SELECT $1, 5, id, '\\x00' FROM audit_events WHERE tenant_id = $1 ORDER BY id DESC LIMIT 1`,
      ),
  ],
]

describe.each(forgeries)('%s', (_name, forge) => {
  test('stops sealing for the organization', async () => {
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

  test('is detected by the next verification with an anchor, even if a new process has sealed more events', async () => {
    await makeHistory(4)
    const anchor = await makeAuditAnchor(database, keys)
    expect((await verifyAuditChains(database, keys, [anchor])).errors).toEqual([])
    await forge()
    for (const id of [tenantId, other]) await append(id)
    await new AuditSealer(database, keys).seal()
    expect((await verifyAuditChains(database, keys, [anchor])).errors).not.toEqual([])
  })
})

test('a broken chain does not stop sealing for other organizations', async () => {
  await makeHistory(2)
  await tamper(`UPDATE audit_events SET actor_name = 'Eve' WHERE id = ${eventAt(2)}`)
  for (const id of [tenantId, other]) await append(id)
  expect(await sealer.seal()).toBe(1)
  expect([...sealer.broken.values()]).toEqual([
    { tenantId, sequence: 2n, error: 'the entry or its position was changed' },
  ])
  await append(other)
  expect(await sealer.seal()).toBe(1)
})

test('a restored chain is extended again', async () => {
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
      (await verifyAuditChains(database, keys, [{ ...anchor, ...change }])).errors
    expect(await verify({})).toEqual([])
    expect(await verify({ time: '2026-01-01T00:00:00.000Z' })).toHaveLength(1)
    expect(await verify({ count: 1 })).toHaveLength(1)
    expect(await verify({ count: 99 })).toHaveLength(1)
  })

  test('is reported once per state', async () => {
    await makeHistory(1)
    expect(await sealer.findNewAnchor()).toMatchObject({ count: 2 })
    expect(await sealer.findNewAnchor()).toBeUndefined()
    await makeHistory(1)
    expect(await sealer.findNewAnchor()).toMatchObject({ count: 4 })
  })
})
