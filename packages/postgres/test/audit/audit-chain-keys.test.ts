import { auditKeysOf, linkHash } from '@hosting/core/audit'
import { AuditSealer, verifyAuditChains } from '@hosting/postgres/audit'
import { describe, expect, test } from '@jest/globals'
import { database, serverSecret, keys, sealer, tenantId, append } from '../support/audit-history.ts'

describe('keys', () => {
  test('AUDIT_KEY replaces the key that is derived from the server secret', async () => {
    const own = auditKeysOf(Buffer.alloc(32, 1), [serverSecret])
    await append(tenantId)
    await new AuditSealer(database, own).seal()
    expect((await verifyAuditChains(database, own)).errors).toEqual([])
    expect((await verifyAuditChains(database, keys)).errors).not.toEqual([])
  })

  test('a chain continues with a newer server secret, but not with an older one afterwards', async () => {
    const newer = auditKeysOf(undefined, [Buffer.alloc(32, 2), serverSecret])
    await append(tenantId)
    await sealer.seal()
    for (let count = 0; count < 2; count++) {
      await append(tenantId)
      expect(await new AuditSealer(database, newer).seal()).toBe(1)
    }
    expect((await verifyAuditChains(database, newer)).errors).toEqual([])
    const { rows } = await database.pool.query<{ hash: Buffer; link: Buffer; previous: Buffer }>(
      `SELECT c.hash, c.link, p.link AS previous FROM audit_chain c
       JOIN audit_chain p ON p.sequence = c.sequence - 1 WHERE c.sequence = 3`,
    )
    const link = { ...rows[0]!, sequence: 3n, tenantId, count: 3n }
    expect(linkHash(newer.keys[0], link)).toEqual(link.link)
    await database.pool.query('UPDATE audit_chain SET link = $1 WHERE sequence = 3', [
      linkHash(keys.keys[0], link),
    ])
    expect((await verifyAuditChains(database, newer)).errors).toEqual([
      { tenantId, sequence: null, error: expect.stringContaining('in link 3') },
    ])
  })
})
