import { isSameHash } from '@hosting/core/api-keys'
import {
  chainStart,
  findKeyIndex,
  linkHash,
  signAnchor,
  type AuditAnchor,
  type AuditKeys,
} from '@hosting/core/audit'
import type pg from 'pg'
import { types, type ColumnType, type RowOf } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, execute, run } from '../database/statement.ts'

const { bigint, bytes, int, notNull, nullable, time, uuid } = types

/** An error of a chain and its location. */
export interface ChainError {
  /** The organization. Null for the installation-wide chain. */
  readonly tenantId: string | null
  /** The position in the chain. Null if the error has no single position. */
  readonly sequence: bigint | null
  readonly error: string
}

/** A chain was tampered with and must not be extended. */
export class BrokenChain extends Error {
  readonly found: ChainError

  constructor(found: ChainError) {
    super(found.error)
    this.found = found
  }
}

/** The chain does not contain a link that this process has added to it. */
export class LostLink extends BrokenChain {}

/** A row of the installation-wide chain. */
export interface Link {
  readonly sequence: bigint
  readonly tenantId: string
  readonly count: bigint
  /** The last seal of the organization. */
  readonly hash: Buffer
  /** The hash of this link. */
  readonly link: Buffer
}

const linkTypes = { sequence: bigint, tenantId: uuid, count: bigint, hash: bytes, link: bytes }

const toLink = ({ sequence, count, ...row }: RowOf<typeof linkTypes>): Link => ({
  ...row,
  sequence: BigInt(sequence),
  count: BigInt(count),
})

const defineLinks = <const Takes extends Readonly<Record<string, ColumnType<unknown>>>>(
  name: string,
  takes: Takes,
  which: string,
) =>
  defineStatement({
    name,
    takes,
    gives: linkTypes,
    sql: `SELECT sequence, tenant_id, count, hash, link FROM audit_chain ${which}`,
  })

const lastStatement = defineLinks('find-last-link', {}, 'ORDER BY sequence DESC LIMIT 1')

const headStatement = defineLinks(
  'find-head-link',
  { tenantId: uuid },
  'WHERE tenant_id = :tenantId ORDER BY sequence DESC LIMIT 1',
)

const pageStatement = defineLinks(
  'list-links',
  { after: bigint, take: int },
  'WHERE sequence > :after ORDER BY sequence LIMIT :take',
)

const linkStatement = defineLinks('find-link', { sequence: bigint }, 'WHERE sequence = :sequence')

/** Reads the last link of the installation-wide chain. */
export async function readLastLink(client: pg.ClientBase): Promise<Link | undefined> {
  return (await run(client, lastStatement, {})).map(toLink)[0]
}

/** Reads the last link of an organization, which is the head of its chain. */
export async function readHeadLink(
  client: pg.ClientBase,
  tenantId: string,
): Promise<Link | undefined> {
  return (await run(client, headStatement, { tenantId })).map(toLink)[0]
}

/** Reads links in order, after a position. */
export async function readLinks(
  client: pg.ClientBase,
  after: bigint,
  take: number,
): Promise<Link[]> {
  return (await run(client, pageStatement, { after: String(after), take })).map(toLink)
}

/** Reads a link by its position in the installation-wide chain. */
export async function readLink(client: pg.ClientBase, sequence: bigint): Promise<Link | undefined> {
  return (await run(client, linkStatement, { sequence: String(sequence) })).map(toLink)[0]
}

/**
 * Reads the hash at a position of the installation-wide chain. `undefined` if the link does not exist.
 */
const readLinkHash = async (client: pg.ClientBase, sequence: bigint): Promise<Buffer | undefined> =>
  sequence === 0n ? chainStart : (await readLink(client, sequence))?.link

/** @throws BrokenChain for the link's organization if the link was not made with an audit key. */
export async function requireGenuine(
  client: pg.ClientBase,
  keys: AuditKeys,
  link: Link,
): Promise<void> {
  if (!(await findKeyOf(client, keys, link))) throw new BrokenChain(changedLink(link))
}

/**
 * Returns the key for the next hash: the first key of this process, unless the chain shows that another
 * process has moved on from that key to a newer one. While a rotation of the server secret reaches one
 * process after another, the first key of some processes is already that of the next version. Along a
 * chain, the keys never change back.
 */
export async function findSealingKey(client: pg.ClientBase, keys: AuditKeys): Promise<Buffer> {
  const [first, ...others] = keys.keys
  const last = others.length > 0 ? await readLastLink(client) : undefined
  if (!last) return first
  const lastKey = await findKeyOf(client, keys, last)
  if (lastKey === undefined || lastKey === first) return first
  const since = await findFirstLinkOf(client, lastKey, last)
  const before = await readLink(client, since - 1n)
  return before && (await isCreatedWith(client, first, before)) ? lastKey : first
}

/** Returns the key that the link was made with, or `undefined` if it is none of the given keys. */
async function findKeyOf(
  client: pg.ClientBase,
  keys: AuditKeys,
  link: Link,
): Promise<Buffer | undefined> {
  const previous = await readLinkHash(client, link.sequence - 1n)
  return keys.keys[findKeyIndex(keys, keys.keys.length, (key) => isMade(key, link, previous))]
}

/**
 * Returns the sequence of the first link made with a key. `last` was made with it too, and so was every
 * link in between.
 */
async function findFirstLinkOf(client: pg.ClientBase, key: Buffer, last: Link): Promise<bigint> {
  let [low, high] = [1n, last.sequence]
  while (low < high) {
    const middle = (low + high) / 2n
    const link = await readLink(client, middle)
    if (link && (await isCreatedWith(client, key, link))) high = middle
    else low = middle + 1n
  }
  return low
}

async function isCreatedWith(client: pg.ClientBase, key: Buffer, link: Link): Promise<boolean> {
  const previous = await readLinkHash(client, link.sequence - 1n)
  return isMade(key, link, previous)
}

const isMade = (key: Buffer, link: Link, previous: Buffer | undefined): boolean =>
  previous !== undefined && isSameHash(linkHash(key, { ...link, previous }), link.link)

/** The error of a link that was not made with an audit key. */
export const changedLink = ({ tenantId, sequence }: Link): ChainError => ({
  tenantId,
  sequence: null,
  error: `the head was changed, in link ${sequence} of the installation-wide chain`,
})

/** The last link of the installation-wide chain that a process has seen. */
export interface SeenLink {
  readonly sequence: bigint
  readonly link: Buffer
}

/** Takes the lock for extending the installation-wide chain. It is held until the transaction ends. */
export const lockLinks = (client: pg.ClientBase): Promise<unknown> =>
  client.query(`SELECT pg_advisory_xact_lock(hashtextextended('audit_chain', 0))`)

/**
 * Adds the head of an organization's chain to the installation-wide chain. Holds a lock until the
 * transaction ends, so call it last.
 *
 * @param seen - a link that this process has seen before. It must still exist.
 * @returns the new link.
 * @throws BrokenChain if the chain's last link is not genuine.
 * @throws LostLink if `seen` no longer exists.
 */
export async function appendLink(
  client: pg.ClientBase,
  keys: AuditKeys,
  { head, seen }: { head: Omit<Link, 'sequence' | 'link'>; seen: SeenLink | undefined },
): Promise<Link> {
  await lockLinks(client)
  const last = await readLastLink(client)
  if (last) await requireGenuine(client, keys, last).catch(blameInstallation)
  if (seen) await requireSeen(client, seen)
  const sequence = (last?.sequence ?? 0n) + 1n
  const previous = last?.link ?? chainStart
  const key = await findSealingKey(client, keys)
  const link = { ...head, sequence, link: linkHash(key, { ...head, sequence, previous }) }
  const values = { ...link, sequence: String(sequence), count: String(head.count) }
  await execute(client, appendStatement, values)
  return link
}

/** Adds a link to the installation-wide chain. */
const appendStatement = defineStatement({
  name: 'append-link',
  takes: linkTypes,
  gives: {},
  sql: `
    INSERT INTO audit_chain (sequence, tenant_id, count, hash, link)
    VALUES (:sequence, :tenantId, :count, :hash, :link)`,
})

/** A last link that is not genuine blocks every organization. */
function blameInstallation(error: unknown): never {
  if (!(error instanceof BrokenChain)) throw error
  throw new BrokenChain({ ...error.found, tenantId: null })
}

async function requireSeen(client: pg.ClientBase, { sequence, link }: SeenLink): Promise<void> {
  const found = await readLinkHash(client, sequence)
  if (found && isSameHash(found, link)) return
  const error = 'the link, which this process has seen, was removed or replaced'
  throw new LostLink({ tenantId: null, sequence, error })
}

/** Returns the current anchor of all audit chains. */
export async function makeAuditAnchor(
  { pool }: Database,
  { keys }: AuditKeys,
): Promise<AuditAnchor> {
  const [head] = await run(pool, anchorStatement, {})
  const anchor = {
    time: head!.time.toISOString(),
    count: Number(head!.sequence ?? 0),
    hash: (head!.link ?? chainStart).toString('hex'),
  }
  return { ...anchor, signature: signAnchor(keys[0], anchor) }
}

/** Returns the time and the last link of the installation-wide chain, or nulls without one. Locks nothing. */
const anchorStatement = defineStatement({
  name: 'read-audit-anchor',
  takes: {},
  gives: { time: notNull(time, 'now()'), sequence: nullable(bigint), link: nullable(bytes) },
  sql: `
    SELECT now() AS time, sequence, link FROM (SELECT) AS once
    LEFT JOIN (SELECT sequence, link FROM audit_chain ORDER BY sequence DESC LIMIT 1) AS head ON true`,
})
