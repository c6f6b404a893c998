import {
  configurationUrlOf,
  issuerCacheMs,
  issuerDocumentBytesMax,
  issuerFailureCacheMs,
  issuerReadAgainMs,
  issuerReadTimeoutMs,
  knowsKeyId,
  type UnverifiedToken,
} from '@hosting/core/workloads'
import type { JsonReader } from '@hosting/process'
import { LRUCache } from 'lru-cache'

/** The published keys of an issuer (RFC 7517, section 5). */
export interface KeySet {
  readonly keys: { readonly kid?: string; readonly kty?: string }[]
}

/** Who needs the keys of an issuer, and for what. */
export interface KeyLookup {
  readonly issuer: string
  /** Limits the lookups of names. */
  readonly tenantId: string
  readonly unverified: UnverifiedToken
}

/** Reads the keys of issuers, and caches them. */
export interface IssuerKeys {
  /** @throws IssuerUnreachable if they cannot be read. */
  get(lookup: KeyLookup): Promise<KeySet>
}

/** The documents of an issuer cannot be read, or are invalid. */
export class IssuerUnreachable extends Error {}

interface CachedKeys {
  readonly keys: Promise<KeySet>
  /** From then on they are read again. */
  cachedUntil: number
  /** When the issuer was last asked again because of an unknown key id. */
  askedAgainAt: number
  /** What the issuer returned then. */
  askedAgain?: Promise<KeySet>
}

const issuersMax = 1_000

/**
 * Creates the cache of this process (docs/specification/workload-keys.md#issuers). Concurrent lookups share a read.
 *
 * @param options - `onRead`: called after each read, with the error of a failed one. `now`: a clock that never jumps,
 *   in ms since an arbitrary start.
 */
export function createIssuerKeys(
  reader: JsonReader,
  {
    onRead,
    now = () => performance.now(),
  }: { onRead: (issuer: string, error?: IssuerUnreachable) => void; now?: () => number },
): IssuerKeys {
  const cache = new LRUCache<string, CachedKeys>({ max: issuersMax })

  function read(lookup: KeyLookup, askedAgainAt: number): CachedKeys {
    const keys = readKeys(reader, lookup)
    const started: CachedKeys = { keys, cachedUntil: now() + issuerCacheMs, askedAgainAt }
    keys.then(
      () => onRead(lookup.issuer),
      (error: IssuerUnreachable) => {
        started.cachedUntil = now() + issuerFailureCacheMs
        onRead(lookup.issuer, error)
      },
    )
    return started
  }

  function current(lookup: KeyLookup): CachedKeys {
    const cached = cache.get(lookup.issuer)
    if (cached && now() < cached.cachedUntil) return cached
    const started = read(lookup, cached?.askedAgainAt ?? -Infinity)
    cache.set(lookup.issuer, started)
    return started
  }

  /** Keeps the known keys if the issuer cannot be read now. */
  async function askAgain(lookup: KeyLookup, cached: CachedKeys): Promise<KeySet> {
    cached.askedAgainAt = now()
    const started = read(lookup, cached.askedAgainAt)
    cached.askedAgain = started.keys
    const keys = await started.keys
    cache.set(lookup.issuer, started)
    return keys
  }

  return {
    async get(lookup) {
      const cached = current(lookup)
      const keys = await cached.keys
      if (knowsKeyId(lookup.unverified, keys)) return keys
      const isRecent = now() - cached.askedAgainAt < issuerReadAgainMs
      return isRecent ? (cached.askedAgain ?? keys) : askAgain(lookup, cached)
    },
  }
}

/** Reads both documents of an issuer (OpenID Connect Discovery 1.0, section 4). @throws IssuerUnreachable */
async function readKeys(reader: JsonReader, { issuer, tenantId }: KeyLookup): Promise<KeySet> {
  const signal = AbortSignal.timeout(issuerReadTimeoutMs)
  const request = { tenantId, bytesMax: issuerDocumentBytesMax, signal }
  try {
    const configuration = await reader.read(configurationUrlOf(issuer), request)
    return toKeySet(await reader.read(toKeysUrl(configuration, issuer), request))
  } catch (error) {
    throw new IssuerUnreachable(`The issuer ${issuer} cannot be read.`, { cause: error })
  }
}

function toKeysUrl(configuration: unknown, issuer: string): string {
  const { issuer: named, jwks_uri: url } = (configuration ?? {}) as Record<string, unknown>
  if (named !== issuer) throw new Error('the configuration names another issuer')
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) throw new Error('jwks_uri is no URL')
  return url
}

function toKeySet(document: unknown): KeySet {
  const { keys } = (document ?? {}) as { keys?: unknown }
  const isKey = (key: unknown): boolean => typeof key === 'object' && key !== null
  if (!Array.isArray(keys) || !keys.every(isKey)) throw new Error('the key set is invalid')
  return { keys: keys as KeySet['keys'] }
}
