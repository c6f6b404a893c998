import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import pg from 'pg'
import { types, type RowOf } from '../database/column-types.ts'
import { sessionConfigOf, type Database, type Transaction } from '../database/database.ts'
import { watchClient } from '../database/silence.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import { defaultTimeouts } from '../database/timeouts.ts'

const { bigint, bool, keyId, listOf, notNull, uuid } = types

/** The version of a key after a change, committed or not. */
export interface ChangedKey {
  readonly keyId: string
  readonly version: number
  /** Whether the key is revoked in this version. */
  readonly revoked?: boolean
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
  const rows = await raise(tx, affected)
  for (let from = 0; from < rows.length; from += idsPerNotification) {
    const ids = rows.slice(from, from + idsPerNotification).map((row) => row.id)
    await tx.$executeRaw`SELECT pg_notify(${channel}, ${ids.join(',')})`
  }
  return rows.map(({ id, version, revoked }) => ({ keyId: id, version: Number(version), revoked }))
}

const raised = {
  id: keyId,
  version: bigint,
  revoked: notNull(bool, 'a condition without nulls'),
}

/** Raises the versions of the keys `k` that a condition chooses, which it locks in the order of their ids. */
const raiseSql = (condition: string): string => `
  WITH affected AS (
    SELECT id FROM api_keys k WHERE ${condition} ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE api_keys k SET version = version + 1 FROM affected WHERE k.id = affected.id
  RETURNING k.id, k.version, k.revoked_at IS NOT NULL AS revoked`

/** Raises the versions of the given keys, and locks their rows. */
const raiseStatement = defineStatement({
  name: 'raise-key-versions',
  takes: { keyIds: listOf(keyId) },
  gives: raised,
  sql: raiseSql('k.id = ANY (:keyIds)'),
})

/** Raises the versions of a person's keys, and locks their rows. */
const raiseOfUserStatement = defineStatement({
  name: 'raise-key-versions-of-user',
  takes: { userId: uuid },
  gives: raised,
  sql: raiseSql('k.user_id = :userId'),
})

/** Raises the versions of an organization's keys, and locks their rows. */
const raiseOfTenantStatement = defineStatement({
  name: 'raise-key-versions-of-tenant',
  takes: { tenantId: uuid },
  gives: raised,
  sql: raiseSql('k.tenant_id = :tenantId'),
})

/** The keys of the account's users, and the keys that are limited to it. */
const raiseOfAccountStatement = defineStatement({
  name: 'raise-key-versions-of-account',
  takes: { accountId: uuid },
  gives: raised,
  sql: raiseSql(`k.id IN (
    SELECT id FROM api_keys WHERE user_id IN (SELECT user_id FROM user_accounts WHERE account_id = :accountId)
    UNION
    SELECT id FROM api_keys
    WHERE tenant_id = (SELECT tenant_id FROM accounts WHERE id = :accountId) AND accounts @> ARRAY[:accountId]
  )`),
})

function raise(tx: Transaction, affected: AffectedKeys): Promise<RowOf<typeof raised>[]> {
  if ('keyId' in affected) return runIn(tx, raiseStatement, { keyIds: [affected.keyId] })
  if ('keyIds' in affected) return runIn(tx, raiseStatement, affected)
  if ('userId' in affected) return runIn(tx, raiseOfUserStatement, affected)
  if ('tenantId' in affected) return runIn(tx, raiseOfTenantStatement, affected)
  return runIn(tx, raiseOfAccountStatement, affected)
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

/** Receives the changes of keys that any process makes. */
export interface KeyChangeSubscription {
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
 * @param database - leads there with its {@link Database.directUrl}.
 */
export function listenToKeyChanges(
  { directUrl, lineage }: Pick<Database, 'directUrl' | 'lineage'>,
  on: KeyChangeCallbacks,
): KeyChangeSubscription {
  const config = { ...sessionConfigOf(directUrl), connectionTimeoutMillis: defaultTimeouts.closeMs }
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
    const fresh = new pg.Client({ ...config, application_name: listenerName })
    client = fresh
    watchClient(fresh, { config, silentMs: defaultTimeouts.silentMs, asksWhileIdle: true })
    fresh.on('notification', (notification) =>
      handleNotification(fresh, { on, confirmations, notification }),
    )
    try {
      await fresh.connect()
      await lineage.require(fresh)
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
