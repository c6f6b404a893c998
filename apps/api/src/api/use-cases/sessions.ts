import { currentTime } from '@hosting/core/clock'
import { notFound } from '@hosting/core/problems'
import { sessionCookie } from '@hosting/core/sessions'
import { revokeOtherSessions, revokeSession } from '@hosting/postgres/sessions'
import { personIdOf, type SessionCaller } from '../access/caller.ts'
import { HttpResponse } from '../response.ts'
import { isHttps } from '../access/session.ts'
import type { Needs } from '../services.ts'
import { recordChange, recordChanges, type Change, type RequestContext } from './audit.ts'

/** Signs out: ends the caller's session and deletes its cookie. */
export async function signOut(
  services: Needs<'config'>,
  context: RequestContext<SessionCaller>,
): Promise<HttpResponse<undefined>> {
  const { caller, work } = context
  if (await revokeSession(work.tx, personIdOf(caller), caller.session.id, currentTime())) {
    await recordEnd(context, caller.session.id)
  }
  return new HttpResponse(204, undefined, {
    'Set-Cookie': sessionCookie(isHttps(services), undefined),
  })
}

/** Ends one of the person's sessions. @throws Problem `not_found` */
export async function endSession(
  context: RequestContext<SessionCaller>,
  id: string,
): Promise<void> {
  const { caller, work } = context
  if (!(await revokeSession(work.tx, personIdOf(caller), id, currentTime()))) throw notFound()
  await recordEnd(context, id)
}

/** The most sessions that one request ends. */
const endedMax = 1_000

/**
 * Ends the person's other sessions, up to {@link endedMax} of them.
 *
 * @returns whether there may be more.
 */
export async function endOtherSessions(
  context: RequestContext<SessionCaller>,
): Promise<{ isMore: boolean }> {
  const { caller, work } = context
  const ended = await revokeOtherSessions(work.tx, personIdOf(caller), {
    exceptId: caller.session.id,
    now: currentTime(),
    limit: endedMax,
  })
  await recordChanges(
    context,
    ended.map(({ id }) => endOf(id)),
  )
  return { isMore: ended.length === endedMax }
}

const recordEnd = (context: RequestContext<SessionCaller>, id: string): Promise<void> =>
  recordChange(context, endOf(id))

const endOf = (id: string): Change => ({
  action: 'session.revoke',
  target: { type: 'session', id },
})
