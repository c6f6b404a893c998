import {
  identityTokenLifetimeSecondsMax,
  identityTokenToleranceSeconds as tolerance,
} from './limits.ts'

/** The claims of an identity token. */
export interface Claims {
  readonly issuer: string | undefined
  readonly subject: string | undefined
  /** The only audience. `undefined`: it names none, or several. */
  readonly audience: string | undefined
  /** Each in seconds since the epoch. */
  readonly expiresAt: number | undefined
  readonly issuedAt: number | undefined
  readonly notBefore: number | undefined
  /** Strings, and the JSON text of numbers and booleans, by the name of their claim. */
  readonly texts: ReadonlyMap<string, string>
}

/** An identity token before its signature is verified. */
export interface UnverifiedToken {
  /** What its signature covers. */
  readonly signedContent: string
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Claims
}

/** The longest token that is read, in characters. The body of the request is limited to 16 KiB. */
const tokenLengthMax = 16_384

/**
 * Reads an identity token (RFC 7519) without verifying it.
 *
 * @returns `undefined` if it is not a JWT in the compact form (RFC 7515, section 7.1).
 */
export function readIdentityToken(token: string): UnverifiedToken | undefined {
  if (token.length > tokenLengthMax) return undefined
  const parts = token.split('.')
  if (parts.length !== 3 || !parts.every((part) => /^[\w-]+$/.test(part))) return undefined
  const [header, payload] = parts as [string, string, string]
  const headerMembers = parseObject(header)
  const members = parseObject(payload)
  if (!headerMembers || !members) return undefined
  return {
    signedContent: `${header}.${payload}`,
    header: Object.fromEntries([...headerMembers].map(([name, { value }]) => [name, value])),
    claims: toClaims(members),
  }
}

/** A member of a JSON object with its source text, if it is a string, number, boolean or null. */
interface Member {
  readonly value: unknown
  readonly source: string | undefined
}

/** The reviver of JSON.parse gets the source of each primitive value, which the types do not know yet. */
type ParseWithSources = (
  text: string,
  reviver: (this: object, name: string, value: unknown, context: { source?: string }) => unknown,
) => unknown

/** Parses a part of a token. A Map keeps members with names such as `__proto__`. */
function parseObject(part: string): ReadonlyMap<string, Member> | undefined {
  const sources = new Map<object, Map<string, string>>()
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'))
    const parsed = (JSON.parse as ParseWithSources)(text, function (name, value, { source }) {
      if (source !== undefined) {
        if (!sources.has(this)) sources.set(this, new Map())
        sources.get(this)!.set(name, source)
      }
      return value
    })
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined
    const own = sources.get(parsed)
    return new Map(
      Object.entries(parsed).map(([name, value]) => [name, { value, source: own?.get(name) }]),
    )
  } catch {
    return undefined
  }
}

function toClaims(members: ReadonlyMap<string, Member>): Claims {
  const valueOf = (name: string): unknown => members.get(name)?.value
  return {
    issuer: textOf(valueOf('iss')),
    subject: textOf(valueOf('sub')) || undefined,
    audience: onlyTextOf(valueOf('aud')),
    expiresAt: secondsOf(valueOf('exp')),
    issuedAt: secondsOf(valueOf('iat')),
    notBefore: secondsOf(valueOf('nbf')),
    texts: new Map([...members].flatMap(([name, member]) => textEntryOf(name, member))),
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

const onlyTextOf = (value: unknown): string | undefined =>
  Array.isArray(value) ? (value.length === 1 ? textOf(value[0]) : undefined) : textOf(value)

/** NaN: the member is present, but is no number. */
const secondsOf = (value: unknown): number | undefined =>
  value === undefined ? undefined : typeof value === 'number' ? value : NaN

/** Numbers keep their source text: ids may be longer than a number of JavaScript is exact. */
function textEntryOf(name: string, { value, source }: Member): [string, string][] {
  if (typeof value === 'string') return [[name, value]]
  if (typeof value === 'number' || typeof value === 'boolean') return [[name, source!]]
  return []
}

/**
 * Whether the times of a token are valid (docs/specification/workload-keys.md#identity-tokens).
 *
 * @param nowSeconds - the time in seconds since the epoch.
 */
export function hasValidTimes(
  { expiresAt, issuedAt, notBefore = 0 }: Claims,
  nowSeconds: number,
): boolean {
  if (expiresAt === undefined || issuedAt === undefined) return false
  return (
    expiresAt > nowSeconds - tolerance &&
    issuedAt <= nowSeconds + tolerance &&
    notBefore <= nowSeconds + tolerance &&
    expiresAt - issuedAt <= identityTokenLifetimeSecondsMax
  )
}
