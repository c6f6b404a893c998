import { currentTime } from '@hosting/core/clock'
import { publicUrlOf, type Config } from '@hosting/core/configuration'
import { addressGroup } from '@hosting/core/network'
import { conflict } from '@hosting/core/problems'
import {
  challengeLimit,
  challengeMs,
  createChallenge,
  findRelyingParty,
  isValidChallenge,
  type ChallengePurpose,
  type RelyingParty,
} from '@hosting/core/sessions'
import { isDatabaseUnavailable, type Transaction } from '@hosting/postgres/database'
import { takeCall } from '@hosting/postgres/rate-limit'
import { findPasskey, takeNonce, type PasskeyRow } from '@hosting/postgres/sessions'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { hash } from 'node:crypto'
import type { Work } from '../work.ts'
import type { Needs } from '../services.ts'
import { requireNoWait } from './count-try.ts'

/** What the response of an authenticator shows. */
export interface ShownPasskey {
  /** The passkey that the response names; `undefined` if it is unknown. */
  readonly passkey: PasskeyRow | undefined
  /** The use of the passkey; `undefined` if the response does not verify. Its signature counter is not checked yet. */
  readonly use: { readonly signCount: number; readonly isBackedUp: boolean } | undefined
}

/** The site to which passkeys are bound; `undefined` if `PUBLIC_URL` has an address as its host. */
export const relyingPartyOf = (config: Config): RelyingParty | undefined =>
  findRelyingParty(publicUrlOf(config))

/** Returns the relying party. @throws Problem `conflict` if there is none. */
export function getRelyingParty({ config }: Needs<'config'>): RelyingParty {
  const party = relyingPartyOf(config)
  if (party) return party
  const reason =
    'passkeys need a host name, and the public URL of this installation has an IP address.'
  throw conflict(reason)
}

/** Creates a challenge for a purpose. Nothing is stored. */
export const newChallenge = (
  { serverSecrets }: Needs<'serverSecrets'>,
  purpose: ChallengePurpose,
): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(createChallenge(serverSecrets, purpose, currentTime()))

/**
 * The options with which a browser asks for a passkey, for a sign-in or a confirmation. They name no credentials, so
 * nobody learns who has one.
 *
 * @throws Problem `conflict` if the service has no relying party.
 */
export async function passkeyRequestOptions(services: Needs<'config' | 'serverSecrets'>) {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  return generateAuthenticationOptions({
    rpID: getRelyingParty(services).id,
    challenge: newChallenge(services, 'authentication'),
    timeout: challengeMs,
    userVerification: 'required',
  })
}

/** Counts a request for options by its address. @throws Problem `rate_limited` */
export async function chargeChallenge({ tx }: Work, ip: string): Promise<void> {
  requireNoWait(await takeChallenge(tx, ip))
}

/** Counts a challenge for an address. Returns how long the address has to wait for one, in ms. */
const takeChallenge = (tx: Transaction, ip: string): Promise<number> => {
  const calls = { operation: 'auth.session.passkey-options', caller: addressGroup(ip) }
  return takeCall(tx, calls, challengeLimit)
}

/**
 * As {@link passkeyRequestOptions}, for a page that anyone can request. Each challenge counts like one of the API.
 *
 * @returns `undefined` if there is no relying party, the address has reached the limit, or the database cannot count.
 */
export async function offerPasskey(
  services: Needs<'config' | 'database' | 'serverSecrets'>,
  ip: string,
) {
  if (!relyingPartyOf(services.config)) return undefined
  try {
    const waitMs = await services.database.prisma.$transaction((tx) => takeChallenge(tx, ip))
    return waitMs > 0 ? undefined : await passkeyRequestOptions(services)
  } catch (error) {
    if (isDatabaseUnavailable(error)) return undefined
    throw error
  }
}

/**
 * Uses up the challenge of a response of a browser, whether the rest of the response is valid or not.
 *
 * @param challenge - in base64url.
 * @returns whether it was created for the purpose, has not expired, and is used for the first time.
 */
export async function useChallenge(
  { database, serverSecrets }: Needs<'database' | 'serverSecrets'>,
  purpose: ChallengePurpose,
  challenge: string,
): Promise<boolean> {
  const bytes = Buffer.from(challenge, 'base64url')
  const shown = { challenge: bytes, now: currentTime() }
  if (!isValidChallenge(serverSecrets, purpose, shown)) return false
  return takeNonce(database, hash('sha256', bytes, 'buffer'), challengeMs)
}

/**
 * Verifies the response of an authenticator for a sign-in or a confirmation: challenge, origin, relying party, user
 * verification and signature (WebAuthn Level 3, section 7.2). Uses up its challenge in any case.
 *
 * @throws Problem `conflict` if the service has no relying party.
 */
export async function verifyPasskey(
  services: Needs<'config' | 'database' | 'serverSecrets'>,
  shown: AuthenticationResponseJSON,
): Promise<ShownPasskey> {
  const party = getRelyingParty(services)
  const response = toPlainBase64url(shown)
  const challenge = challengeOf(response)
  const isFresh = await useChallenge(services, 'authentication', challenge)
  const credentialId = Buffer.from(response.id, 'base64url')
  const passkey = (await findPasskey(services.database.prisma, credentialId)) ?? undefined
  const use =
    passkey && isFresh ? await verifySignature(passkey, response, { party, challenge }) : undefined
  return { passkey, use }
}

async function verifySignature(
  { userId, publicKey }: PasskeyRow,
  response: AuthenticationResponseJSON,
  { party, challenge }: { party: RelyingParty; challenge: string },
): Promise<ShownPasskey['use']> {
  const { userHandle } = response.response
  // Some password managers return an empty handle for none.
  if (userHandle && userHandle !== userHandleOf(userId)) return undefined
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      // The counter is compared where it is stored, so that of two copies only one succeeds.
      credential: { id: response.id, publicKey: Uint8Array.from(publicKey), counter: 0 },
      requireUserVerification: true,
    })
    const { newCounter: signCount, credentialBackedUp: isBackedUp } = authenticationInfo
    return verified ? { signCount, isBackedUp } : undefined
  } catch {
    // The library throws for everything that does not verify, including malformed members.
    return undefined
  }
}

/**
 * A response with its bytes as base64url without padding, as it was decoded. Password managers also send base64 and
 * padding, and transports of null.
 */
export function toPlainBase64url<
  Shown extends AuthenticationResponseJSON | RegistrationResponseJSON,
>({ id, rawId, response, ...members }: Shown): Shown {
  const plain = Object.entries(response as unknown as Record<string, unknown>)
    .filter(([, value]) => value != null)
    .map(([name, value]) => [name, typeof value === 'string' ? recode(value) : value])
  return {
    ...members,
    id: recode(id),
    rawId: recode(rawId),
    response: Object.fromEntries(plain) as unknown,
  } as unknown as Shown
}

const recode = (text: string): string => Buffer.from(text, 'base64url').toString('base64url')

/** The challenge that a browser has signed, in base64url; empty if the response is malformed. */
export function challengeOf({ response }: { response: { clientDataJSON: string } }): string {
  try {
    const text = Buffer.from(response.clientDataJSON, 'base64url').toString()
    const { challenge } = JSON.parse(text) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

/** The user handle of a person, in base64url: the bytes of their id, which is random. */
export const userHandleOf = (userId: string): string =>
  userHandleBytes(userId).toString('base64url')

/** The bytes of {@link userHandleOf}. */
export const userHandleBytes = (userId: string): Buffer =>
  Buffer.from(userId.replaceAll('-', ''), 'hex')
