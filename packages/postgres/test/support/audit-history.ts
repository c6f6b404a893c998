import { auditKeysOf, chainStart, sealHash } from '@hosting/core/audit'
import { appendAuditEvent, AuditSealer, sealedColumns } from '@hosting/postgres/audit'
import { beforeEach } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { makeAuditEvent } from './audit-event.ts'
import { useDatabase } from './database.ts'

export const database = useDatabase()

export const serverSecret = Buffer.alloc(32, 9)

export const keys = auditKeysOf(undefined, [serverSecret])

/** A key that the service does not have. */
const otherKey = Buffer.alloc(32, 8)

export const tables = ['audit_events', 'audit_seals', 'audit_unsealed', 'audit_chain']

export let sealer: AuditSealer

export let tenantId: string

export let other: string

beforeEach(async () => {
  await tamper(`TRUNCATE ${tables.join(', ')}`)
  sealer = new AuditSealer(database, keys)
  ;[tenantId, other] = [randomUUID(), randomUUID()]
})

export const append = (id: string): Promise<void> =>
  appendAuditEvent(database.prisma, makeAuditEvent(id))

/** Appends events of both organizations and seals them one by one. */
export async function makeHistory(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    for (const id of [tenantId, other]) await append(id)
    await sealer.seal()
  }
}

/** Runs statements as someone who can write to the database, triggers included. `$1` is the organization. */
export async function tamper(...statements: string[]): Promise<void> {
  await database.pool.query('ALTER TABLE audit_events DISABLE TRIGGER USER')
  for (const statement of statements) {
    await database.pool.query(statement, statement.includes('$1') ? [tenantId] : [])
  }
  await database.pool.query('ALTER TABLE audit_events ENABLE TRIGGER USER')
}

/** Recomputes the seals of the organization from its events, as someone without the audit key can. */
export async function recomputeSeals(): Promise<void> {
  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT ${sealedColumns} FROM audit_events WHERE tenant_id = $1 ORDER BY id`,
    [tenantId],
  )
  await database.pool.query('DELETE FROM audit_seals WHERE tenant_id = $1', [tenantId])
  let [count, hash]: [bigint, Buffer] = [0n, chainStart]
  for (const row of rows) {
    count += 1n
    hash = sealHash(otherKey, { previous: hash, sequence: count, row })
    await database.pool.query(
      `INSERT INTO audit_seals (tenant_id, sequence, audit_event_id, hash)
       VALUES ($1, $2, $3, $4)`,
      [tenantId, count, row.id, hash],
    )
  }
  await database.pool.query(
    `UPDATE audit_chain SET count = $2, hash = $3 WHERE sequence = (
       SELECT max(sequence) FROM audit_chain WHERE tenant_id = $1)`,
    [tenantId, count, hash],
  )
}

export const eventAt = (sequence: number): string =>
  `(SELECT audit_event_id FROM audit_seals WHERE tenant_id = $1 AND sequence = ${sequence})`
