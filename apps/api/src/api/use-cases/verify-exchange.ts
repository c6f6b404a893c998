import { currentTimeMs } from '@hosting/core/clock'
import { addressGroup } from '@hosting/core/network'
import { tokenExchangeGrant } from '@hosting/core/oauth'
import {
  audienceLengthMax,
  findFaultBeforeKeys,
  issuerLengthMax,
  keyIdOfAudience,
  readIdentityToken,
  refusedExchangeLimit,
  verifyIdentityToken,
  type RefusedToken,
  type UnverifiedToken,
  type VerifiedToken,
} from '@hosting/core/workloads'
import { findKeyOfAudience, findWorkloadKey, type WorkloadKey } from '@hosting/postgres/api-keys'
import { readCallWait } from '@hosting/postgres/rate-limit'
import type { Needs } from '../services.ts'
import { IssuerUnreachable } from '../issuers/issuer-keys.ts'
import { invalidRequest, readMember, requireGrantType } from './oauth-members.ts'

const tokenTypes: ReadonlySet<string> = new Set([
  'urn:ietf:params:oauth:token-type:id_token',
  'urn:ietf:params:oauth:token-type:jwt',
])

/** Why an exchange is refused. No cause: its audience is not that of a key that is valid now, or it came too early. */
export interface RefusedExchange {
  readonly cause?: RefusedToken['cause'] | 'replayed' | 'unreachable' | undefined
  /** How long to wait before another try, in ms. */
  readonly waitMs?: number
}

/** The result of verifying an identity token, before the transaction of the exchange. */
export interface Verification {
  readonly unverified: UnverifiedToken | undefined
  /** The key of its audience, in any state. */
  readonly key: WorkloadKey | undefined
  readonly result: VerifiedToken | RefusedExchange
}

/**
 * Verifies the identity token of a request, which may read its issuer.
 *
 * @throws Problem `invalid_request` or `unsupported_grant_type`.
 */
export async function verifyExchange(
  services: Needs<'config' | 'database' | 'issuerKeys'>,
  body: unknown,
  ip: string,
): Promise<Verification> {
  const token = readRequest(body).trim()
  const { prisma } = services.database
  const waitMs = await readCallWait(prisma, refusedCalls(ip), refusedExchangeLimit)
  const unverified = readIdentityToken(token)
  const key = unverified && (await findKey(services, unverified))
  if (waitMs > 0) return { unverified, key, result: { waitMs } }
  if (!unverified || !key?.usable) return { unverified, key, result: {} }
  return { unverified, key, result: await verify(services, key, { token, unverified }) }
}

/** The refusals that count for an address. */
export const refusedCalls = (ip: string) => ({
  operation: 'auth.token.refused',
  caller: addressGroup(ip),
})

/** Finds the key that a token names by its audience, in any state. */
async function findKey(
  { config, database: { prisma } }: Needs<'config' | 'database'>,
  { claims }: UnverifiedToken,
): Promise<WorkloadKey | undefined> {
  const audience = toSearched(claims.audience, audienceMax)
  if (audience === '') return undefined
  const issuer = toSearched(claims.issuer, issuerLengthMax)
  const named = { audience, issuer, keyId: keyIdOfAudience(config, audience) ?? null }
  const id = await findKeyOfAudience(prisma, named)
  return id === undefined ? undefined : findWorkloadKey(prisma, id)
}

/** An audience that contains the id of a key can be longer than a chosen one. */
const audienceMax = audienceLengthMax + 2_048

/** A claim as PostgreSQL can look it up. Empty: nothing has it. */
const toSearched = (text: string | undefined, lengthMax: number): string =>
  text !== undefined && text.length <= lengthMax && text.isWellFormed() && !text.includes('\0')
    ? text
    : ''

async function verify(
  services: Needs<'issuerKeys'>,
  key: WorkloadKey,
  read: { token: string; unverified: UnverifiedToken },
): Promise<VerifiedToken | RefusedExchange> {
  const { issuer, tenantId } = key
  const { unverified } = read
  const cause = findFaultBeforeKeys(unverified, key, currentTimeMs() / 1_000)
  if (cause) return { cause }
  try {
    const keys = await services.issuerKeys.get({ issuer, tenantId, unverified })
    return await verifyIdentityToken(read, key, keys)
  } catch (error) {
    if (!(error instanceof IssuerUnreachable)) throw error
    return { cause: 'unreachable', waitMs: error.retryInMs }
  }
}

/** Reads the members of a token exchange (RFC 8693, section 2.1). Returns the token. */
function readRequest(body: unknown): string {
  requireGrantType(readMember(body, 'grant_type'), [tokenExchangeGrant])
  const token = readMember(body, 'subject_token')
  if (!tokenTypes.has(readMember(body, 'subject_token_type'))) {
    throw invalidRequest(`\`subject_token_type\` must be ${[...tokenTypes].join(' or ')}.`)
  }
  return token
}
