import {
  createSessionSecret,
  csrfTokenOf,
  hashSessionSecret,
  sessionCookie,
  type SessionToken,
} from '@hosting/core/sessions'
import { rotateSession } from '@hosting/postgres/sessions'
import { credentialsMissing } from '../access/authenticate.ts'
import type { SessionCaller } from '../access/caller.ts'
import { HttpResponse } from '../response.ts'
import { isHttps } from '../access/session.ts'
import { toSessionRecord, type SessionView } from '../records/session.ts'
import type { Needs } from '../services.ts'
import type { RequestContext } from './audit.ts'

/** The response that gives a browser its session: the cookie, and the record with the CSRF token. */
export const giveSession = (
  services: Needs<'config' | 'serverSecret'>,
  token: SessionToken,
  {
    status,
    view,
    cookies = [],
  }: { status: 200 | 201; view: WithoutToken; cookies?: readonly string[] },
): SessionResponse =>
  new HttpResponse(
    status,
    toSessionRecord({
      ...view,
      session: { ...view.session, csrfToken: csrfTokenOf(services.serverSecret, token) },
    }),
    { 'Set-Cookie': [sessionCookie(isHttps(services), token), ...cookies] },
  )

/** A session, with its cookie. */
export type SessionResponse = HttpResponse<ReturnType<typeof toSessionRecord>>

type WithoutToken = Omit<SessionView, 'session'> & {
  readonly session: Omit<SessionView['session'], 'csrfToken'>
}

/** Changes that a session gets together with its new secret. */
interface SessionChange {
  readonly confirmedAt?: Date
  readonly hasSecondFactor?: true
  readonly userId?: string
  readonly impersonatorId?: string | null
}

/**
 * Gives the caller's session a new secret. The current one stops working with the commit. Of several concurrent
 * requests with the same secret, only one succeeds.
 *
 * @throws Problem `authentication_required` for the others.
 */
export async function renewSession(
  { serverSecret }: Needs<'serverSecret'>,
  { caller: { session }, work }: RequestContext<SessionCaller>,
  change: SessionChange,
): Promise<SessionToken> {
  const token = createSessionSecret(session.id)
  const rotation = {
    id: session.id,
    from: session.secretHash,
    to: hashSessionSecret(serverSecret, token),
    ...change,
  }
  if (!(await rotateSession(work.tx, rotation))) throw credentialsMissing()
  return token
}
