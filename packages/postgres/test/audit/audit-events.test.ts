import { appendAuditEvent, type NewAuditEvent } from '@hosting/postgres/audit'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDatabase } from '../support/database.ts'
import { makeTenant } from '../support/fixtures.ts'

const database = useDatabase()

const buildEntry = (tenantId: string): NewAuditEvent => ({
  tenantId,
  action: 'webhook.create',
  outcome: 'success',
  actor: { type: 'user', id: randomUUID(), name: 'Ana', keyId: 'abcdefghijkl' },
  target: { type: 'webhook', id: randomUUID() },
  ip: '192.0.2.1',
  requestId: 'request-1',
  details: { enabled: true },
})

const listEntries = (tenantId: string) =>
  database.prisma.auditEvent.findMany({ where: { tenantId }, orderBy: { id: 'asc' } })

describe('the audit log', () => {
  test('contains appended events', async () => {
    const tenantId = await makeTenant(database)
    const entry = buildEntry(tenantId)
    await appendAuditEvent(database.prisma, entry)
    const entries = await listEntries(tenantId)
    expect(entries).toMatchObject([
      {
        action: entry.action,
        outcome: 'success',
        reason: null,
        actorType: 'user',
        actorId: entry.actor.id,
        actorName: 'Ana',
        actorKeyId: 'abcdefghijkl',
        targetType: 'webhook',
        targetId: entry.target.id,
        ip: '192.0.2.1',
        requestId: 'request-1',
        details: { enabled: true },
      },
    ])
    expect(Math.abs(entries[0]!.occurredAt.getTime() - Date.now())).toBeLessThan(5_000)
  })

  test('contains no event of a change that was rolled back', async () => {
    const tenantId = await makeTenant(database)
    const change = database.prisma.$transaction(async (tx) => {
      await appendAuditEvent(tx, buildEntry(tenantId))
      throw new Error('the change failed')
    })
    await expect(change).rejects.toThrow('the change failed')
    expect(await listEntries(tenantId)).toEqual([])
  })

  test.each([
    ['an UPDATE', `UPDATE audit_events SET actor_name = 'Eve'`],
    ['an UPDATE that changes nothing', 'UPDATE audit_events SET action = action'],
    ['a DELETE', 'DELETE FROM audit_events'],
    ['a TRUNCATE', 'TRUNCATE audit_events'],
    ['a TRUNCATE by way of another table', 'TRUNCATE tenants, audit_events CASCADE'],
  ])('is append-only: %s is refused', async (_what, statement) => {
    const tenantId = await makeTenant(database)
    await appendAuditEvent(database.prisma, buildEntry(tenantId))
    const before = await listEntries(tenantId)
    await expect(database.pool.query(statement)).rejects.toThrow('append-only')
    expect(await listEntries(tenantId)).toEqual(before)
  })

  test('remains after its organization is deleted', async () => {
    const tenantId = await makeTenant(database)
    await appendAuditEvent(database.prisma, buildEntry(tenantId))
    await database.prisma.tenant.delete({ where: { id: tenantId } })
    expect(await listEntries(tenantId)).toHaveLength(1)
  })
})
