import type { AuditAction } from '@hosting/core/audit'
import { appendAuditEvent, findAuditTargetNames, listAuditChoices } from '@hosting/postgres/audit'
import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDatabase } from '../support/database.ts'
import { makeTenant } from '../support/fixtures.ts'

const database = useDatabase()

interface Made {
  readonly action: AuditAction
  readonly actor: { readonly id: string; readonly name: string } | null
}

const append = (tenantId: string, { action, actor }: Made): Promise<void> =>
  appendAuditEvent(database.prisma, {
    tenantId,
    action,
    outcome: 'success',
    actor: actor
      ? { type: 'user', ...actor, keyId: null }
      : { type: 'system', id: null, name: null, keyId: null },
    target: { type: 'webhook', id: randomUUID() },
    ip: null,
    requestId: 'request-1',
  })

test('the choices are the distinct actions and actors of the organization', async () => {
  const [tenantId, other] = [await makeTenant(database), await makeTenant(database)]
  const [ana, bob] = [
    { id: randomUUID(), name: 'Ana' },
    { id: randomUUID(), name: 'Bob' },
  ]
  const entries: readonly Made[] = [
    { action: 'webhook.create', actor: bob },
    { action: 'api_key.create', actor: ana },
    { action: 'webhook.create', actor: { ...ana, name: 'Ana Kovač' } },
    { action: 'device.refuse', actor: null },
  ]
  for (const entry of entries) await append(tenantId, entry)
  await append(other, { action: 'session.create', actor: { id: randomUUID(), name: 'Mallory' } })
  expect(await listAuditChoices(database, tenantId)).toEqual({
    actions: ['api_key.create', 'device.refuse', 'webhook.create'],
    actors: [
      { id: ana.id, name: 'Ana Kovač', email: null },
      { id: bob.id, name: 'Bob', email: null },
    ],
  })
  const empty = await makeTenant(database)
  expect(await listAuditChoices(database, empty)).toEqual({ actions: [], actors: [] })
})

test('actions and actors of an organization are read from an index', async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT indexname AS name FROM pg_indexes WHERE tablename = 'audit_events'`,
  )
  expect(rows.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'audit_events_tenant_id_action_id_idx',
      'audit_events_tenant_id_actor_id_id_idx',
    ]),
  )
})

test('targets are named only within their organization, and malformed ids have no name', async () => {
  const [tenantId, other] = [await makeTenant(database), await makeTenant(database)]
  const id = randomUUID()
  await database.prisma.user.create({
    data: { id, tenantId, name: 'Ana', email: `${id}@example.test` },
  })
  const targets = [
    { type: 'user', id },
    { type: 'user', id: 'nobody' },
    { type: 'api_key', id: 'a longer id than that of a key' },
    { type: 'session', id: randomUUID() },
  ]
  expect([...(await findAuditTargetNames(database, tenantId, targets))]).toEqual([
    [`user ${id}`, { name: 'Ana', isDeleted: false }],
  ])
  expect([...(await findAuditTargetNames(database, other, targets))]).toEqual([])
  expect([...(await findAuditTargetNames(database, tenantId, []))]).toEqual([])
})
