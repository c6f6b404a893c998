import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { createHash } from 'node:crypto'
import { compareConditions, type CheckedCondition, type WorkloadConditions } from './conditions.ts'
import { hasValidTimes, type UnverifiedToken } from './identity-token.ts'

/** What a workload key expects of an identity token. */
export interface ExpectedToken {
  readonly issuer: string
  readonly conditions: WorkloadConditions
}

/** Why an identity token is refused. `claim` is the first one whose condition it does not meet. */
export type RefusedToken =
  | { readonly cause: 'issuer' | 'signature' | 'time' }
  | { readonly cause: 'conditions'; readonly claim: string }

/** An identity token that meets every expectation. */
export interface VerifiedToken {
  readonly cause?: undefined
  readonly subject: string
  /** When it expires, in seconds since the epoch. A replay is possible until then and the tolerance. */
  readonly expiresAt: number
  /** SHA-256 of what its signature covers, which is the same for every encoding of the signature. */
  readonly fingerprint: Uint8Array
}

/** The signature algorithms of identity tokens (RFC 7518, RFC 8037). None is symmetric. */
const algorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA']

/** Whether a token names the issuer. Checked before the issuer is read: a foreign token causes no request to it. */
export const namesIssuer = ({ claims }: UnverifiedToken, issuer: string): boolean =>
  claims.issuer === issuer

/**
 * Verifies an identity token for a workload key (docs/specification/workload-keys.md#identity-tokens). Its audience
 * has led to the key.
 *
 * @param token - the whole token, and what {@link readIdentityToken} read of it.
 * @param keys - the keys of the issuer.
 * @param nowSeconds - the time in seconds since the epoch.
 */
export async function verifyIdentityToken(
  { token, unverified }: { token: string; unverified: UnverifiedToken },
  expected: ExpectedToken,
  { keys, nowSeconds }: { keys: JSONWebKeySet; nowSeconds: number },
): Promise<VerifiedToken | RefusedToken> {
  const { claims } = unverified
  if (!namesIssuer(unverified, expected.issuer)) return { cause: 'issuer' }
  if (!(await isSigned({ token, unverified }, keys))) return { cause: 'signature' }
  const { subject, expiresAt } = claims
  if (subject === undefined || !hasValidTimes(claims, nowSeconds)) return { cause: 'time' }
  const unmet = compareConditions(expected.conditions, claims).find(({ isMet }) => !isMet)
  if (unmet) return { cause: 'conditions', claim: unmet.claim }
  return { subject, expiresAt: expiresAt!, fingerprint: fingerprintOf(unverified) }
}

/** What a token for a workload key is checked for, each by itself. */
export interface TokenChecks {
  readonly issuer: boolean
  readonly signature: boolean
  /** The times, and that there is a subject. */
  readonly times: boolean
  readonly conditions: readonly CheckedCondition[]
}

/**
 * Checks everything that {@link verifyIdentityToken} checks, also what follows a failed check. The token is verified if
 * every check succeeds.
 *
 * @param keys - the keys of the issuer. `undefined`: it was not read.
 * @param nowSeconds - the time in seconds since the epoch.
 */
export const checkIdentityToken = async (
  read: { token: string; unverified: UnverifiedToken },
  expected: ExpectedToken,
  { keys, nowSeconds }: { keys: JSONWebKeySet | undefined; nowSeconds: number },
): Promise<TokenChecks> => ({
  issuer: namesIssuer(read.unverified, expected.issuer),
  signature: keys !== undefined && (await isSigned(read, keys)),
  times:
    read.unverified.claims.subject !== undefined &&
    hasValidTimes(read.unverified.claims, nowSeconds),
  conditions: compareConditions(expected.conditions, read.unverified.claims),
})

/** Identifies what the signature of a token covers. */
export const fingerprintOf = ({ signedContent }: UnverifiedToken): Uint8Array =>
  createHash('sha256').update(signedContent).digest()

/** jose throws for every token that it does not accept, also if several keys fit a token without a key id. */
async function isSigned(
  { token, unverified }: { token: string; unverified: UnverifiedToken },
  keys: JSONWebKeySet,
): Promise<boolean> {
  if ('crit' in unverified.header) return false
  try {
    await compactVerify(token, createLocalJWKSet(keys), { algorithms })
    return true
  } catch {
    return false
  }
}

/**
 * Whether the keys contain the key id of a token. If not, the issuer may have new keys.
 *
 * @returns true for a token without a key id.
 */
export const knowsKeyId = ({ header }: UnverifiedToken, { keys }: JSONWebKeySet): boolean =>
  header['kid'] === undefined || keys.some(({ kid }) => kid === header['kid'])
