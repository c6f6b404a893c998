import {
  bytesOfKeys,
  failedIssuerReadLimit,
  issuerCacheBytes,
  issuerCacheMs,
  issuerFailureCacheMs,
  issuerFailureCacheMsMax,
  issuerKeysKeptMs,
  issuerReadAgainMs,
  issuerReadTurns,
  knowsKeyId,
  type IssuerKey,
  type UnverifiedToken,
  configurationUrlOf,
  issuerDocumentBytesMax,
  issuerReadTimeoutMs,
  readSigningKeys,
} from '@hosting/core/workloads'
import { createTurns } from '@hosting/core/concurrency'
import { tlsFailureOf, type JsonReader } from '@hosting/process'
import { createIssuerCache, type IssuerCache } from './issuer-cache.ts'

/**
 * Reads both documents of an issuer (OpenID Connect Discovery 1.0, section 4). Its lookups of names are limited by the
 * host, so no other issuer and no organization delays them.
 *
 * @throws Error if they cannot be read, or are invalid.
 */
async function readIssuer(reader: JsonReader, issuer: string): Promise<readonly IssuerKey[]> {
  const signal = AbortSignal.timeout(issuerReadTimeoutMs)
  const read = (url: string) =>
    reader.read(url, {
      lookupsOf: new URL(url).hostname,
      bytesMax: issuerDocumentBytesMax,
      signal,
    })
  const keys = readSigningKeys(
    await read(toKeysUrl(await read(configurationUrlOf(issuer)), issuer)),
  )
  if (!keys) throw new Error('the key set is invalid')
  return keys
}

function toKeysUrl(configuration: unknown, issuer: string): string {
  const { issuer: named, jwks_uri: url } = (configuration ?? {}) as Record<string, unknown>
  if (named !== issuer) throw new Error('the configuration names another issuer')
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) throw new Error('jwks_uri is no URL')
  return url
}

/** Limits failures of each organization: see {@link createFailureLimit}. */
interface FailureLimit {
  isReached(tenantId: string): boolean
  count(tenantId: string): void
}

/** Organizations whose failures are counted. The one that failed longest ago is forgotten first. */
const tenantsMax = 10_000

/** Counts the failures of each organization in this process. `now`: a clock that never jumps, in ms. */
function createFailureLimit(
  { max, windowMs }: { max: number; windowMs: number },
  now: () => number,
): FailureLimit {
  const times = new Map<string, number[]>()
  const recent = (tenantId: string): number[] =>
    (times.get(tenantId) ?? []).filter((at) => now() - at < windowMs)
  return {
    isReached: (tenantId) => recent(tenantId).length >= max,
    count(tenantId) {
      const counted = [...recent(tenantId), now()].slice(-max)
      times.delete(tenantId)
      times.set(tenantId, counted)
      if (times.size > tenantsMax) times.delete(times.keys().next().value!)
    },
  }
}

/** Who needs the keys of an issuer, and for what. */
export interface KeyLookup {
  readonly issuer: string
  /** The organization of the workload key. Its share of the memory and of the reads is limited. */
  readonly tenantId: string
  readonly unverified: UnverifiedToken
}

/** Reads the keys of issuers, and caches them. */
export interface IssuerKeys {
  /** @throws IssuerUnreachable if they cannot be read. */
  get(lookup: KeyLookup): Promise<readonly IssuerKey[]>
}

/** The documents of an issuer cannot be read, or are invalid. */
export class IssuerUnreachable extends Error {
  /** After which time the issuer is read again, in ms. */
  readonly retryInMs: number

  constructor(issuer: string, { retryInMs, cause }: { retryInMs: number; cause?: unknown }) {
    super(
      `The issuer ${issuer} cannot be read${cause === undefined ? '' : `: ${reasonOf(cause)}`}.`,
      { cause },
    )
    this.retryInMs = retryInMs
  }
}

/** Why a read failed, in words. */
const reasonOf = (cause: unknown): string =>
  tlsFailureOf(cause) ?? (cause instanceof Error ? cause.message : 'unknown reason')

/** What is known of an issuer. Times are those of a clock that never jumps, in ms. */
interface IssuerState {
  /** Of the last successful read. */
  keys?: readonly IssuerKey[]
  keysReadAt: number
  /** The reads that failed since then. */
  failures: number
  failure?: unknown
  /** From then on it is read again. */
  cachedUntil: number
  /** When it was last asked again because of an unknown key id. */
  askedAgainAt: number
  reading?: Promise<void> | undefined
}

interface IssuerKeysOptions {
  readonly onRead: (issuer: string, error?: IssuerUnreachable) => void
  readonly now?: () => number
}

/**
 * Creates the cache of this process (docs/specification/workload-keys.md#issuers). Concurrent lookups share a read. A read
 * belongs to no organization: what it needs is limited by its host. Whether an organization may start one is limited, and
 * affects only the organization itself.
 *
 * @param options - `onRead`: called after each read, with the error of a failed one. `now`: a clock that never jumps,
 *   in ms since an arbitrary start.
 */
export const createIssuerKeys = (reader: JsonReader, options: IssuerKeysOptions): IssuerKeys =>
  new CachedIssuerKeys(reader, options)

const never = -Infinity

class CachedIssuerKeys implements IssuerKeys {
  readonly #reader: JsonReader
  readonly #onRead: IssuerKeysOptions['onRead']
  readonly #now: () => number
  readonly #turns = createTurns(issuerReadTurns)
  readonly #failures: ReturnType<typeof createFailureLimit>
  readonly #cache: IssuerCache<IssuerState>

  constructor(reader: JsonReader, { onRead, now = () => performance.now() }: IssuerKeysOptions) {
    this.#reader = reader
    this.#onRead = onRead
    this.#now = now
    this.#failures = createFailureLimit(failedIssuerReadLimit, now)
    this.#cache = createIssuerCache<IssuerState>(
      () => ({ keysReadAt: never, failures: 0, cachedUntil: never, askedAgainAt: never }),
      { ...issuerCacheBytes, keptMs: issuerKeysKeptMs, now },
    )
  }

  async get(lookup: KeyLookup): Promise<readonly IssuerKey[]> {
    const { issuer, tenantId, unverified } = lookup
    const state = this.#cache.use(tenantId, issuer)
    if (this.#now() >= state.cachedUntil) await this.#join(lookup, state, false)
    const keys = this.#lastKeys(issuer, state)
    if (knowsKeyId(unverified, keys)) return keys
    await this.#askAgain(lookup, state)
    // The new key may be among those that cannot be read now.
    if (state.failures > 0 && !knowsKeyId(unverified, state.keys!)) {
      throw this.#unreachable(issuer, state)
    }
    return this.#lastKeys(issuer, state)
  }

  #unreachable(issuer: string, { cachedUntil, failure }: IssuerState): IssuerUnreachable {
    return new IssuerUnreachable(issuer, {
      retryInMs: Math.max(cachedUntil - this.#now(), issuerFailureCacheMs),
      cause: failure,
    })
  }

  async #read({ issuer, tenantId }: KeyLookup, state: IssuerState): Promise<void> {
    try {
      const keys = await readIssuer(this.#reader, issuer)
      Object.assign(state, { keys, keysReadAt: this.#now(), failures: 0, failure: undefined })
      state.cachedUntil = this.#now() + issuerCacheMs
      this.#cache.resize(issuer, state, bytesOfKeys(keys))
      this.#onRead(issuer)
    } catch (error) {
      this.#failures.count(tenantId)
      const cachedMs = Math.min(issuerFailureCacheMs * 2 ** state.failures, issuerFailureCacheMsMax)
      state.failures += 1
      state.failure = error
      state.cachedUntil = this.#now() + cachedMs
      this.#onRead(issuer, this.#unreachable(issuer, state))
    } finally {
      state.reading = undefined
    }
  }

  /**
   * Joins the read that runs, or starts one. Nobody waits for the turn of another organization.
   *
   * @param isAgain - whether the reason is an unknown key id.
   */
  async #join(lookup: KeyLookup, state: IssuerState, isAgain: boolean): Promise<void> {
    if (state.reading) return state.reading
    const seen = state.cachedUntil
    if (this.#failures.isReached(lookup.tenantId)) return undefined
    const end = await this.#turns.take(lookup.tenantId)
    if (!end) return undefined
    try {
      // Another lookup may have read it during the wait.
      if (!state.reading && state.cachedUntil === seen) {
        if (isAgain) state.askedAgainAt = this.#now()
        state.reading = this.#read(lookup, state)
      }
      return await state.reading
    } finally {
      end()
    }
  }

  /** The keys of the last successful read, which are used for a while if the issuer cannot be read. */
  #lastKeys(issuer: string, state: IssuerState): readonly IssuerKey[] {
    if (state.keys && this.#now() - state.keysReadAt < issuerKeysKeptMs) return state.keys
    throw this.#unreachable(issuer, state)
  }

  /** Asks again for an unknown key id, unless it was asked a moment ago. */
  async #askAgain(lookup: KeyLookup, state: IssuerState): Promise<void> {
    if (state.reading) return state.reading
    const isRecent = this.#now() - state.askedAgainAt < issuerReadAgainMs
    const hasFailed = state.failures > 0 && this.#now() < state.cachedUntil
    if (isRecent || hasFailed) return undefined
    return this.#join(lookup, state, true)
  }
}
