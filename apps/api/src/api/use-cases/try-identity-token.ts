import { currentTimeMs } from '@hosting/core/clock'
import {
  checkIdentityToken,
  fingerprintOf,
  readIdentityToken,
  workloadAudienceOf,
  type TokenChecks,
} from '@hosting/core/workloads'
import { findWorkloadKey, isIdentityTokenUsed, type WorkloadKey } from '@hosting/postgres/api-keys'
import type { Needs } from '../services.ts'
import { IssuerUnreachable, type KeyLookup } from '../issuers/issuer-keys.ts'

/** What an exchange of an identity token would check, each by itself. */
export interface TokenTrial extends Omit<TokenChecks, 'signature' | 'subject'> {
  readonly isAccepted: boolean
  /** Whether the key is valid now. */
  readonly key: boolean
  readonly audience: boolean
  /** `unread`: the issuer of the key could not be read. */
  readonly signature: boolean | 'unread'
  /** Whether the token was not exchanged before, or may be exchanged again. */
  readonly unused: boolean
  readonly subject: string | undefined
}

/**
 * Tries an identity token for a workload key without exchanging it. Uses up nothing and writes no audit entry. It may
 * read the issuer's keys.
 *
 * @returns `undefined` if the text is no identity token, or the key no workload key.
 */
export async function tryIdentityToken(
  services: Needs<'config' | 'database' | 'issuerKeys'>,
  keyId: string,
  token: string,
): Promise<TokenTrial | undefined> {
  const { prisma } = services.database
  const unverified = readIdentityToken(token)
  const key = await findWorkloadKey(prisma, keyId)
  if (!unverified || !key) return undefined
  const keys = await readKeys(services, { ...key, unverified })
  const read = { token, unverified }
  const checks = await checkIdentityToken(read, key, { keys, nowSeconds: currentTimeMs() / 1_000 })
  const trial = {
    ...checks,
    key: key.usable,
    audience: unverified.claims.audience === audienceOf(services, key),
    signature: keys ? checks.signature : ('unread' as const),
    unused: !key.singleUse || !(await isIdentityTokenUsed(prisma, fingerprintOf(unverified))),
  }
  const { issuer, signature, subject: hasSubject, timeFault, audience, unused } = trial
  const isInTime = timeFault === undefined
  const others = [trial.key, issuer, signature === true, hasSubject, isInTime, audience, unused]
  const isAccepted = others.every(Boolean) && checks.conditions.every(({ isMet }) => isMet)
  return { ...trial, isAccepted, subject: unverified.claims.subject }
}

const audienceOf = ({ config }: Needs<'config'>, { id, audience }: WorkloadKey): string =>
  workloadAudienceOf(config, { id, chosen: audience })

/** The keys of the issuer of the workload key, whatever issuer the token names. */
async function readKeys({ issuerKeys }: Needs<'issuerKeys'>, lookup: KeyLookup) {
  try {
    return await issuerKeys.get(lookup)
  } catch (error) {
    if (error instanceof IssuerUnreachable) return undefined
    throw error
  }
}
