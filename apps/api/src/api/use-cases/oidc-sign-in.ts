import { currentTime } from '@hosting/core/clock'
import { appendAuditEvent } from '@hosting/postgres/audit'
import {
  findSignInByEmail,
  findSignInById,
  forgiveTry,
  holdActivePerson,
  takeNonce,
  type SignInRecord,
} from '@hosting/postgres/sessions'
import { hash } from 'node:crypto'
import { anonymous, personIdOf, type SessionCaller } from '../access/caller.ts'
import { isUuid } from '../schemas/validation.ts'
import { inWork } from '../work.ts'
import type { Needs } from '../services.ts'
import { recordChange, recordRefusal } from './audit.ts'
import type { Identity, ProviderFlow } from '../issuers/identity-provider.ts'
import { openSession, type SignInContext } from './open-session.ts'
import { giveSession, renewSession, type SessionResponse } from './session-secret.ts'
import { addressChargeOf, chargeTry } from './count-try.ts'

/** Why an identity of the provider does not open or confirm a session. */
export type IdentityRefusal =
  | 'oidc_email_unverified'
  | 'oidc_unknown'
  | 'oidc_inactive'
  | 'oidc_other_person'

/**
 * Admits a callback before the provider is asked: counts it as a failed try of its address, which a successful sign-in
 * reverts, and uses up its `state`.
 *
 * @param flowMs - how long the browser keeps the flow, in ms.
 * @returns whether the callback has the state of the flow for the first time, over all processes.
 * @throws Problem `rate_limited`
 */
export async function admitCallback(
  { database }: Needs<'database'>,
  { ip }: SignInContext,
  { query, flow, flowMs }: { query: string; flow: ProviderFlow; flowMs: number },
): Promise<boolean> {
  await chargeTry(database, [addressChargeOf(ip)])
  if (new URLSearchParams(query).get('state') !== flow.state) return false
  return takeNonce(database, hash('sha256', flow.state, 'buffer'), flowMs)
}

/** Signs in the person of an identity. Returns the response with the cookie, or why it is refused. */
export async function signInByIdentity(
  services: Needs<'config' | 'database' | 'log' | 'serverSecret' | 'serverSecrets'>,
  context: SignInContext,
  identity: Identity,
): Promise<SessionResponse | IdentityRefusal> {
  const record = await findByIdentity(services, identity)
  if (typeof record === 'string') return record
  return inWork(services.database, services.log, async (work) => {
    const isActive = record.isActive && (await holdActivePerson(work.tx, record.user.id))
    if (isActive) {
      await forgiveTry(work.tx, [addressChargeOf(context.ip).name])
      const proof = { method: 'oidc', ...confirmationOf(identity) } as const
      return openSession(services, work, { context, record, proof })
    }
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
  services: Needs<'config' | 'database' | 'log' | 'serverSecret'>,
  { caller, ip, requestId }: SignInContext & { readonly caller: SessionCaller },
  identity: Identity,
): Promise<SessionResponse | IdentityRefusal> {
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
    await forgiveTry(work.tx, [addressChargeOf(ip).name])
    const { confirmedAt = currentTime() } = confirmationOf(identity)
    const token = await renewSession(services, context, { confirmedAt })
    const details = { method: 'oidc' }
    await recordChange(context, { action: 'session.confirm', target, details })
    const view = { ...caller, session: { ...caller.session, confirmedAt } }
    return giveSession(services, token, { status: 200, view })
  })
}

/**
 * The person confirmed their identity when they authenticated at the provider, which may be long ago: otherwise,
 * whoever sits at their browser could confirm without a password. Without that time, it is now.
 */
const confirmationOf = ({ authenticatedAt }: Identity): { confirmedAt?: Date } =>
  authenticatedAt === undefined ? {} : { confirmedAt: authenticatedAt }

/** Finds the person of an identity, in any state except deleted. */
async function findByIdentity(
  { config, database: { prisma } }: Needs<'config' | 'database'>,
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
