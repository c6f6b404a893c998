import { uuidSource } from '@hosting/core/ids'
import { isSameHash } from '@hosting/core/api-keys'
import { createHmac } from 'node:crypto'
import { personIdOf, type SessionCaller } from '../api/access/caller.ts'
import type { Services } from '../api/services.ts'

/** The person to whom a form was shown. */
export interface MarkedPerson {
  /** The user they act as: themselves, or the one they impersonate. */
  readonly userId: string
  /** The person who signed in. */
  readonly personId: string
}

const markPattern = new RegExp(`^(${uuidSource})\\.(${uuidSource})\\.([\\w-]{43})$`)

/**
 * The mark of a signed-in person, a field of every form: both ids with their keyed hash. Unlike the CSRF token it
 * outlives the session, and it permits nothing: it only names whom the form may be shown to again.
 */
export function personMarkOf({ serverSecret }: Services, caller: SessionCaller): string {
  const person = personOf(caller)
  const signature = sign(serverSecret, person).toString('base64url')
  return `${person.userId}.${person.personId}.${signature}`
}

/** Finds the person that a form's mark names; `undefined` if the mark is missing or forged. */
export function findMarkedPerson(
  { serverSecrets }: Services,
  mark: string | undefined,
): MarkedPerson | undefined {
  const [, userId, personId, signature = ''] = markPattern.exec(mark ?? '') ?? []
  if (userId === undefined || personId === undefined) return undefined
  const person = { userId, personId }
  const shown = Buffer.from(signature, 'base64url')
  const isGenuine = serverSecrets.some((secret) => isSameHash(sign(secret, person), shown))
  return isGenuine ? person : undefined
}

/** The person of a session. */
export const personOf = (caller: SessionCaller): MarkedPerson => ({
  userId: caller.user.id,
  personId: personIdOf(caller),
})

/** The name of a person as the owner of an encrypted text. */
export const ownerNameOf = ({ userId, personId }: MarkedPerson): string => `${userId} ${personId}`

const sign = (serverSecret: Buffer, { userId, personId }: MarkedPerson): Buffer =>
  createHmac('sha256', serverSecret).update(`panel form v1:${userId}:${personId}`).digest()
