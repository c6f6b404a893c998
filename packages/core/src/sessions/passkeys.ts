import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { ServerSecrets } from '../configuration/parsers.ts'
import { hostOf } from '../network/networks.ts'

/** Maximum passkeys of a person (docs/specification/sign-in.md#passkeys). */
export const passkeysMax = 10

/** Maximum transports of a passkey, and their length in characters. WebAuthn Level 3 defines six, up to 10 characters. */
export const transportsMax = 16
export const transportLengthMax = 32

/** How long a challenge is valid, in ms. */
export const challengeMs = 5 * 60_000

/** Maximum challenges for sign-in per address and minute. */
export const challengeLimit = { max: 10, windowMs: 60_000 }

/** The site to which passkeys are bound (WebAuthn Level 3, section 4, "Relying Party Identifier"). */
export interface RelyingParty {
  /** The host name. */
  readonly id: string
  readonly origin: string
}

/**
 * The relying party of a service.
 *
 * @param publicUrl - the URL of the service for people.
 * @returns `undefined` if its host is an address: browsers refuse passkeys for addresses.
 */
export function findRelyingParty(publicUrl: string): RelyingParty | undefined {
  const url = new URL(publicUrl)
  return isIP(hostOf(url)) ? undefined : { id: url.hostname, origin: url.origin }
}

/** What a challenge is for: a sign-in or confirmation, or the registration of a person's passkey. */
export type ChallengePurpose = 'authentication' | `registration:${string}`

const expiryBytes = 8
const nonceBytes = 16
const signedBytes = expiryBytes + nonceBytes

/**
 * Creates a challenge of 56 bytes: its expiry, 16 random bytes, and an HMAC of both with its purpose. It is not stored
 * before a browser returns it, so nobody can fill the database with challenges.
 */
export function createChallenge(
  [serverSecret]: ServerSecrets,
  purpose: ChallengePurpose,
  now: Date,
): Buffer {
  const expiry = Buffer.alloc(expiryBytes)
  expiry.writeBigUInt64BE(BigInt(now.getTime() + challengeMs))
  const signed = Buffer.concat([expiry, randomBytes(nonceBytes)])
  return Buffer.concat([signed, sign(serverSecret, purpose, signed)])
}

/** Whether the challenge was created for the purpose and has not expired. */
export function isValidChallenge(
  serverSecrets: ServerSecrets,
  purpose: ChallengePurpose,
  { challenge, now }: { challenge: Uint8Array; now: Date },
): boolean {
  const bytes = Buffer.from(challenge)
  const [signed, shown] = [bytes.subarray(0, signedBytes), bytes.subarray(signedBytes)]
  const isGenuine = serverSecrets.some((serverSecret) => {
    const expected = sign(serverSecret, purpose, signed)
    return shown.length === expected.length && timingSafeEqual(shown, expected)
  })
  return isGenuine && signed.readBigUInt64BE() > BigInt(now.getTime())
}

const sign = (serverSecret: Buffer, purpose: ChallengePurpose, signed: Buffer): Buffer =>
  createHmac('sha256', serverSecret).update(`challenge:v1:${purpose}:`).update(signed).digest()
