import { compactVerify, importJWK } from 'jose'
import { createHash } from 'node:crypto'
import { compareConditions, type CheckedCondition, type WorkloadConditions } from './conditions.ts'
import { checkTimes, type TimeFault, type UnverifiedToken } from './identity-token.ts'
import { findFittingKeys, hasUsableHeader, type IssuerKey } from './signing-keys.ts'

/** What a workload key expects of an identity token. */
export interface ExpectedToken {
  readonly issuer: string
  readonly conditions: WorkloadConditions
}

/** Why an identity token is refused. `claim` is the first one whose condition it does not meet. */
export type RefusedToken =
  | { readonly cause: 'issuer' | 'signature' | 'subject' | TimeFault }
  | { readonly cause: 'conditions'; readonly claim: string }

/** An identity token that meets every expectation. */
export interface VerifiedToken {
  readonly cause?: undefined
  readonly subject: string
  /** When it expires, in seconds since the epoch. A replay is possible until then and the tolerance. */
  readonly expiresAt: number
  /** SHA-256 of what its signature covers, which is the same for every encoding of the signature. */
  readonly fingerprint: Uint8Array
  /** The claims that the conditions name. */
  readonly conditions: readonly CheckedCondition[]
}

/**
 * Why a token is refused whatever the keys of its issuer are. Checked before the issuer is read: such a token causes no
 * request to it.
 *
 * @param nowSeconds - the time in seconds since the epoch.
 */
export function findFaultBeforeKeys(
  unverified: UnverifiedToken,
  { issuer }: Pick<ExpectedToken, 'issuer'>,
  nowSeconds: number,
): Exclude<RefusedToken['cause'], 'conditions'> | undefined {
  const { claims } = unverified
  if (claims.issuer !== issuer) return 'issuer'
  if (!hasUsableHeader(unverified)) return 'signature'
  return claims.subject === undefined ? 'subject' : checkTimes(claims, nowSeconds)
}

/**
 * Verifies an identity token for a workload key (docs/specification/workload-keys.md#identity-tokens). Its audience
 * has led to the key, and {@link findFaultBeforeKeys} has found no fault.
 *
 * @param token - the whole token, and what {@link readIdentityToken} read of it.
 * @param keys - the keys of the issuer.
 */
export async function verifyIdentityToken(
  read: { token: string; unverified: UnverifiedToken },
  expected: ExpectedToken,
  keys: readonly IssuerKey[],
): Promise<VerifiedToken | RefusedToken> {
  const { claims } = read.unverified
  if (!(await isSigned(read, keys))) return { cause: 'signature' }
  const conditions = compareConditions(expected.conditions, claims)
  const unmet = conditions.find(({ isMet }) => !isMet)
  if (unmet) return { cause: 'conditions', claim: unmet.claim }
  const fingerprint = fingerprintOf(read.unverified)
  return { subject: claims.subject!, expiresAt: claims.expiresAt!, fingerprint, conditions }
}

/** What a token for a workload key is checked for, each by itself. */
export interface TokenChecks {
  readonly issuer: boolean
  readonly signature: boolean
  readonly subject: boolean
  /** What is wrong with the times. */
  readonly timeFault: TimeFault | undefined
  readonly conditions: readonly CheckedCondition[]
}

/**
 * Checks everything that {@link findFaultBeforeKeys} and {@link verifyIdentityToken} check, also what follows a failed
 * check. The token is verified if every check succeeds.
 *
 * @param keys - the keys of the issuer. `undefined`: it was not read.
 * @param nowSeconds - the time in seconds since the epoch.
 */
export const checkIdentityToken = async (
  read: { token: string; unverified: UnverifiedToken },
  expected: ExpectedToken,
  { keys, nowSeconds }: { keys: readonly IssuerKey[] | undefined; nowSeconds: number },
): Promise<TokenChecks> => {
  const { claims } = read.unverified
  return {
    issuer: claims.issuer === expected.issuer,
    signature: keys !== undefined && (await isSigned(read, keys)),
    subject: claims.subject !== undefined,
    timeFault: checkTimes(claims, nowSeconds),
    conditions: compareConditions(expected.conditions, claims),
  }
}

/** Identifies what the signature of a token covers. */
export const fingerprintOf = ({ signedContent }: UnverifiedToken): Uint8Array =>
  createHash('sha256').update(signedContent).digest()

async function isSigned(
  { token, unverified }: { token: string; unverified: UnverifiedToken },
  keys: readonly IssuerKey[],
): Promise<boolean> {
  if (!hasUsableHeader(unverified)) return false
  for (const key of findFittingKeys(unverified, keys)) {
    if (await isSignedWith(token, unverified.header['alg'] as string, key)) return true
  }
  return false
}

/** jose throws for every token and key that it does not accept. */
async function isSignedWith(token: string, alg: string, jwk: IssuerKey): Promise<boolean> {
  try {
    const { alg: _named, ...members } = jwk
    await compactVerify(token, await importJWK(members, alg), { algorithms: [alg] })
    return true
  } catch {
    return false
  }
}
