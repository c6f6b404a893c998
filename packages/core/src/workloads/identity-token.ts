import { NumberClaim } from './claim-path.ts'
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
  /** All claims, with a {@link NumberClaim} for each number. */
  readonly all: unknown
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
  const [headerPart, payloadPart] = parts as [string, string, string]
  const header = parseObject(headerPart)
  const payload = parseObject(payloadPart)
  if (!header || !payload) return undefined
  return {
    signedContent: `${headerPart}.${payloadPart}`,
    header,
    claims: toClaims(payload),
  }
}

/** The reviver of JSON.parse gets the source of each primitive value, which the types do not know yet. */
type ParseWithSources = (
  text: string,
  reviver: (name: string, value: unknown, context: { source?: string }) => unknown,
) => unknown

/** Parses a part of a token. The object has members such as `__proto__` as its own. */
function parseObject(part: string): Record<string, unknown> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'))
    const parsed = (JSON.parse as ParseWithSources)(text, (_name, value, { source }) =>
      typeof value === 'number' ? new NumberClaim(source!) : value,
    )
    const isObject = typeof parsed === 'object' && parsed !== null
    if (!isObject || Array.isArray(parsed) || parsed instanceof NumberClaim) return undefined
    return parsed as Record<string, unknown>
  } catch {
    return undefined
  }
}

function toClaims(members: Record<string, unknown>): Claims {
  const valueOf = (name: string): unknown =>
    Object.hasOwn(members, name) ? members[name] : undefined
  return {
    issuer: textOf(valueOf('iss')),
    subject: textOf(valueOf('sub')) || undefined,
    audience: onlyTextOf(valueOf('aud')),
    expiresAt: secondsOf(valueOf('exp')),
    issuedAt: secondsOf(valueOf('iat')),
    notBefore: secondsOf(valueOf('nbf')),
    all: members,
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

const onlyTextOf = (value: unknown): string | undefined =>
  Array.isArray(value) ? (value.length === 1 ? textOf(value[0]) : undefined) : textOf(value)

/** NaN: the member is present, but is no number. */
const secondsOf = (value: unknown): number | undefined =>
  value === undefined ? undefined : value instanceof NumberClaim ? Number(value.text) : NaN

/** What is wrong with the times of a token. */
export type TimeFault = 'time' | 'lifetime'

/**
 * Checks the times of a token (docs/specification/workload-keys.md#identity-tokens).
 *
 * @param nowSeconds - the time in seconds since the epoch.
 * @returns `time` if one is missing or not valid now, `lifetime` if the token is valid for too long.
 */
export function checkTimes(
  { expiresAt = NaN, issuedAt = NaN, notBefore = 0 }: Claims,
  nowSeconds: number,
): TimeFault | undefined {
  const isValid =
    expiresAt > nowSeconds - tolerance &&
    issuedAt <= nowSeconds + tolerance &&
    notBefore <= nowSeconds + tolerance
  if (!isValid) return 'time'
  return expiresAt - issuedAt <= identityTokenLifetimeSecondsMax ? undefined : 'lifetime'
}
