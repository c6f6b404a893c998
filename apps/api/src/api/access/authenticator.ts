import type { Problem } from '@hosting/core/problems'
import type { Transaction } from '@hosting/postgres/database'
import type { Key } from '../gate/key-gate.ts'
import type { Reader } from '../gate/read-turns.ts'
import type { StatusCallback } from '../response.ts'
import type { RequiredAccess } from './check-access.ts'
import type { Headers } from './session.ts'

/** A request for a route, before its input is read. */
export interface Arrival {
  /** Express' `Request` implements it. */
  readonly req: Headers & { readonly id: string; readonly method: string }
  readonly ip: string
  readonly route: RequiredAccess & { readonly operationId: string; readonly method: string }
  /** Sets headers that are sent with any response. */
  setHeaders(headers: Readonly<Record<string, string>>): void
  /** Calls the callback with the status of the response. */
  onStatus(callback: StatusCallback): void
}

/** Authenticates and authorizes the callers of routes, and records refusals. */
export interface Authenticator<Caller> {
  /** Authenticates the caller and checks that it may call the route. @throws Problem */
  admit(arrival: Arrival): Promise<Caller>
  /**
   * Repeats every check of {@link admit} on the current state of the database, without charging the rate limit.
   * With a transaction it locks the rows that it reads, so that the caller cannot lose access between this check
   * and the commit.
   *
   * @returns the caller in its current state.
   * @throws AccessLost
   */
  requireStillAdmitted(arrival: Arrival, caller: Caller, tx?: Transaction): Promise<Caller>
  /** Records a refusal by a route. */
  recordRefusal(arrival: Arrival, caller: Caller, problem: Problem): Promise<void>
  /** Records the refusal of a caller that has lost access, as for a new request, after the transaction has rolled back. */
  recordLoss(arrival: Arrival, lost: AccessLost): Promise<void>
  /** Returns the owner of the caller's Idempotency-Keys; `undefined` if they are ignored. */
  nameCaller(caller: Caller): string | undefined
  /** Returns whose turn it is to read; `undefined` for strangers. */
  readerOf(caller: Caller, params: Readonly<Record<string, unknown>>): Reader | undefined
}

/**
 * Thrown when an admitted caller has lost access since. Nothing of its request is committed or stored, and it gets
 * the problem that a new request would get.
 */
export class AccessLost extends Error {
  readonly problem: Problem
  /** The key as it is now, and whether it still has the secret of the request. A session has none. */
  readonly key: { readonly current: Key; readonly secretMatches: boolean } | undefined

  constructor(problem: Problem, key?: AccessLost['key']) {
    super('the caller lost its access')
    this.name = 'AccessLost'
    this.problem = problem
    this.key = key
  }
}
