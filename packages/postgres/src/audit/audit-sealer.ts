import { isSameHash } from '@hosting/core/api-keys'
import {
  chainStart,
  findKeyIndex,
  sealHash,
  type AuditAnchor,
  type AuditKeys,
  type SealedRow,
} from '@hosting/core/audit'
import { failPoint } from '@hosting/core/fail-points'
import type pg from 'pg'
import {
  appendLink,
  BrokenChain,
  findSealingKey,
  LostLink,
  makeAuditAnchor,
  readHeadLink,
  requireGenuine,
  type ChainError,
  type Link,
} from './audit-links.ts'
import { recordSetBack, type SealedLink } from './set-back.ts'
import { entryTypes, sealedColumns, toSealable, type SealableEntry } from './sealed-entry.ts'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { isNewer, readServer, type ServerIdentity } from '../database/server-lineage.ts'
import { defineStatement, run } from '../database/statement.ts'
import { runTransaction } from '../database/transaction.ts'

const { bigint, bool, bytes, int, listOf, notNull, time, uuid } = types

/** Rows sealed in one transaction, and organizations sealed in one round. */
const [batchMax, tenantsMax] = [500, 100]

/** The head of an organization's chain. */
type Head = Omit<Link, 'sequence' | 'link'>

/**
 * Seals audit entries: chains each to the previous one of its organization, and the organization's head to the
 * installation-wide chain. Does not extend a chain that was tampered with. Any number of processes may seal.
 */
export class AuditSealer {
  readonly #database: Database
  readonly #keys: AuditKeys
  readonly #broken = new Map<string, ChainError>()
  #seen: SealedLink | undefined
  #anchored: string | undefined

  constructor(database: Database, keys: AuditKeys) {
    this.#database = database
    this.#keys = keys
  }

  /** The broken chains, which are not extended, by organization id. '' is the installation-wide chain. */
  get broken(): ReadonlyMap<string, ChainError> {
    return this.#broken
  }

  /** Seals one batch of waiting entries per organization. Returns the number of entries sealed. */
  async seal(): Promise<number> {
    let sealed = 0
    for (const tenantId of await findWaiting(this.#database)) {
      sealed += await this.#extend(tenantId, (client) => this.#sealBatch(client, tenantId))
    }
    return sealed
  }

  /**
   * Returns the anchor of all audit chains if the installation-wide chain has changed since the last
   * call.
   */
  async findNewAnchor(): Promise<AuditAnchor | undefined> {
    const anchor = await makeAuditAnchor(this.#database, this.#keys)
    if (anchor.hash === this.#anchored) return undefined
    this.#anchored = anchor.hash
    return anchor
  }

  /**
   * Runs one step of an organization's chain in a transaction, and records whether the chain is broken.
   */
  async #extend(
    tenantId: string,
    step: (client: pg.PoolClient) => Promise<{ sealed: number; link?: Omit<SealedLink, 'server'> }>,
  ): Promise<number> {
    let server: ServerIdentity | undefined
    try {
      const { sealed, link } = await runTransaction(this.#database, async (client) => {
        server = await this.#serverOf(client)
        return await step(client)
      })
      if (!link) return sealed
      if (!this.#seen || link.sequence > this.#seen.sequence) this.#seen = { ...link, server }
      this.#broken.delete(tenantId)
      this.#broken.delete('')
      return sealed
    } catch (error) {
      if (!(error instanceof BrokenChain)) throw error
      if (error instanceof LostLink && (await this.#followFailover(server))) return 0
      this.#broken.set(error.found.tenantId ?? '', error.found)
      return 0
    }
  }

  /**
   * Whether the link that was lost was stored by an older server. Then a failover has lost commits: the audit log says so,
   * and the next round seals what the new server has.
   *
   * @param server - the one that does not have the link.
   */
  async #followFailover(server: ServerIdentity | undefined): Promise<boolean> {
    const lost = this.#seen
    if (!lost?.server || !server || !isNewer(server, lost.server)) return false
    await recordSetBack(this.#database, lost, server)
    this.#seen = undefined
    return true
  }

  /** The server of a transaction. Behind a pooler, each transaction may be on another one. */
  async #serverOf(client: pg.PoolClient): Promise<ServerIdentity | undefined> {
    const { hotPool, lineage } = this.#database
    return hotPool ? lineage.serverOf(client) : await readServer(client)
  }

  async #sealBatch(
    client: pg.PoolClient,
    tenantId: string,
  ): Promise<{ sealed: number; link?: Omit<SealedLink, 'server'> }> {
    const [lock] = await run(client, lockStatement, { tenantId })
    // Another process is sealing this organization.
    if (!lock!.taken) return { sealed: 0 }
    const head = await requireHead(client, this.#keys, tenantId)
    const events = await readWaiting(client, tenantId)
    if (events.length === 0) return { sealed: 0 }
    const key = await findSealingKey(client, this.#keys)
    const { sealedAt, ...extended } = await addSeals(client, key, { head, events })
    failPoint('audit.sealed')
    const link = await appendLink(client, this.#keys, { head: extended, seen: this.#seen })
    return { sealed: events.length, link: { ...link, sealedAt } }
  }
}

/**
 * Tries to lock the chain of an organization (not the table `audit_chain`, which audit-links.ts locks) until
 * the transaction ends, and gives whether it did.
 */
const lockStatement = defineStatement({
  name: 'lock-audit-chain',
  takes: { tenantId: uuid },
  gives: { taken: notNull(bool, 'the result of the function') },
  sql: 'SELECT pg_try_advisory_xact_lock(audit_chain_lock(:tenantId)) AS taken',
})

/** Finds organizations with waiting entries, in random order, so that none can starve the others. */
async function findWaiting({ pool }: Database): Promise<string[]> {
  return (await run(pool, tenantsStatement, { tenantsMax })).map(({ tenantId }) => tenantId)
}

/** Returns organizations with entries that wait for a seal, in random order. Locks nothing. */
const tenantsStatement = defineStatement({
  name: 'list-tenants-with-unsealed-entries',
  takes: { tenantsMax: int },
  gives: { tenantId: notNull(uuid, 'part of the condition') },
  sql: `
    WITH RECURSIVE waiting AS (
      (SELECT tenant_id FROM audit_unsealed ORDER BY tenant_id LIMIT 1)
      UNION ALL
      SELECT (SELECT u.tenant_id FROM audit_unsealed u WHERE u.tenant_id > w.tenant_id
        ORDER BY u.tenant_id LIMIT 1)
      FROM waiting w WHERE w.tenant_id IS NOT NULL
    )
    SELECT tenant_id FROM waiting WHERE tenant_id IS NOT NULL ORDER BY random() LIMIT :tenantsMax`,
})

/** @throws BrokenChain if an entry that waits for its seal was removed. */
async function readWaiting(client: pg.PoolClient, tenantId: string): Promise<SealableEntry[]> {
  const rows = await run(client, unsealedStatement, { tenantId, batchMax })
  return rows.map(({ waitingId, ...entry }) => {
    const found = toSealable(entry)
    if (found) return found
    const error = `entry ${waitingId}, which was waiting for its seal, was removed`
    throw new BrokenChain({ tenantId, sequence: null, error })
  })
}

/** Returns the oldest entries that wait for a seal, with nulls for one that was removed. Locks nothing. */
const unsealedStatement = defineStatement({
  name: 'list-unsealed-entries',
  takes: { tenantId: uuid, batchMax: int },
  gives: { waitingId: uuid, ...entryTypes },
  sql: `
    SELECT w.waiting_id, e.* FROM (
      SELECT audit_event_id AS waiting_id FROM audit_unsealed WHERE tenant_id = :tenantId
      ORDER BY audit_event_id LIMIT :batchMax
    ) w
    LEFT JOIN (SELECT ${sealedColumns} FROM audit_events) e ON e.id = w.waiting_id
    ORDER BY w.waiting_id`,
})

async function addSeals(
  client: pg.PoolClient,
  key: Buffer,
  { head, events }: { head: Head; events: readonly SealableEntry[] },
): Promise<Head & Pick<SealedLink, 'sealedAt'>> {
  let { count, hash } = head
  const hashes = events.map((row) => {
    count += 1n
    hash = sealHash(key, { previous: hash, sequence: count, row })
    return hash
  })
  const ids = events.map(({ id }) => id)
  const { tenantId } = head
  const values = { tenantId, count: String(head.count), ids, hashes }
  const [sealed] = await run(client, sealStatement, values)
  await client.query('DELETE FROM audit_unsealed WHERE audit_event_id = ANY ($1::uuid[])', [ids])
  return { ...head, count, hash, sealedAt: sealed!.sealedAt }
}

/** Adds seals after the given number of them, and gives when. */
const sealStatement = defineStatement({
  name: 'add-audit-seals',
  takes: { tenantId: uuid, count: bigint, ids: listOf(uuid), hashes: listOf(bytes) },
  gives: { sealedAt: time },
  sql: `
    INSERT INTO audit_seals (tenant_id, sequence, audit_event_id, hash)
    SELECT :tenantId, :count + ordinality, id, hash
    FROM unnest(:ids, :hashes) WITH ORDINALITY AS s (id, hash, ordinality)
    RETURNING sealed_at`,
})

/**
 * Returns the head of an organization's chain, after checking that it is genuine and agrees with the last
 * seal.
 *
 * @throws BrokenChain if it is not genuine or does not agree.
 */
async function requireHead(
  client: pg.PoolClient,
  keys: AuditKeys,
  tenantId: string,
): Promise<Head> {
  const link = await readHeadLink(client, tenantId)
  if (link) await requireGenuine(client, keys, link)
  const head = link ?? { tenantId, count: 0n, hash: chainStart }
  await requireLastSeal(client, keys, head)
  return head
}

async function requireLastSeal(
  client: pg.PoolClient,
  keys: AuditKeys,
  { tenantId, count, hash }: Head,
): Promise<void> {
  const [last, before] = await run(client, lastSealsStatement, { tenantId })
  const found = BigInt(last?.sequence ?? 0)
  const broken = (error: string) => new BrokenChain({ tenantId, sequence: found, error })
  if (found !== count) throw broken(`the head counts ${count} entries, but the chain has ${found}`)
  if (!last) return
  const { sequence: _sequence, seal, ...entry } = last
  const row = toSealable(entry)
  if (!row) throw broken('the entry was removed')
  const sealed = { previous: before?.seal ?? chainStart, sequence: found, row }
  const isGenuine = findSealKey(keys, { ...sealed, seal }, keys.keys.length) >= 0
  if (!isSameHash(seal, hash) || !isGenuine) throw broken('the entry or its position was changed')
}

/** Returns the last two seals with their entries, newest first. Locks nothing. */
const lastSealsStatement = defineStatement({
  name: 'find-last-audit-seals',
  takes: { tenantId: uuid },
  gives: { sequence: bigint, seal: bytes, ...entryTypes },
  sql: `
    SELECT s.sequence, s.hash AS seal, e.* FROM (
      SELECT * FROM audit_seals WHERE tenant_id = :tenantId ORDER BY sequence DESC LIMIT 2
    ) s
    LEFT JOIN (SELECT ${sealedColumns} FROM audit_events) e ON e.id = s.audit_event_id
    ORDER BY s.sequence DESC`,
})

/** Finds the index of the key that a seal was made with, see {@link findKeyIndex}. */
export const findSealKey = (
  keys: AuditKeys,
  { seal, ...sealed }: SealedRow & { seal: Buffer },
  oldest: number,
): number => findKeyIndex(keys, oldest, (key) => isSameHash(sealHash(key, sealed), seal))
