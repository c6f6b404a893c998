import type { AuditActor, SessionRecord } from '@hosting/postgres'
import type { Key } from '../gate/key-cache.ts'

/** Who calls the API: the acting user with the organization, and what they came with. */
export type Caller = KeyCaller | SessionCaller

/** The acting user of a key. */
export interface KeyCaller extends Pick<Key, 'user' | 'tenant'> {
  readonly key: Key
  readonly session: undefined
}

/** A person who is signed in to the panel, or another whom they act as. */
export interface SessionCaller extends Pick<Key, 'user' | 'tenant'> {
  readonly key: undefined
  readonly session: Session
}

/** The session that a request came with. */
export interface Session extends Pick<
  SessionRecord,
  'id' | 'secretHash' | 'confirmedAt' | 'idleExpiresAt' | 'absoluteExpiresAt'
> {
  readonly csrfToken: string
  /** Whether the person confirmed who they are in the last 5 minutes. */
  readonly isConfirmed: boolean
  /** Who acts as the user; null where the user acts. */
  readonly impersonator: { readonly id: string; readonly name: string } | null
}

/** The id of the person at the keyboard: who signed in, whomever they act as. */
export const personIdOf = ({ user, session }: SessionCaller): string =>
  session.impersonator?.id ?? user.id

/** The caller as the audit log names it: the acting user, and the key if there is one. */
export const actorOf = ({ user, key }: Pick<Caller, 'user' | 'key'>): AuditActor => ({
  ...actorOfUser(user),
  type: user.kind === 'service' ? 'service_user' : 'user',
  keyId: key?.id ?? null,
})

/** A person as the audit log names it. */
export const actorOfUser = ({ id, name }: { id: string; name: string }): AuditActor => ({
  type: 'user',
  id,
  name,
  keyId: null,
})

/** What the details of an audit row say besides, so that every write under an impersonation shows both identities. */
export const impersonationOf = ({ session }: Caller) => ({
  ...(session?.impersonator && {
    impersonated_by: { id: session.impersonator.id, name: session.impersonator.name },
  }),
})

/** Whose Idempotency-Keys the caller's are (docs/specification/requests.md#idempotency). */
export function callerName({ user, key, session }: Caller): string {
  if (key) return `key:${key.id}`
  const { impersonator } = session
  return `user:${user.id}${impersonator ? `:by:${impersonator.id}` : ''}`
}
