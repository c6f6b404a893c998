import { createHmac } from 'node:crypto'

/** How tries are slowed down after failures. Nothing is ever locked: the delay has an end, and a greatest length. */
export interface ThrottleRule {
  /** So many failures cost no delay. */
  readonly free: number
  /** The delay after the first failure beyond, in ms; it doubles with each further one. */
  readonly baseMs: number
  /** The longest delay, in ms. */
  readonly capMs: number
  /** A failure is forgotten after so long, in ms, one after the other. */
  readonly forgetMs: number
}

/** From one address, whatever the account: many people may share it. */
export const addressThrottle: ThrottleRule = {
  free: 20,
  baseMs: 1_000,
  capMs: 60_000,
  forgetMs: 30_000,
}

/**
 * For one account: at sign-in, whatever the address, but apart from an address where its person has signed
 * in before; and at the step-up, by session, so that nobody without its cookie can trip it.
 */
export const accountThrottle: ThrottleRule = {
  free: 5,
  baseMs: 1_000,
  capMs: 300_000,
  forgetMs: 300_000,
}

/** What is kept of the failures under a name. */
export interface ThrottleState {
  readonly failures: number
  readonly lastAt: Date
  readonly blockedUntil: Date
}

/** Whether a try is let in: what is kept then, or how long it has to wait. */
export type ThrottleDecision =
  | { readonly waitMs: number }
  | { readonly waitMs: 0; readonly next: ThrottleState & { readonly forgottenAt: Date } }

/**
 * Decides on a try. It counts as a failure from the start, so that many at the same time are no better
 * than one after the other; a try that succeeds is forgiven afterwards. One that is not let in costs nothing.
 */
export function decideAttempt(
  { failures, lastAt, blockedUntil }: ThrottleState,
  rule: ThrottleRule,
  now: Date,
): ThrottleDecision {
  const waitMs = blockedUntil.getTime() - now.getTime()
  if (waitMs > 0) return { waitMs }
  const forgotten = Math.floor(Math.max(now.getTime() - lastAt.getTime(), 0) / rule.forgetMs)
  const counted = Math.max(failures - forgotten, 0) + 1
  return {
    waitMs: 0,
    next: {
      failures: counted,
      lastAt: now,
      blockedUntil: new Date(now.getTime() + delayMs(counted, rule)),
      forgottenAt: new Date(now.getTime() + counted * rule.forgetMs),
    },
  }
}

const delayMs = (failures: number, { free, baseMs, capMs }: ThrottleRule): number =>
  failures < free ? 0 : Math.min(baseMs * 2 ** (failures - free), capMs)

/** The name under which the sign-ins of an account are throttled, which does not say the e-mail address. */
export const accountNameOf = (serverSecret: Buffer, email: string): string =>
  createHmac('sha256', serverSecret).update(`account:v1:${email.toLowerCase()}`).digest('base64url')
