import { createHmac } from 'node:crypto'

/** How failures delay further tries. Nothing is ever locked: every delay ends, and its length is limited. */
export interface TryLimit {
  /** Delays start with this many failures. */
  readonly free: number
  /** The first delay, in ms. It doubles with each further failure. */
  readonly baseMs: number
  /** The longest delay, in ms. */
  readonly capMs: number
  /** One failure is forgotten after each period of this length, in ms. */
  readonly forgetMs: number
}

/** Per IP address, for all accounts. Many people may share an address. */
export const addressTryLimit: TryLimit = {
  free: 20,
  baseMs: 1_000,
  capMs: 60_000,
  forgetMs: 30_000,
}

/**
 * Per account. At sign-in it applies to all IP addresses; browsers with which the person has signed in before are
 * counted separately. At step-up it is counted per session, so that only the holder of the cookie can trigger it.
 */
export const accountTryLimit: TryLimit = {
  free: 5,
  baseMs: 1_000,
  capMs: 300_000,
  forgetMs: 300_000,
}

/** The failed tries that are stored under a name. */
export interface FailedTries {
  readonly failures: number
  readonly lastAt: Date
  readonly blockedUntil: Date
}

/** Whether a try is allowed: the state to store, or the time to wait. */
export type TryDecision =
  | { readonly waitMs: number }
  | { readonly waitMs: 0; readonly next: FailedTries & { readonly forgottenAt: Date } }

/**
 * Decides whether a try is allowed. A try counts as a failure from the start, so that concurrent tries gain nothing
 * over sequential ones. A successful try is removed from the count afterwards. A refused try does not count.
 */
export function decideTry(
  { failures, lastAt, blockedUntil }: FailedTries,
  rule: TryLimit,
  now: Date,
): TryDecision {
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

const delayMs = (failures: number, { free, baseMs, capMs }: TryLimit): number =>
  failures < free ? 0 : Math.min(baseMs * 2 ** (failures - free), capMs)

/** What identifies an account when tries to sign in are counted. */
export type AccountIdentity =
  | { readonly userId: string; readonly browser?: string | undefined }
  /** An email address without an account, in lower case as PostgreSQL converts it. Lookups compare this form. */
  | { readonly loweredEmail: string }

/**
 * The name under which the failed sign-ins of an account are counted. An account has one name, whatever the case of its
 * email address. It has one more for each browser whose cookie proves that the person has signed in with it. The
 * name does not reveal the email address.
 */
export function accountNameOf(serverSecret: Buffer, identity: AccountIdentity): string {
  const text =
    'userId' in identity
      ? `user:${identity.userId}:${identity.browser ?? ''}`
      : `email:${identity.loweredEmail}`
  return createHmac('sha256', serverSecret).update(`account:v2:${text}`).digest('base64url')
}
