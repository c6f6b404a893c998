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
  Problem,
  sessionEnds,
} from '@hosting/core'
import { loadSessionRecord, touchSession, type SessionRecord } from '@hosting/postgres'
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

async function readSession(
  services: Services,
  headers: Headers,
): Promise<{ record: SessionRecord; caller: SessionCaller } | undefined> {
  const token = findSessionToken(isHttps(services), headers.get('cookie'))
  if (!token) return undefined
  const { serverSecret, database } = services
  const record = await loadSessionRecord(database, token.id)
  const hash = hashSessionSecret(serverSecret, token)
  if (!record || !isAlive(record, { hash, now: currentTime() })) return undefined
  const { user, tenant, impersonator, ...session } = record
  const caller = {
    user,
    tenant,
    key: undefined,
    session: {
      ...session,
      csrfToken: csrfTokenOf(serverSecret, token),
      impersonator: impersonator && { id: impersonator.id, name: impersonator.name },
    },
  }
  return { record, caller }
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
 * Refuses a write that comes from another site, or without the CSRF token of its session.
 *
 * @param shown - the token that the request shows: the header `X-CSRF-Token`, or the field of a form.
 * @throws Problem `csrf_failed`
 */
export function refuseForgery(
  services: Services,
  headers: Headers,
  { session, shown }: Pick<SessionCaller, 'session'> & { shown: string | undefined },
): void {
  refuseOtherSites(services, headers)
  const refusal = decideCsrfToken(session.csrfToken, shown)
  if (refusal) throw refusal
}

/** Refuses a write that comes from another site. @throws Problem `csrf_failed` */
export function refuseOtherSites({ config }: Services, headers: Headers): void {
  const source = {
    origin: headers.get('origin'),
    fetchSite: headers.get('sec-fetch-site'),
    host: headers.get('host'),
  }
  const refusal = decideSource(source, config.publicUrl)
  if (refusal) throw refusal
}

/** Asks that the person has confirmed who they are lately. @throws Problem `reauthentication_required` */
export function refuseUnconfirmed({ session }: SessionCaller): void {
  if (!isConfirmed(session.confirmedAt, currentTime()))
    throw new Problem('reauthentication_required')
}
