import { createUuidv7 } from '@hosting/core/ids'
import { conflict, notFound, type Problem, validationFailed } from '@hosting/core/problems'
import { challengeMs, passkeysMax, type ChallengePurpose } from '@hosting/core/sessions'
import {
  createPasskey,
  deletePasskey,
  listPasskeys,
  type NewPasskey,
  type PasskeyRow,
} from '@hosting/postgres/sessions'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { SessionCaller } from '../access/caller.ts'
import type { Needs } from '../services.ts'
import { recordSecurityChange, type RequestContext } from './audit.ts'
import {
  challengeOf,
  getRelyingParty,
  newChallenge,
  toPlainBase64url,
  useChallenge,
  userHandleBytes,
} from './passkey-verification.ts'
import { requireSecondFactorKept } from './security-policy.ts'

/** EdDSA, ES256 and RS256, as COSE algorithm identifiers (RFC 9053). */
const algorithms = [-8, -7, -257]

/**
 * The options with which a browser creates a passkey of the caller.
 *
 * @throws Problem `conflict` if the service has no relying party, or the caller has the maximum of passkeys.
 */
export async function passkeyCreationOptions(
  services: Needs<'config' | 'database' | 'serverSecrets'>,
  { user }: Pick<SessionCaller, 'user'>,
) {
  const { id } = getRelyingParty(services)
  const existing = await listPasskeys(services.database.prisma, user.id)
  if (existing.length >= passkeysMax) throw tooMany()
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  return generateRegistrationOptions({
    rpID: id,
    rpName: services.config.brandName,
    userName: user.email ?? user.name,
    userDisplayName: user.name,
    userID: Uint8Array.from(userHandleBytes(user.id)),
    challenge: newChallenge(services, purposeOf(user)),
    timeout: challengeMs,
    attestationType: 'none',
    excludeCredentials: existing.map(({ credentialId, transports }) => ({
      id: Buffer.from(credentialId).toString('base64url'),
      transports,
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  })
}

/** A verified credential that is not stored yet. */
export type VerifiedCredential = Omit<NewPasskey, 'id' | 'userId' | 'name'>

/**
 * Verifies the response of an authenticator that created a credential (WebAuthn Level 3, section 7.1). Uses up its
 * challenge in any case.
 *
 * @throws Problem `validation_failed`, or `conflict` if the service has no relying party.
 */
export async function verifyCredential(
  services: Needs<'config' | 'database' | 'serverSecrets'>,
  { user }: Pick<SessionCaller, 'user'>,
  shown: RegistrationResponseJSON,
): Promise<VerifiedCredential> {
  const { id, origin } = getRelyingParty(services)
  const response = toPlainBase64url(shown)
  const challenge = challengeOf(response)
  const message =
    'is not a valid response to options that were created for you in the last 5 minutes and not used yet'
  const invalid = validationFailed({ pointer: '/credential', message })
  if (!(await useChallenge(services, purposeOf(user), challenge))) throw invalid
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const result = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => undefined)
  // The library throws for everything that does not verify, including malformed members.
  if (!result?.verified) throw invalid
  const { credential, credentialBackedUp } = result.registrationInfo
  return {
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: credential.publicKey,
    signCount: credential.counter,
    transports: credential.transports ?? [],
    isBackedUp: credentialBackedUp,
  }
}

/**
 * Adds a passkey to the caller's account.
 *
 * @throws Problem `conflict` if the caller has the maximum of passkeys, or the credential is registered.
 */
export async function addPasskey(
  context: RequestContext<SessionCaller>,
  name: string,
  credential: VerifiedCredential,
): Promise<PasskeyRow> {
  const { caller, work } = context
  const fields = { id: createUuidv7(), userId: caller.user.id, name, ...credential }
  const passkey = await createPasskey(work.tx, fields, passkeysMax)
  if (passkey === 'too_many') throw tooMany()
  if (passkey === 'registered') {
    throw conflict('the passkey is already registered.')
  }
  await recordSecurityChange(
    context,
    {
      action: 'passkey.create',
      target: { type: 'user', id: caller.user.id },
      details: { passkey_id: passkey.id, name },
    },
    'passkey_added',
  )
  return passkey
}

/**
 * Removes a passkey of the caller.
 *
 * @throws Problem `not_found`, or `conflict` if it is the last second factor and the organization requires one.
 */
export async function removePasskey(
  context: RequestContext<SessionCaller>,
  id: string,
): Promise<void> {
  const { caller, work } = context
  const passkey = await deletePasskey(work.tx, caller.user.id, id)
  if (!passkey) throw notFound()
  await requireSecondFactorKept(context)
  await recordSecurityChange(
    context,
    {
      action: 'passkey.remove',
      target: { type: 'user', id: caller.user.id },
      details: { passkey_id: id, name: passkey.name },
    },
    'passkey_removed',
  )
}

const purposeOf = ({ id }: { id: string }): ChallengePurpose => `registration:${id}`

const tooMany = (): Problem =>
  conflict(`you have ${passkeysMax} passkeys, the maximum. Remove one first.`)
