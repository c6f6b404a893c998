/* oxlint-disable no-underscore-dangle -- pg's own names */
import pg from 'pg'
import { isUnusableServer, readOnlyCode } from './errors.ts'
import type { ServerLineage } from './server-lineage.ts'
import { strictTypes } from './strict-types.ts'
import { requireCommitted } from './transaction.ts'

/** The configuration of a {@link ConnectionPool}. */
export interface ConnectionPoolConfig extends pg.PoolConfig {
  /** The time limit for acquiring a connection, in ms. */
  readonly acquireMs: number
  /** The time limit of a connection attempt, in ms. */
  readonly closeMs: number
  /**
   * Whether a connection that ends stays open after `closeMs` too, and counts, until the server has ended the session or
   * {@link watchForSilence} finds that it has none: a commit that waits for a standby outlasts its socket.
   */
  readonly keepsEnding: boolean
  /** Refuses sessions of older servers. `undefined` behind a pooler, whose connections are not bound to a session. */
  readonly lineage: ServerLineage | undefined
}

/**
 * A pool that never has more than `max` connections open on the server, and never reuses a connection in
 * an unknown state.
 *
 * pg's own pool forgets a connection as soon as the client gives up on it, for example after a statement
 * timeout or a slow connection attempt. The server continues to work for that connection while the pool
 * opens another one. pg's pool also reuses a connection with an open transaction, and its next user then
 * works in that transaction. This pool counts a connection until its socket is closed, and closes a
 * connection that is released with an open transaction or a running statement.
 */
export class ConnectionPool extends (pg.Pool as unknown as PoolConstructor) {
  readonly #open = new Set<Connection>()
  readonly #acquireMs: number
  readonly #lineage: ServerLineage | undefined
  #isAsking = false
  #refusedMs = -Infinity
  #respondedMs = -Infinity

  constructor({ acquireMs, lineage, ...config }: ConnectionPoolConfig) {
    // A timeout of pg's pool would close the socket of a connection attempt that the server may still
    // accept.
    super({
      ...config,
      ...(lineage && { verify: verifyWith(lineage) }),
      connectionTimeoutMillis: 0,
      Client: Connection as unknown as typeof pg.Client,
    })
    this.#acquireMs = acquireMs
    this.#lineage = lineage
  }

  /** Connections that can no longer be used and that the server has not closed yet. */
  get closingCount(): number {
    return this.#open.size - this.totalCount
  }

  /** When the server last refused a write or a connection, as `performance.now()` gives it. */
  get refusedMs(): number {
    return this.#refusedMs
  }

  /** When the server last completed a statement or the start of a session, as `performance.now()` gives it. */
  get respondedMs(): number {
    return this.#respondedMs
  }

  /** The connections whose sockets are open, including those that are closing. */
  get openConnections(): Iterable<pg.Client> {
    return this.#open as Iterable<unknown> as Iterable<pg.Client>
  }

  /**
   * Asks the server for a response on an idle connection, if there is one. One question at a time. Sessions of a
   * server that was read-only when they started remain so, and are replaced.
   */
  ask(): void {
    if (this.#isAsking || this.idleCount === 0) return
    this.#isAsking = true
    this.query<{ value: string }>(`SELECT current_setting('transaction_read_only') AS value`)
      .then(({ rows }) => rows[0]!.value === 'on' && this.dropIdle())
      .catch(() => undefined)
      .finally(() => (this.#isAsking = false))
  }

  /** Closes the sockets of the idle connections. Nothing runs on them. */
  dropIdle(): void {
    for (let [item] = this._idle; item; [item] = this._idle) {
      this._remove(item.client)
      item.client.abandon()
    }
  }

  /**
   * Closes the pool once every connection is released. Does not wait for connections that are already
   * closing.
   */
  async close(): Promise<void> {
    if (!this.ended) await this.end()
    for (const connection of this.#open) connection.abandon()
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    if (callback) return this.#acquire(callback)
    return new Promise((resolve, reject) =>
      this.#acquire((error, client) => (client ? resolve(client) : reject(error!))),
    )
  }

  /** A connection that arrives after its caller timed out is released and serves the next caller. */
  #acquire(callback: ConnectCallback): void {
    let expired = false
    const served: ConnectCallback = (error, client, release) => {
      clearTimeout(timer)
      if (!expired) callback(error, client, release)
      // A new connection is reported before it is marked as ready.
      else if (client) process.nextTick(release)
    }
    const timer = setTimeout(() => {
      expired = true
      const index = this._pendingQueue.findIndex((waiting) => waiting.callback === served)
      if (index >= 0) this._pendingQueue.splice(index, 1)
      callback(new Error('timeout exceeded when trying to connect'), undefined, () => undefined)
    }, this.#acquireMs)
    super.connect(served)
  }

  override _isFull(): boolean {
    return this.#open.size >= this.options.max
  }

  override newClient(waiting: Waiting): void {
    super.newClient(waiting)
    const connection = this._clients.at(-1)!
    this.#open.add(connection)
    connection.connection.on('errorMessage', ({ code }) => this.#noteError(connection, code))
    connection.connection.on('readyForQuery', () => (this.#respondedMs = performance.now()))
    connection.once('end', () => {
      this.#open.delete(connection)
      this._pulseQueue()
    })
  }

  /** The sessions of a server that became a standby remain read-only, so they are replaced. */
  #noteError(connection: Connection, code: string | undefined): void {
    if (!isUnusableServer(code)) return
    this.#refusedMs = performance.now()
    if (code !== readOnlyCode) return
    connection.markReadOnly()
    this.dropIdle()
  }

  override _release(client: Connection, idleListener: unknown, error?: Error | boolean): void {
    const isReusable = client.isReusable && this.#lineage?.isOlder(client) !== true
    super._release(client, idleListener, error || !isReusable)
  }
}

/** pg's pool calls it with each new connection before its first use. */
const verifyWith =
  (lineage: ServerLineage) =>
  (client: pg.PoolClient, done: (error?: Error) => void): void =>
    void lineage.require(client).then(() => done(), done)

/** A connection that the server closes: it is not cut off while the server works for it. */
class Connection extends (pg.Client as unknown as ClientConstructor) {
  readonly #endMsMax: number | undefined
  #isReadOnly = false

  constructor(config: ConnectionPoolConfig) {
    super({ ...config, connectionTimeoutMillis: config.closeMs })
    this.#endMsMax = config.keepsEnding ? undefined : config.closeMs
    const query = this.query.bind(this) as (...args: unknown[]) => unknown
    this.query = ((first: unknown, ...others: unknown[]) => {
      const result = query(withStrictTypes(first), ...others)
      return isCommit(first) ? (result as Promise<pg.QueryResult>).then(requireCommitted) : result
    }) as typeof this.query
  }

  markReadOnly(): void {
    this.#isReadOnly = true
  }

  /** Whether the server is idle and outside of a transaction, and has not refused a write. */
  get isReusable(): boolean {
    return !this.#isReadOnly && this.readyForQuery === true && this.getTransactionStatus() === 'I'
  }

  /** Closes the socket, in any state of the server. */
  abandon(): void {
    this.connection.stream.destroy()
  }

  /**
   * Asks the server to end the session once the running statement is complete. pg would close the socket
   * immediately. Statements queued behind the running one are not executed.
   */
  override end(): Promise<void>
  override end(callback: () => void): void
  override end(callback?: () => void): Promise<void> | void {
    if (!callback) return new Promise((resolve) => this.end(resolve))
    if (this._ended) return callback()
    this.once('end', callback)
    if (this._ending) return
    if (this.#endMsMax !== undefined) {
      const timer = setTimeout(() => this.abandon(), this.#endMsMax).unref()
      this.once('end', () => clearTimeout(timer))
    }
    if (this.readyForQuery || !this._queryable) return super.end(() => undefined)
    this._ending = true
    this.connection.prependOnceListener('readyForQuery', () => this.connection.end())
  }
}

/** Prisma's adapter brings parsers of its own with each statement, which take any text for a time. */
function withStrictTypes(statement: unknown): unknown {
  const { types } = (statement ?? {}) as { types?: pg.CustomTypesConfig }
  return types ? { ...(statement as object), types: strictTypes(types) } : statement
}

/** Our own transactions and those of Prisma end with this text. */
const isCommit = (statement: unknown): boolean =>
  statement === 'COMMIT' || (statement as { text?: unknown } | undefined)?.text === 'COMMIT'

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void

/** A caller that waits for a connection. */
interface Waiting {
  readonly callback: unknown
}

/** Members of pg's classes that its types omit. The version of pg is pinned. */
interface PoolInternals {
  readonly _clients: readonly Connection[]
  readonly _idle: readonly { readonly client: Connection }[]
  readonly _pendingQueue: Waiting[]
  _isFull(): boolean
  _pulseQueue(): void
  _remove(client: Connection): void
  _release(client: Connection, idleListener: unknown, error?: Error | boolean): void
  newClient(waiting: Waiting): void
}
interface ClientInternals {
  readonly readyForQuery?: boolean
  readonly _ended: boolean
  readonly _queryable: boolean
  _ending: boolean
}
type PoolConstructor = new (config: pg.PoolConfig) => pg.Pool & PoolInternals
type ClientConstructor = new (config: pg.ClientConfig) => pg.Client & ClientInternals
