import {
  csrfTokenOf,
  currentTime,
  decideCsrfToken,
  decideSource,
  findSessionToken,
  hashSessionSecret,
  isAlive,
  isConfirmed,
  isSeenAgain,
  sessionEnds,
  type SessionToken,
} from '@hosting/core'
import {
  loadSessionRecord,
  lockSessionCaller,
  touchSession,
  type SessionRecord,
  type Transaction,
} from '@hosting/postgres'
import type { Services } from '../services.ts'
import type { SessionCaller } from './caller.ts'

/** The headers that say who sends a request and from where; Express' `Request` is one. */
export interface Headers {
  get(name: string): string | undefined
}

/** Whether people reach the service by https, which the session's cookie depends on. */
export const isHttps = ({ config }: Pick<Services, 'config'>): boolean =>
  config.publicUrl?.startsWith('https:') ?? false

/**
 * Who is signed in by the cookie of a request; `undefined` if nobody is. Read from PostgreSQL at each
 * request, so that whatever ends a session holds for the very next one on every process.
 */
export async function findSession(
  services: Services,
  headers: Headers,
): Promise<SessionCaller | undefined> {
  const found = await readSession(services, headers)
  const now = currentTime()
  if (found && isSeenAgain(found.record.lastSeenAt, now)) await touch(services, found.record, now)
  return found?.caller
}

/** Who is signed in still, by the cookie of a request that goes on: that it does is no use of the session. */
export const findSessionAgain = async (
  services: Services,
  headers: Headers,
): Promise<SessionCaller | undefined> => (await readSession(services, headers))?.caller

/**
 * Who is signed in by the cookie of a request whose change is about to be made: the rows of the session and of
 * its people stay locked until the transaction ends.
 */
export async function lockSession(
  services: Services,
  tx: Transaction,
  { headers, caller: { user, session } }: { headers: Headers; caller: SessionCaller },
): Promise<SessionCaller | undefined> {
  const token = findSessionToken(isHttps(services), headers.get('cookie'))
  const userIds = [user.id, ...(session.impersonator ? [session.impersonator.id] : [])]
  const found = await lockSessionCaller(tx, { sessionId: session.id, userIds })
  return token && found && toCaller(services, token, found)
}

async function readSession(
  services: Services,
  headers: Headers,
): Promise<{ record: SessionRecord; caller: SessionCaller } | undefined> {
  const token = findSessionToken(isHttps(services), headers.get('cookie'))
  if (!token) return undefined
  const record = await loadSessionRecord(services.database, token.id)
  const caller = record && toCaller(services, token, { record, now: currentTime() })
  return caller && { record, caller }
}

/**
 * The caller of a session that is alive and whose secret was shown. The CSRF token is made with the server secret
 * that the session's hash was made with, so that it stays the same while the server secret is rotated.
 */
function toCaller(
  { serverSecrets }: Services,
  token: SessionToken,
  { record, now }: { record: SessionRecord; now: Date },
): SessionCaller | undefined {
  const serverSecret = serverSecrets.find((secret) =>
    isAlive(record, { hash: hashSessionSecret(secret, token), now }),
  )
  if (!serverSecret) return undefined
  const { user, tenant, impersonator, ...session } = record
  return {
    user,
    tenant,
    key: undefined,
    session: {
      ...session,
      csrfToken: csrfTokenOf(serverSecret, token),
      isConfirmed: isConfirmed(session.confirmedAt, now),
      impersonator: impersonator && { id: impersonator.id, name: impersonator.name },
    },
  }
}

/** That the time of the last use is not written fails no request. */
async function touch(
  { database, config, log }: Services,
  { id, lastSeenAt: seenBefore }: SessionRecord,
  now: Date,
): Promise<void> {
  const { idleExpiresAt } = sessionEnds(lifeOf(config), now)
  await touchSession(database, id, { seenBefore, now, idleExpiresAt }).catch((error: unknown) =>
    log.warn({ err: error }, 'the last use of a session was not written'),
  )
}

/** How long sessions live. */
export const lifeOf = ({ sessionIdleMs, sessionLifetimeMs }: Services['config']) => ({
  idleMs: sessionIdleMs,
  lifetimeMs: sessionLifetimeMs,
})

/**
 * Requires that a write comes from our own site and shows the CSRF token of its session.
 *
 * @param shown - the token that the request shows: the header `X-CSRF-Token`, or the field of a form.
 * @throws Problem `csrf_failed`
 */
export function requireCsrfToken(
  services: Services,
  headers: Headers,
  { session, shown }: Pick<SessionCaller, 'session'> & { shown: string | undefined },
): void {
  requireSameSite(services, headers)
  const problem = decideCsrfToken(session.csrfToken, shown)
  if (problem) throw problem
}

/** Requires that a write does not come from another site. @throws Problem `csrf_failed` */
export function requireSameSite({ config }: Services, headers: Headers): void {
  const source = {
    origin: headers.get('origin'),
    fetchSite: headers.get('sec-fetch-site'),
    host: headers.get('host'),
  }
  const problem = decideSource(source, config.publicUrl)
  if (problem) throw problem
}
