import type { Problem } from '@hosting/core/problems'
import type { AuditActor } from '@hosting/postgres/audit'
import type { SessionRecord } from '@hosting/postgres/sessions'
import type { Key } from '../gate/key-gate.ts'
import type { Reader } from '../gate/read-turns.ts'
import type { KeyRefusal } from '../gate/refusals.ts'
import type { Needs } from '../services.ts'

/** Who calls the API: the user with the organization, and their credential. */
export type Caller = KeyCaller | SessionCaller

/** The user that a key acts as. */
export interface KeyCaller extends Pick<Key, 'user' | 'tenant'> {
  readonly key: Key
  /** The lineage of the secret that was sent; `null` if it is that of the key's creation. */
  readonly lineageId: string | null
  readonly session: undefined
}

/** A person who is signed in to the panel, or the user that they impersonate. */
export interface SessionCaller extends Pick<Key, 'user' | 'tenant'> {
  readonly key: undefined
  readonly session: Session
}

/** The session of a request. */
export interface Session extends Pick<
  SessionRecord,
  | 'id'
  | 'secretHash'
  | 'confirmedAt'
  | 'idleExpiresAt'
  | 'absoluteExpiresAt'
  | 'missingSecondFactor'
  | 'secondFactorDueAt'
> {
  readonly csrfToken: string
  /** Whether the person confirmed their identity in the last 5 minutes. */
  readonly isConfirmed: boolean
  /** Whether the session lacks the second factor that the organization requires now. */
  readonly lacksSecondFactor: boolean
  /** The person who impersonates the user; null without impersonation. */
  readonly impersonator: { readonly id: string; readonly name: string } | null
}

/** The caller of an internal API route: a service of the platform. */
export interface ServiceCaller {
  /** Its name in the configuration; null if there is none. */
  readonly service: string | null
}

/** What decides the caller's permissions: the roles of the user, and the key if there is one. */
export const accessSubjectOf = ({ user, key }: Pick<Caller, 'user' | 'key'>) => ({
  roles: user.roles,
  key: key ?? null,
})

/** The id of the person who signed in, even while they impersonate another user. */
export const personIdOf = ({ user, session }: SessionCaller): string =>
  session.impersonator?.id ?? user.id

/** The caller in the format of the audit log: the user, and the key if there is one. */
export const actorOf = ({ user, key }: Pick<Caller, 'user' | 'key'>): AuditActor => ({
  ...actorOfUser(user),
  type: user.kind === 'service' ? 'service_user' : 'user',
  keyId: key?.id ?? null,
})

/** A person in the format of the audit log. */
export const actorOfUser = ({ id, name }: { id: string; name: string }): AuditActor => ({
  type: 'user',
  id,
  name,
  keyId: null,
})

/** An unauthenticated actor. */
export const anonymous: AuditActor = { type: 'anonymous', id: null, name: null, keyId: null }

/** Writes a refusal of a known key to the audit log. */
export async function recordKeyRefusal(
  { refusals }: Needs<'refusals'>,
  { ip, route, requestId }: Pick<KeyRefusal, 'ip' | 'route' | 'requestId'>,
  {
    key,
    problem,
    actor = actorOf({ user: key.user, key }),
  }: { key: Key; problem: Problem; actor?: AuditActor },
): Promise<void> {
  await refusals.record({
    tenantId: key.tenant.id,
    keyId: key.id,
    actor,
    reason: problem.code,
    ip,
    route,
    scope: problem.code === 'insufficient_scope' ? problem.facts['scope'] : undefined,
    requestId,
  })
}

/** Additional details of an audit row, so that every write under impersonation shows both identities. */
export const impersonationOf = ({ session }: Caller) => ({
  ...(session?.impersonator && {
    impersonated_by: { id: session.impersonator.id, name: session.impersonator.name },
  }),
})

/** Whose turn it is when a caller reads: all sessions of a person count together. */
export const readerOf = (caller: Caller): Reader => ({
  tenantId: caller.tenant.id,
  name: caller.key ? `key:${caller.key.id}` : `person:${personIdOf(caller)}`,
  isPerson: !caller.key,
})

/** The owner of the caller's Idempotency-Keys (docs/specification/requests.md#idempotency). */
export function callerName({ user, key, session }: Caller): string {
  if (key) return `key:${key.id}`
  const { impersonator } = session
  return `user:${user.id}${impersonator ? `:by:${impersonator.id}` : ''}`
}
