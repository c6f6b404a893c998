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
 * For one account: at sign-in, from any address, but apart from browsers with which its person has signed in
 * before; and at the step-up, by session, so that nobody without its cookie can trip it.
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

/** What the sign-ins of an account are counted by. */
export type AccountIdentity =
  | { readonly userId: string; readonly browser?: string | undefined }
  /** An address of no account, in the lower case of the database, which is what look-ups compare. */
  | { readonly loweredEmail: string }

/**
 * The name under which the sign-ins of an account are throttled. An account has one name, however its address is
 * written, and one more for each browser that proves by its cookie that the person has signed in with it. The name
 * does not reveal the address.
 */
export function accountNameOf(serverSecret: Buffer, identity: AccountIdentity): string {
  const text =
    'userId' in identity
      ? `user:${identity.userId}:${identity.browser ?? ''}`
      : `email:${identity.loweredEmail}`
  return createHmac('sha256', serverSecret).update(`account:v2:${text}`).digest('base64url')
}
