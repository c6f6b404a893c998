import type { Problem } from '@hosting/core'
import type { Transaction } from '@hosting/postgres'
import type { Request, Response } from 'express'
import type { Route } from './route.ts'

/** A request for a route, before its values are read. */
export interface Arrival<Caller> {
  readonly req: Request
  /** For headers that are sent with whatever response follows. */
  readonly res: Response
  readonly ip: string
  readonly route: Route<Caller>
}

/** Decides who may call a route, and records what callers are refused. */
export interface Gatekeeper<Caller> {
  /** Authenticates the caller and checks that it may call the route. @throws Problem */
  admit(arrival: Arrival<Caller>): Promise<Caller>
  /**
   * Repeats every check of {@link admit} on what the database holds now; costs the caller nothing. With a
   * transaction it locks the rows that it reads: the right to make the change cannot be taken away between
   * this check and the commit.
   *
   * @returns the caller as it is now.
   * @throws AccessLost
   */
  requireStillAdmitted(arrival: Arrival<Caller>, caller: Caller, tx?: Transaction): Promise<Caller>
  /** Records a refusal by an operation. */
  noteRefusal(arrival: Arrival<Caller>, caller: Caller, problem: Problem): Promise<void>
  /** Whose Idempotency-Keys these are; `undefined` if the caller's are ignored. */
  nameCaller(caller: Caller): string | undefined
}

/**
 * Thrown when a caller that was admitted would not be by now. Nothing of its request is committed or stored,
 * and it gets the problem that a new request would get.
 */
export class AccessLost extends Error {
  readonly problem: Problem
  /** Records the refusal as that of a new request. Call it once the transaction is rolled back. */
  readonly note: () => Promise<unknown>

  constructor(problem: Problem, note: () => Promise<unknown> = () => Promise.resolve()) {
    super('the caller lost its access')
    this.name = 'AccessLost'
    this.problem = problem
    this.note = note
  }
}
