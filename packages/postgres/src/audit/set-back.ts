import { createUuidv7 } from '@hosting/core/ids'
import type pg from 'pg'
import { lockLinks, readLastLink, type Link } from './audit-links.ts'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { nameOf, type ServerIdentity } from '../database/server-lineage.ts'
import { defineStatement, execute, run } from '../database/statement.ts'
import { runTransaction } from '../database/transaction.ts'

const { bigint, notNull, text, time, uuid } = types

/** A link that this process has added. */
export interface SealedLink extends Link {
  /** The server that has stored it. */
  readonly server: ServerIdentity | undefined
  /** By the server's clock. */
  readonly sealedAt: Date
}

/** Links that a failover to a server without them has removed. */
export interface SetBack {
  /** The organization whose audit log says so. */
  readonly tenantId: string
  readonly occurredAt: Date
  /** The first of them, and the last that the worker knew of that wrote the entry. */
  readonly from: bigint
  readonly until: bigint
}

/** The action of the entry. */
const action = 'audit_log.set_back'

/**
 * Writes to the audit log that PostgreSQL's data are those of an earlier time, since a failover to a server that had not
 * received the last commits. The first process writes it for all.
 *
 * @param lost - a link that the server does not have.
 * @param server - the server that does not have it.
 */
export const recordSetBack = (
  database: Database,
  { tenantId, sequence, sealedAt }: SealedLink,
  server: ServerIdentity,
): Promise<void> =>
  runTransaction(database, async (client) => {
    await lockLinks(client)
    const last = (await readLastLink(client))?.sequence ?? 0n
    const [newer] = await run(client, newerStatement, { sealedAt })
    // Other workers may have sealed on the new server already, in place of the lost links.
    const from = [sequence, last + 1n, BigInt(newer?.sequence ?? sequence)].reduce(least)
    const name = nameOf(server)
    const details = JSON.stringify({ server: name, from: String(from), until: String(sequence) })
    await execute(client, recordStatement, { id: createUuidv7(), tenantId, details, server: name })
  })

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** The most links that are searched for the first new one. */
const linksMax = 10_000

/** Returns the first of the newest links that were sealed after a time. Locks nothing. */
const newerStatement = defineStatement({
  name: 'find-newer-link',
  takes: { sealedAt: time },
  gives: { sequence: bigint },
  sql: `
    SELECT newest.sequence FROM (SELECT * FROM audit_chain ORDER BY sequence DESC LIMIT ${linksMax}) newest
    JOIN audit_seals s ON s.tenant_id = newest.tenant_id AND s.sequence = newest.count
    WHERE s.sealed_at > :sealedAt ORDER BY newest.sequence LIMIT 1`,
})

/** Adds the entry, unless another process has added one for the server. */
const recordStatement = defineStatement({
  name: 'record-set-back',
  takes: { id: uuid, tenantId: uuid, details: text, server: text },
  gives: {},
  sql: `
    INSERT INTO audit_events (id, tenant_id, action, outcome, actor_type, target_type, target_id, details)
    SELECT :id, :tenantId, '${action}', 'success', 'system', 'tenant', :tenantId::text, :details::jsonb
    WHERE NOT EXISTS (
      SELECT FROM audit_events
      WHERE id >= uuid_v7_floor(now() - interval '1 day') AND action = '${action}' AND details->>'server' = :server)`,
})

/** The most entries that are read. */
const setBacksMax = 1_000

/** Reads what the audit logs say of links that were lost. */
export async function readSetBacks(client: pg.ClientBase): Promise<SetBack[]> {
  const rows = await run(client, listStatement, {})
  return rows.map(({ from, until, ...entry }) => ({
    ...entry,
    from: BigInt(from),
    until: BigInt(until),
  }))
}

/** Returns the entries, oldest first. Locks nothing. */
const listStatement = defineStatement({
  name: 'list-set-backs',
  takes: {},
  gives: {
    tenantId: uuid,
    occurredAt: time,
    from: notNull(bigint, 'a member of each entry'),
    until: notNull(bigint, 'a member of each entry'),
  },
  sql: `
    SELECT tenant_id, occurred_at, (details->>'from')::bigint AS from, (details->>'until')::bigint AS until
    FROM audit_events WHERE action = '${action}' ORDER BY id LIMIT ${setBacksMax}`,
})
