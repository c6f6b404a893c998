import { dayMs } from '@hosting/core/clock'

/** How long a process and its PostgreSQL server wait for each other, in ms. */
export interface Timeouts {
  /** The time limit for acquiring a connection from a pool. */
  readonly acquireMs: number
  /**
   * The client's time limit for the result of a statement. When it is exceeded, the connection is closed.
   */
  readonly queryMs: number
  /**
   * The client's time limit for an interactive transaction. When it is exceeded, the transaction is
   * rolled back.
   */
  readonly transactionMs: number
  /** PostgreSQL's `statement_timeout`. */
  readonly statementMs: number
  /** PostgreSQL's `lock_timeout`. */
  readonly lockMs: number
  /** PostgreSQL's `idle_in_transaction_session_timeout`. */
  readonly idleInTransactionMs: number
  /**
   * The time limit of a connection attempt. Behind a pooler, also how long a connection in an unknown state stays in the
   * pool while the server does not respond.
   */
  readonly closeMs: number
  /**
   * How long a connection may wait for the server without receiving anything before another connection asks whether
   * the server works for it.
   */
  readonly silentMs: number
  /** After how long a connection of a pool is closed when it is idle, so that what its session keeps does not grow. */
  readonly lifetimeMs: number
}

/**
 * Every limit of the server takes effect before the client gives up. A statement that starts just before
 * its transaction expires at 10 s ends by 19 s. The ROLLBACK that was queued behind it at 10 s is then
 * sent before its own limit of 15 s.
 */
export const defaultTimeouts: Timeouts = {
  acquireMs: 5_000,
  queryMs: 15_000,
  transactionMs: 10_000,
  statementMs: 9_000,
  lockMs: 8_000,
  idleInTransactionMs: 12_000,
  closeMs: 60_000,
  silentMs: 4_000,
  lifetimeMs: dayMs,
}

/** The timeouts that the server enforces, by the names of PostgreSQL's settings, in ms. */
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
