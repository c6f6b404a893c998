import { auditKeysOf, linkHash, signHead, type AuditKeys } from '@hosting/core'
import { AuditSealer, makeAuditAnchor, verifyAuditChains } from '@hosting/postgres'
import { describe, expect, test } from '@jest/globals'
import {
  database,
  serverSecret,
  keys,
  sealer,
  tenantId,
  append,
  tamper,
  recomputeSeals,
} from '../support/audit-history.ts'

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
