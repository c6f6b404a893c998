/** How long a process and its PostgreSQL server wait for each other, in ms. */
export interface Timeouts {
  /** The wait for a free connection of a pool. */
  readonly acquireMs: number
  /** The wait for the result of a statement, on the client. Past it the connection is closed. */
  readonly queryMs: number
  /** The duration of an interactive transaction, on the client. Past it the transaction is rolled back. */
  readonly transactionMs: number
  /** PostgreSQL's `statement_timeout`. */
  readonly statementMs: number
  /** PostgreSQL's `lock_timeout`. */
  readonly lockMs: number
  /** PostgreSQL's `idle_in_transaction_session_timeout`. */
  readonly idleInTransactionMs: number
  /**
   * How long a connection whose state is unknown keeps its place in the pool while the server does not
   * answer, and how long a connection attempt may take. Past it the server is considered unreachable.
   */
  readonly closeMs: number
}

/**
 * Every limit of the server fires before the client gives up. A statement that starts just before its transaction
 * expires at 10 s ends by 19 s; the ROLLBACK queued behind it at 10 s is sent then, before its own 15 s are over.
 */
export const defaultTimeouts: Timeouts = {
  acquireMs: 5_000,
  queryMs: 15_000,
  transactionMs: 10_000,
  statementMs: 9_000,
  lockMs: 8_000,
  idleInTransactionMs: 12_000,
  closeMs: 60_000,
}

/** The server's share of the timeouts, by the names of PostgreSQL's settings, in ms. */
export const serverTimeouts = ({
  statementMs,
  lockMs,
  idleInTransactionMs,
}: Pick<Timeouts, 'statementMs' | 'lockMs' | 'idleInTransactionMs'>): Readonly<
  Record<string, number>
> => ({
  statement_timeout: statementMs,
  lock_timeout: lockMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
})

/** PostgreSQL settings as start-up options of a session. */
export const sessionOptionsOf = (settings: Readonly<Record<string, string | number>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
