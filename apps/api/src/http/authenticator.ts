import type { Problem } from '@hosting/core/problems'
import type { Transaction } from '@hosting/postgres/database'
import type { Request, Response } from 'express'
import type { Key } from '../gate/key-cache.ts'
import type { Reader } from './caller.ts'
import type { Route } from './route.ts'

/** A request for a route, before its input is read. */
export interface Arrival<Caller> {
  readonly req: Request
  /** For headers that are sent with any response. */
  readonly res: Response
  readonly ip: string
  readonly route: Route<Caller>
}

/** Authenticates and authorizes the callers of routes, and records refusals. */
export interface Authenticator<Caller> {
  /** Authenticates the caller and checks that it may call the route. @throws Problem */
  admit(arrival: Arrival<Caller>): Promise<Caller>
  /**
   * Repeats every check of {@link admit} on the current state of the database, without charging the rate limit.
   * With a transaction it locks the rows that it reads, so that the caller cannot lose access between this check
   * and the commit.
   *
   * @returns the caller in its current state.
   * @throws AccessLost
   */
  requireStillAdmitted(arrival: Arrival<Caller>, caller: Caller, tx?: Transaction): Promise<Caller>
  /** Records a refusal by a route. */
  recordRefusal(arrival: Arrival<Caller>, caller: Caller, problem: Problem): Promise<void>
  /** Records the refusal of a caller that has lost access, as for a new request, after the transaction has rolled back. */
  recordLoss(arrival: Arrival<Caller>, lost: AccessLost): Promise<void>
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
