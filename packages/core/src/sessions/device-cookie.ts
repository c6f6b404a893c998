import { createHmac, randomBytes } from 'node:crypto'
import { isSameHash } from '../api-keys/token.ts'
import type { ServerSecrets } from '../configuration/parsers.ts'
import { uuidSource } from '../ids/uuid-v7.ts'

/**
 * Proof that a person has signed in with this browser before (OWASP, "Device cookies"). It is bound to the person
 * and to the password, so that a new password revokes it. The service stores nothing of it.
 */
export interface DeviceProof {
  readonly userId: string
  /** The id of the browser: 16 random bytes in base64url. */
  readonly browser: string
}

/** The person whom a proof is for. */
export interface DeviceOwner {
  readonly userId: string
  /** Argon2id in PHC form. */
  readonly passwordHash: string
}

/** Maximum proofs of different people in one browser. */
const proofsMax = 5
const lifetimeSeconds = 365 * 86_400
const proofPattern = new RegExp(`^(${uuidSource})\\.([\\w-]{22})\\.([\\w-]{43})$`)

const cookieName = (isHttps: boolean): string => (isHttps ? '__Host-device' : 'device')

/** Finds the proof of a person in a `Cookie` header; `undefined` if there is no valid one. */
export function findDeviceProof(
  serverSecrets: ServerSecrets,
  { userId, passwordHash }: DeviceOwner,
  { isHttps, header }: { isHttps: boolean; header: string | undefined },
): DeviceProof | undefined {
  for (const text of readProofs(isHttps, header)) {
    const [, shownFor, browser = '', signature = ''] = proofPattern.exec(text) ?? []
    if (shownFor !== userId) continue
    const shown = Buffer.from(signature, 'base64url')
    const holds = serverSecrets.some((serverSecret) =>
      isSameHash(sign(serverSecret, { userId, browser }, passwordHash), shown),
    )
    if (holds) return { userId, browser }
  }
  return undefined
}

/**
 * The `Set-Cookie` value that adds the proof of a person to those of other people in the browser.
 *
 * @param browser - the browser id of the existing proof, if there is one.
 */
export function deviceCookie(
  [serverSecret]: ServerSecrets,
  { userId, passwordHash }: DeviceOwner,
  {
    isHttps,
    header,
    browser = randomBytes(16).toString('base64url'),
  }: { isHttps: boolean; header: string | undefined; browser?: string | undefined },
): string {
  const signature = sign(serverSecret, { userId, browser }, passwordHash).toString('base64url')
  const others = readProofs(isHttps, header).filter((text) => !text.startsWith(`${userId}.`))
  const proofs = [`${userId}.${browser}.${signature}`, ...others].slice(0, proofsMax)
  return [
    `${cookieName(isHttps)}=${proofs.join('~')}`,
    'Path=/',
    `Max-Age=${lifetimeSeconds}`,
    ...(isHttps ? ['Secure'] : []),
    'HttpOnly',
    'SameSite=Lax',
  ].join('; ')
}

function readProofs(isHttps: boolean, header: string | undefined): string[] {
  const start = `${cookieName(isHttps)}=`
  const cookie = header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start))
  const texts = cookie?.slice(start.length).split('~') ?? []
  return texts.filter((text) => proofPattern.test(text)).slice(0, proofsMax)
}

const sign = (
  serverSecret: Buffer,
  { userId, browser }: DeviceProof,
  passwordHash: string,
): Buffer =>
  createHmac('sha256', serverSecret)
    .update(`device:v1:${userId}:${browser}:${passwordHash}`)
    .digest()
