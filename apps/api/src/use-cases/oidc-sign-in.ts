import { currentTime } from '@hosting/core'
import {
  appendAuditEvent,
  findSignInByEmail,
  findSignInById,
  holdActivePerson,
  type SignInRecord,
} from '@hosting/postgres'
import { anonymous } from '../http/authenticate.ts'
import { personIdOf, type SessionCaller } from '../http/caller.ts'
import type { HttpResponse } from '../http/route.ts'
import { isUuid } from '../http/validation.ts'
import { inWork } from '../http/work.ts'
import type { Services } from '../services.ts'
import { recordChange, recordRefusal } from './audit.ts'
import type { Identity } from './identity-provider.ts'
import { openSession, type SignInContext } from './open-session.ts'
import { giveSession, renewSession } from './session-secret.ts'

/** Why an identity of the provider does not open or confirm a session. */
export type IdentityRefusal =
  'oidc_email_unverified' | 'oidc_unknown' | 'oidc_inactive' | 'oidc_other_person'

/** Signs in the person of an identity. Returns the response with the cookie, or why it is refused. */
export async function signInByIdentity(
  services: Services,
  context: SignInContext,
  identity: Identity,
): Promise<HttpResponse | IdentityRefusal> {
  const record = await findByIdentity(services, identity)
  if (typeof record === 'string') return record
  return inWork(services.database, services.log, async (work) => {
    const isActive = record.isActive && (await holdActivePerson(work.tx, record.user.id))
    if (isActive) return openSession(services, work, { context, record, proof: { method: 'oidc' } })
    await appendAuditEvent(work.tx, {
      tenantId: record.tenant.id,
      action: 'session.refuse',
      outcome: 'refused',
      reason: 'invalid_credentials',
      actor: anonymous,
      target: { type: 'user', id: record.user.id },
      ip: context.ip,
      requestId: context.requestId,
      details: { method: 'oidc' },
    })
    return 'oidc_inactive'
  })
}

/** Step-up: confirms the caller's session if the identity is that of its person. The session gets a new secret. */
export async function confirmByIdentity(
  services: Services,
  { caller, ip, requestId }: SignInContext & { readonly caller: SessionCaller },
  identity: Identity,
): Promise<HttpResponse | IdentityRefusal> {
  const record = await findByIdentity(services, identity)
  const isSame = typeof record !== 'string' && record.user.id === personIdOf(caller)
  const target = { type: 'session', id: caller.session.id }
  return inWork(services.database, services.log, async (work) => {
    const context = { caller, ip, requestId, work }
    if (!isSame || !(await holdActivePerson(work.tx, personIdOf(caller)))) {
      const reason = 'invalid_credentials'
      await recordRefusal(context, { action: 'session.confirm', target, reason })
      return 'oidc_other_person'
    }
    const confirmedAt = currentTime()
    const token = await renewSession(services, context, { confirmedAt })
    const details = { method: 'oidc' }
    await recordChange(context, { action: 'session.confirm', target, details })
    const view = { ...caller, session: { ...caller.session, confirmedAt } }
    return giveSession(services, token, { status: 200, view })
  })
}

/** Finds the person of an identity, in any state except deleted. */
async function findByIdentity(
  { config, database: { prisma } }: Services,
  { verifiedEmail, userId }: Identity,
): Promise<SignInRecord | IdentityRefusal> {
  if (config.oidcUserClaim !== undefined) {
    if (userId === undefined || !isUuid(userId)) return 'oidc_unknown'
    const record = await findSignInById(prisma, userId)
    return record?.user.kind === 'human' ? record : 'oidc_unknown'
  }
  if (verifiedEmail === undefined) return 'oidc_email_unverified'
  const { record } = await findSignInByEmail(prisma, verifiedEmail)
  return record?.user.kind === 'human' ? record : 'oidc_unknown'
}
