import { conflict, notFound } from '@hosting/core/problems'
import { findSignInById, type SignInRecord } from '@hosting/postgres/sessions'
import type { SessionCaller } from '../access/caller.ts'
import type { Needs } from '../services.ts'
import { recordChange, recordSecurityChange, type Change, type RequestContext } from './audit.ts'
import { giveSession, renewSession, type SessionResponse } from './session-secret.ts'

/**
 * Lets the caller act as another user of the organization, in the same session with a new secret.
 *
 * @throws Problem `not_found` if there is no such active user; `conflict` for the caller's own id, or while the
 *   caller already impersonates someone.
 */
export async function startImpersonation(
  services: Needs<'config' | 'serverSecret'>,
  context: RequestContext<SessionCaller>,
  userId: string,
): Promise<SessionResponse> {
  const { caller, work } = context
  if (userId === caller.user.id) throw conflict('you cannot impersonate yourself.')
  const person = await findSignInById(work.tx, userId)
  if (!person?.isActive || person.tenant.id !== caller.tenant.id) throw notFound()
  const { id, name } = caller.user
  const change = { userId, impersonatorId: id }
  const token = await renewSession(services, context, change)
  const started = {
    action: 'impersonation.start',
    target: { type: 'user', id: userId },
    details: { session_id: caller.session.id },
  } satisfies Change
  await recordSecurityChange(context, started, 'impersonated')
  const view = viewOf(caller, person, { id, name })
  return giveSession(services, token, { status: 201, view })
}

/** Ends the impersonation. @throws Problem `conflict` if there is none. */
export async function stopImpersonation(
  services: Needs<'config' | 'serverSecret'>,
  context: RequestContext<SessionCaller>,
): Promise<SessionResponse> {
  const { caller, work } = context
  const { impersonator } = caller.session
  if (!impersonator) throw conflict('you are not impersonating anyone.')
  const person = (await findSignInById(work.tx, impersonator.id))!
  const change = { userId: impersonator.id, impersonatorId: null }
  const token = await renewSession(services, context, change)
  await recordChange(context, {
    action: 'impersonation.stop',
    target: { type: 'user', id: caller.user.id },
    details: { session_id: caller.session.id },
  })
  return giveSession(services, token, { status: 200, view: viewOf(caller, person, null) })
}

const viewOf = (
  { tenant, session }: SessionCaller,
  { user }: SignInRecord,
  impersonator: { id: string; name: string } | null,
) => ({ user, tenant, session: { ...session, impersonator } })
