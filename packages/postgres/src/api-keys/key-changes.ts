import { failPoint } from '@hosting/core/fail-points'
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import pg from 'pg'
import {
  keepAlive,
  serverKeepAlive,
  type Client,
  type Database,
  type Transaction,
} from '../database/database.ts'
import { watchClient } from '../database/silence.ts'
import { defaultTimeouts, sessionOptionsOf } from '../database/timeouts.ts'

/** The version of a key after a change, committed or not. */
export interface ChangedKey {
  readonly keyId: string
  readonly version: number
}

/** The keys that a change affects. */
export type AffectedKeys =
  | { readonly keyId: string }
  | { readonly keyIds: readonly string[] }
  | { readonly userId: string }
  | { readonly accountId: string }
  | { readonly tenantId: string }

/**
 * Increments the versions of the affected keys and announces them: every listening process is notified
 * when the transaction commits. Call it in the transaction of the change, after the change.
 */
export async function raiseKeyVersions(
  tx: Transaction,
  affected: AffectedKeys,
): Promise<ChangedKey[]> {
  if ('accountId' in affected) await lockAccount(tx, affected.accountId)
  const [condition, id] = conditionOf(affected)
  const rows = await tx.$queryRawUnsafe<{ id: string; version: bigint }[]>(
    `WITH affected AS (
       SELECT id FROM api_keys k WHERE ${condition} ORDER BY id FOR NO KEY UPDATE
     )
     UPDATE api_keys k SET version = version + 1 FROM affected WHERE k.id = affected.id
     RETURNING k.id, k.version`,
    id,
  )
  for (let from = 0; from < rows.length; from += idsPerNotification) {
    const ids = rows.slice(from, from + idsPerNotification).map((row) => row.id)
    await tx.$executeRaw`SELECT pg_notify(${channel}, ${ids.join(',')})`
  }
  return rows.map((row) => ({ keyId: row.id, version: Number(row.version) }))
}

/** Until the transaction ends, no user gets the account, and no key is created for its users or limited to it. */
async function lockAccount(tx: Transaction, id: string): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM accounts WHERE id = ${id}::uuid FOR UPDATE`
  // An update, not only a lock, so that requests detect that their data about these users is outdated.
  await tx.$executeRaw`
    WITH locked AS (
      SELECT id FROM users WHERE id IN (SELECT user_id FROM user_accounts WHERE account_id = ${id}::uuid)
      ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE users u SET updated_at = u.updated_at FROM locked WHERE u.id = locked.id`
}

const channel = 'key_changed'

/** A notification is limited to 8,000 bytes; a key id with its comma takes 13. */
const idsPerNotification = 600

function conditionOf(affected: AffectedKeys): [condition: string, id: string | string[]] {
  if ('keyId' in affected) return ['k.id = $1', affected.keyId]
  if ('keyIds' in affected) return ['k.id = ANY ($1::bpchar[])', [...affected.keyIds]]
  if ('userId' in affected) return ['k.user_id = $1::uuid', affected.userId]
  if ('tenantId' in affected) return ['k.tenant_id = $1::uuid', affected.tenantId]
  return [ofAccount, affected.accountId]
}

/** The keys of the account's users, and the keys that are limited to it. */
const ofAccount = `
  k.id IN (
    SELECT id FROM api_keys WHERE user_id IN (SELECT user_id FROM user_accounts WHERE account_id = $1::uuid)
    UNION
    SELECT id FROM api_keys
    WHERE tenant_id = (SELECT tenant_id FROM accounts WHERE id = $1::uuid) AND accounts @> ARRAY[$1::uuid]
  )`

/** Stores changes that could not be sent to Redis. Pass the transaction of the change. */
export async function keepInvalidations(tx: Client, changed: readonly ChangedKey[]): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO gate_invalidations (key_id, version)
    SELECT * FROM unnest(${changed.map(({ keyId }) => keyId)}::text[],
      ${changed.map(({ version }) => BigInt(version))}::bigint[])
    ON CONFLICT (key_id) DO UPDATE SET version = greatest(gate_invalidations.version, EXCLUDED.version)`
}

/**
 * Passes stored changes to `tell` and deletes those that it delivered.
 *
 * @param tell - sends the changes to Redis. If it throws, all changes remain stored.
 * @returns the number of changes delivered.
 */
export async function drainInvalidations(
  { pool }: Database,
  announce: (changed: ChangedKey[]) => Promise<void>,
): Promise<number> {
  const { rows } = await pool.query<{ key_id: string; version: string }>(
    'SELECT key_id, version FROM gate_invalidations ORDER BY created_at LIMIT 1000',
  )
  if (rows.length === 0) return 0
  await announce(rows.map((row) => ({ keyId: row.key_id, version: Number(row.version) })))
  failPoint('invalidation.delivered')
  await pool.query(
    `DELETE FROM gate_invalidations g USING unnest($1::text[], $2::bigint[]) AS announced (key_id, version)
     WHERE g.key_id = announced.key_id AND g.version <= announced.version`,
    [rows.map((row) => row.key_id), rows.map((row) => row.version)],
  )
  return rows.length
}

/** Receives the changes of keys that any process makes. */
export interface KeyChangeListener {
  /** Whether changes are currently received. */
  isListening(): boolean
  /**
   * Waits until every listening process has confirmed all changes committed so far. Use it when Redis
   * could not be updated: a Redis update takes effect immediately, but a notification can arrive after
   * the response.
   *
   * @returns whether all processes confirmed within `timeoutMs`.
   */
  waitForAcks(timeoutMs: number): Promise<boolean>
  close(): Promise<void>
}

/** The callbacks of a listener. */
export interface KeyChangeCallbacks {
  /** Called with the ids of changed keys. */
  changed(keyIds: string[]): void
  /** Called when changes may have been missed. */
  disconnected(): void
  /** Called when changes are received again, or for the first time. */
  listening(): void
  /** Called with the payloads of other channels, by channel name, in the same order of commits. */
  readonly others?: Readonly<Record<string, (payload: string) => void>>
}

const reconnectMs = 500

/** The application name that identifies listening connections. */
const listenerName = 'hosting-key-changes'
/**
 * The channel on which listeners are asked to confirm that they have received all changes so far. The
 * payload identifies the question.
 */
const question = 'key_changes_heard'
/** The channel on which listeners confirm. */
const reply = 'key_changes_were_heard'

/**
 * Listens to key changes on a connection of its own, which must not go through a pooler in transaction
 * mode.
 *
 * @param url - {@link Database.directUrl}.
 */
export function listenToKeyChanges(url: string, on: KeyChangeCallbacks): KeyChangeListener {
  let client: pg.Client | undefined
  let listening = false
  let closed = false
  let retry: NodeJS.Timeout | undefined
  const confirmations = new EventEmitter().setMaxListeners(0)

  function reconnectLater(): void {
    if (listening) on.disconnected()
    listening = false
    client?.off('end', reconnectLater)
    void client?.end().catch(() => undefined)
    client = undefined
    if (!closed) retry = setTimeout(() => void connect(), reconnectMs)
  }

  async function connect(): Promise<void> {
    const config = {
      connectionString: url,
      ...keepAlive,
      options: sessionOptionsOf(serverKeepAlive),
      connectionTimeoutMillis: defaultTimeouts.closeMs,
    }
    const fresh = new pg.Client({ ...config, application_name: listenerName })
    client = fresh
    watchClient(fresh, { config, silentMs: defaultTimeouts.silentMs, asksWhileIdle: true })
    fresh.on('notification', (notification) =>
      handleNotification(fresh, { on, confirmations, notification }),
    )
    try {
      await fresh.connect()
      const channels = [channel, question, reply, ...Object.keys(on.others ?? {})]
      await fresh.query(channels.map((name) => `LISTEN ${name}`).join('; '))
      fresh.once('end', reconnectLater)
      listening = true
      on.listening()
    } catch {
      reconnectLater()
    }
  }

  void connect()
  return {
    isListening: () => listening,
    async waitForAcks(timeoutMs) {
      if (!client || !listening) return false
      return await askListeners(client, confirmations, timeoutMs).catch(() => false)
    },
    async close() {
      closed = true
      clearTimeout(retry)
      client?.off('end', reconnectLater)
      await client?.end().catch(() => undefined)
    },
  }
}

function handleNotification(
  client: pg.Client,
  {
    on,
    confirmations,
    notification: { channel: name, payload = '', processId },
  }: { on: KeyChangeCallbacks; confirmations: EventEmitter; notification: pg.Notification },
): void {
  if (name === channel) on.changed(payload.split(','))
  // Notifications arrive in commit order, so all changes before the question have been received.
  else if (name === question) void notify(client, reply, payload).catch(() => undefined)
  else if (name === reply) confirmations.emit(payload, processId)
  else on.others?.[name]?.(payload)
}

/** Asks every listener to confirm. Returns whether all replied in time. */
async function askListeners(
  client: pg.Client,
  confirmations: EventEmitter,
  timeoutMs: number,
): Promise<boolean> {
  const name = randomUUID()
  let timer: NodeJS.Timeout | undefined
  // The time limit also covers a server that does not respond.
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs)
  })
  const replied = findListeners(client).then(async (missing) => {
    const all = new Promise<true>((resolve) => {
      confirmations.on(name, (pid: number) => {
        missing.delete(pid)
        if (missing.size === 0) resolve(true)
      })
    })
    await notify(client, question, name)
    return await all
  })
  try {
    return await Promise.race([replied, late])
  } finally {
    clearTimeout(timer)
    confirmations.removeAllListeners(name)
  }
}

async function findListeners(client: pg.Client): Promise<Set<number>> {
  const { rows } = await client.query<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()',
    [listenerName],
  )
  return new Set(rows.map(({ pid }) => pid))
}

const notify = (client: pg.Client, name: string, payload: string): Promise<unknown> =>
  client.query('SELECT pg_notify($1, $2)', [name, payload])
