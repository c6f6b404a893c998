import { notFound, Problem } from '@hosting/core'
import { findSignInById, type SignInRecord } from '@hosting/postgres'
import type { SessionCaller } from '../http/caller.ts'
import type { Answer } from '../http/route.ts'
import type { Services } from '../services.ts'
import { recordChange, type Origin } from './audit.ts'
import { giveSession, renewSession } from './session-secret.ts'

/**
 * Lets the caller act as another person of the organization, in the same session with a new secret.
 *
 * @throws Problem `not_found` if there is no such active person; `conflict` for oneself, or while the caller
 *   acts as another already.
 */
export async function startImpersonation(
  services: Services,
  origin: Origin<SessionCaller>,
  userId: string,
): Promise<Answer> {
  const { caller, work } = origin
  if (userId === caller.user.id) throw conflict('you are this person.')
  const person = await findSignInById(work.tx, userId)
  if (!person?.isActive || person.tenant.id !== caller.tenant.id) throw notFound()
  const { id, name } = caller.user
  const change = { userId, impersonatorId: id }
  const token = await renewSession(services, origin, change)
  await recordChange(origin, {
    action: 'impersonation.start',
    target: { type: 'user', id: userId },
    details: { session_id: caller.session.id },
  })
  const view = viewOf(caller, person, { id, name })
  return giveSession(services, token, { status: 201, view })
}

/** Lets the caller be themselves again. @throws Problem `conflict` if they are. */
export async function stopImpersonation(
  services: Services,
  origin: Origin<SessionCaller>,
): Promise<Answer> {
  const { caller, work } = origin
  const { impersonator } = caller.session
  if (!impersonator) throw conflict('nobody is impersonated.')
  const person = (await findSignInById(work.tx, impersonator.id))!
  const change = { userId: impersonator.id, impersonatorId: null }
  const token = await renewSession(services, origin, change)
  await recordChange(origin, {
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

const conflict = (reason: string): Problem => new Problem('conflict', { facts: { reason } })
