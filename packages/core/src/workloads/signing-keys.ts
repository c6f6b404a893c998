import type { UnverifiedToken } from './identity-token.ts'
import { issuerKeysMax, keyIdLengthMax, keysTriedMax } from './limits.ts'

/** A published key of an issuer (RFC 7517, section 4), with the members that a signature is verified with. */
export interface IssuerKey {
  readonly kty: string
  readonly kid?: string
  readonly alg?: string
  readonly crv?: string
  readonly n?: string
  readonly e?: string
  readonly x?: string
  readonly y?: string
}

/** What a key must have for a signature algorithm. */
interface KeyShape {
  readonly kty: string
  readonly crv?: string
  /** Members with the longest text of each, in base64url. */
  readonly members: Readonly<Record<string, number>>
  /** The algorithms that the key may name. */
  readonly named: readonly string[]
}

/** A modulus has at most 8,192 bits, and an exponent 64: others only cost time. */
const rsa = { kty: 'RSA', members: { n: 1_366, e: 11 } }
const ed25519 = {
  kty: 'OKP',
  crv: 'Ed25519',
  members: { x: 43 },
  named: ['EdDSA', 'Ed25519'],
}

/** The signature algorithms of identity tokens (RFC 7518, RFC 8037, RFC 9864). None is symmetric. */
const algorithms: ReadonlyMap<unknown, KeyShape> = new Map<unknown, KeyShape>([
  ['RS256', { ...rsa, named: ['RS256'] }],
  ['PS256', { ...rsa, named: ['PS256'] }],
  ['ES256', { kty: 'EC', crv: 'P-256', members: { x: 43, y: 43 }, named: ['ES256'] }],
  ['ES384', { kty: 'EC', crv: 'P-384', members: { x: 64, y: 64 }, named: ['ES384'] }],
  ['EdDSA', ed25519],
  ['Ed25519', ed25519],
])

const shapes = [...algorithms.values()]

/**
 * Reads the keys of a key set (RFC 7517, section 5) that can sign identity tokens, at most {@link issuerKeysMax}. Others,
 * and all members that verify nothing, such as certificates, are left out.
 *
 * @returns `undefined` if it is no key set.
 */
export function readSigningKeys(document: unknown): readonly IssuerKey[] | undefined {
  const { keys } = (document ?? {}) as { keys?: unknown }
  const isObject = (key: unknown) => typeof key === 'object' && key !== null && !Array.isArray(key)
  if (!Array.isArray(keys) || !keys.every(isObject)) return undefined
  const found: IssuerKey[] = []
  for (const key of keys as Record<string, unknown>[]) {
    if (found.length === issuerKeysMax) break
    const usable = toSigningKey(key)
    if (usable) found.push(usable)
  }
  return found
}

function toSigningKey(key: Record<string, unknown>): IssuerKey | undefined {
  const { kty, crv, kid, alg, use, key_ops: operations } = key
  if (use !== undefined && use !== 'sig') return undefined
  if (Array.isArray(operations) && !operations.includes('verify')) return undefined
  if (kid !== undefined && !isKeyId(kid)) return undefined
  const shape = shapes.find(
    (each) =>
      each.kty === kty &&
      each.crv === (kty === 'RSA' ? undefined : crv) &&
      (alg === undefined || each.named.includes(alg as string)),
  )
  if (!shape) return undefined
  const members = Object.entries(shape.members)
  if (!members.every(([name, lengthMax]) => isBase64url(key[name], lengthMax))) return undefined
  return {
    kty: shape.kty,
    ...(shape.crv && { crv: shape.crv }),
    ...(kid !== undefined && { kid }),
    ...(alg !== undefined && { alg: alg as string }),
    ...Object.fromEntries(members.map(([name]) => [name, key[name]])),
  }
}

const isKeyId = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= keyIdLengthMax

const isBase64url = (value: unknown, lengthMax: number): boolean =>
  typeof value === 'string' && value.length <= lengthMax && /^[\w-]+$/.test(value)

/** About how much memory keys take, in bytes. Ids may have characters of two bytes. */
export const bytesOfKeys = (keys: readonly IssuerKey[]): number =>
  keys.reduce((sum, key) => sum + bytesPerKey + 2 * Object.values(key).join('').length, 0)

const bytesPerKey = 400

/**
 * Whether some key could have signed a token with this header: its algorithm is known, its key id is a text, and it has no
 * critical headers (RFC 7515, section 4.1.11), of which none is supported.
 */
export const hasUsableHeader = ({ header }: UnverifiedToken): boolean =>
  algorithms.has(header['alg']) &&
  (header['kid'] === undefined || isKeyId(header['kid'])) &&
  !Object.hasOwn(header, 'crit')

/** The keys that fit the header of a token, of which at most {@link keysTriedMax} are tried. */
export function findFittingKeys(
  { header: { alg, kid } }: UnverifiedToken,
  keys: readonly IssuerKey[],
): readonly IssuerKey[] {
  const shape = algorithms.get(alg)
  if (!shape) return []
  return keys
    .filter(
      (key) =>
        key.kty === shape.kty &&
        key.crv === shape.crv &&
        (key.alg === undefined || shape.named.includes(key.alg)) &&
        (kid === undefined || key.kid === kid),
    )
    .slice(0, keysTriedMax)
}

/**
 * Whether the keys contain the key id of a token. If not, the issuer may have new keys.
 *
 * @returns true for a token without a key id.
 */
export const knowsKeyId = (
  { header: { kid } }: UnverifiedToken,
  keys: readonly IssuerKey[],
): boolean => kid === undefined || keys.some((key) => key.kid === kid)
