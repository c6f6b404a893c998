import { currentTime } from '@hosting/core/clock'
import {
  csrfTokenOf,
  decideCsrfToken,
  decideSource,
  findSessionToken,
  hashSessionSecret,
  isAlive,
  isConfirmed,
  isLastUseOutdated,
  sessionEnds,
  type SessionToken,
} from '@hosting/core/sessions'
import { type Transaction } from '@hosting/postgres/database'
import {
  loadSessionRecord,
  lockSessionCaller,
  touchSession,
  type SessionRecord,
} from '@hosting/postgres/sessions'
import type { Needs, Services } from '../services.ts'
import type { SessionCaller } from './caller.ts'

/** The headers of a request. Express' `Request` implements it. */
export interface Headers {
  get(name: string): string | undefined
}

/** Whether the public URL uses HTTPS. The name and attributes of the session cookie depend on it. */
export const isHttps = ({ config }: Needs<'config'>): boolean =>
  config.publicUrl?.startsWith('https:') ?? false

/**
 * Returns the signed-in caller of a request's cookie; `undefined` if there is none. Each request reads PostgreSQL,
 * so that the end of a session takes effect on every process with the next request.
 */
export async function findSession(
  services: Needs<'config' | 'database' | 'log' | 'serverSecrets'>,
  headers: Headers,
): Promise<SessionCaller | undefined> {
  const found = await readSession(services, headers)
  const now = currentTime()
  const { idleMs } = lifeOf(services.config)
  if (found && isLastUseOutdated(found.record.lastSeenAt, { idleMs, now })) {
    await touch(services, found.record, now)
  }
  return found?.caller
}

/** Like {@link findSession}, but not counted as a use of the session: for running requests and live updates. */
export const findSessionAgain = async (
  services: Needs<'config' | 'database' | 'serverSecrets'>,
  headers: Headers,
): Promise<SessionCaller | undefined> => (await readSession(services, headers))?.caller

/**
 * Like {@link findSession}, before a change. The rows of the session and its users stay locked until the
 * transaction ends.
 */
export async function lockSession(
  services: Needs<'config' | 'serverSecrets'>,
  tx: Transaction,
  { headers, caller: { user, session } }: { headers: Headers; caller: SessionCaller },
): Promise<SessionCaller | undefined> {
  const token = findSessionToken(isHttps(services), headers.get('cookie'))
  const userIds = [user.id, ...(session.impersonator ? [session.impersonator.id] : [])]
  const found = await lockSessionCaller(tx, { sessionId: session.id, userIds })
  return token && found && toCaller(services, token, found)
}

async function readSession(
  services: Needs<'config' | 'database' | 'serverSecrets'>,
  headers: Headers,
): Promise<{ record: SessionRecord; caller: SessionCaller } | undefined> {
  const token = findSessionToken(isHttps(services), headers.get('cookie'))
  if (!token) return undefined
  const record = await loadSessionRecord(services.database, token.id)
  const caller = record && toCaller(services, token, { record, now: currentTime() })
  return caller && { record, caller }
}

/**
 * Returns the caller if the session is valid and the secret matches. The CSRF token uses the server secret of the
 * session's hash, so that it stays the same while the server secret is rotated.
 */
function toCaller(
  { serverSecrets }: Needs<'serverSecrets'>,
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
      lacksSecondFactor: session.secondFactorDueAt !== null && session.secondFactorDueAt <= now,
      impersonator: impersonator && { id: impersonator.id, name: impersonator.name },
    },
  }
}

/** A failed write of the time of the last use does not fail the request. */
async function touch(
  { database, config, log }: Needs<'config' | 'database' | 'log'>,
  { id, lastSeenAt: seenBefore }: SessionRecord,
  now: Date,
): Promise<void> {
  const { idleExpiresAt } = sessionEnds(lifeOf(config), now)
  await touchSession(database, id, { seenBefore, now, idleExpiresAt }).catch((error: unknown) =>
    log.warn({ err: error }, 'the last use of a session could not be recorded'),
  )
}

/** The configured lifetimes of sessions. */
export const lifeOf = ({ sessionIdleMs, sessionLifetimeMs }: Services['config']) => ({
  idleMs: sessionIdleMs,
  lifetimeMs: sessionLifetimeMs,
})

/**
 * Requires that a write comes from our own site and has the CSRF token of its session.
 *
 * @param shown - the token of the request: the header `X-CSRF-Token` or a form field.
 * @throws Problem `csrf_failed`
 */
export function requireCsrfToken(
  services: Needs<'config'>,
  headers: Headers,
  { session, shown }: Pick<SessionCaller, 'session'> & { shown: string | undefined },
): void {
  requireSameSite(services, headers)
  const problem = decideCsrfToken(session.csrfToken, shown)
  if (problem) throw problem
}

/** Requires that a write does not come from another site. @throws Problem `csrf_failed` */
export function requireSameSite({ config }: Needs<'config'>, headers: Headers): void {
  const source = {
    origin: headers.get('origin'),
    fetchSite: headers.get('sec-fetch-site'),
    host: headers.get('host'),
  }
  const problem = decideSource(source, config.publicUrl)
  if (problem) throw problem
}
