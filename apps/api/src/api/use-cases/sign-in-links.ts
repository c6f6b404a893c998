import { publicUrlOf } from '@hosting/core/configuration'
import { createUuidv7 } from '@hosting/core/ids'
import { conflict, notFound, validationFailed } from '@hosting/core/problems'
import {
  checkReturnPath,
  createSessionSecret,
  formatSessionToken,
  hashSignInLink,
  parseSessionToken,
  signInLinkMs,
  toLocation,
} from '@hosting/core/sessions'
import { appendAuditEvent } from '@hosting/postgres/audit'
import { type Client } from '@hosting/postgres/database'
import {
  insertSignInLink,
  findSignInById,
  findSignInLink,
  holdActivePerson,
  holdPerson,
  takeSignInLink,
  type SignInLinkRecord,
  type SignInRecord,
} from '@hosting/postgres/sessions'
import { inWork, type Work } from '../work.ts'
import type { SignInLinkFields } from '../schemas/credentials.ts'
import type { Needs } from '../services.ts'
import { actorOfService } from './directory-audit.ts'
import { openSession, type SignInContext } from './open-session.ts'
import type { SessionResponse } from './session-secret.ts'

/** A service's request for a sign-in link. */
interface LinkRequest {
  readonly caller: { readonly service: string | null }
  readonly params: { readonly id: string }
  readonly body: SignInLinkFields | undefined
  readonly ip: string
  readonly requestId: string
  readonly work: Work
}

/**
 * Creates a link that signs a person in to the panel. Only this response holds its token.
 *
 * @throws Problem `validation_failed`; `not_found` for an unknown, deleted or service user; `conflict` for a
 *   deactivated one.
 */
export async function createSignInLink(
  { config, serverSecret }: Needs<'config' | 'serverSecret'>,
  { caller: { service }, params, body, ip, requestId, work: { tx } }: LinkRequest,
): Promise<{ url: string; expires_at: Date }> {
  const { return_to: returnTo = '/', confirmed: isConfirmed = false } = body ?? {}
  const message = checkReturnPath(returnTo)
  if (message !== undefined) throw validationFailed({ pointer: '/return_to', message })
  const userId = params.id
  const person = await holdPerson(tx, userId)
  if (!person) throw notFound()
  if (person.status === 'deactivated') {
    throw conflict('the user is deactivated.')
  }
  const token = createSessionSecret(createUuidv7())
  const tokenHash = hashSignInLink(serverSecret, token)
  const link = { id: token.id, userId, tokenHash, returnTo, isConfirmed }
  const expiresAt = await insertSignInLink(tx, { ...link, lifetimeMs: signInLinkMs })
  await appendAuditEvent(tx, {
    tenantId: person.tenantId,
    action: 'sign_in_link.create',
    outcome: 'success',
    actor: actorOfService({ service }),
    target: { type: 'user', id: userId },
    ip,
    requestId,
    details: { service, confirmed: isConfirmed },
  })
  const url = `${publicUrlOf(config)}/sign-in/link/${formatSessionToken(token)}`
  return { url, expires_at: expiresAt }
}

/** Why a sign-in link does not work. */
export type LinkRefusal = 'link_unknown' | 'link_used' | 'link_expired' | 'link_user_inactive'

/** A link that can be used, with its person. */
interface UsableLink {
  readonly link: SignInLinkRecord
  readonly record: SignInRecord
}

/** Reads a sign-in link without using it. Returns the person, or why it does not work. */
export const readSignInLink = (
  services: Needs<'database' | 'serverSecrets'>,
  token: string,
): Promise<UsableLink | LinkRefusal> => findUsable(services, services.database.prisma, token)

/**
 * Redeems a sign-in link: opens a session for its person. Returns the response with the cookie and where the link leads,
 * or why it does not work.
 */
export const redeemSignInLink = (
  services: Needs<'config' | 'database' | 'log' | 'serverSecret' | 'serverSecrets'>,
  context: SignInContext,
  token: string,
): Promise<{ response: SessionResponse; location: string } | LinkRefusal> =>
  inWork(services.database, services.log, async (work) => {
    const found = await findUsable(services, work.tx, token)
    if (typeof found === 'string') return found
    const { link, record } = found
    // The user's row is locked before the others, in the order of packages/postgres/src/sessions/caller-locks.ts.
    if (!(await holdActivePerson(work.tx, record.user.id))) return 'link_user_inactive'
    if (!(await takeSignInLink(work.tx, parseSessionToken(token)!.id))) return 'link_used'
    const proof = { method: 'link', confirmedAt: link.confirmedAt } as const
    const response = await openSession(services, work, { context, record, proof })
    return { response, location: toLocation(link.returnTo) }
  })

async function findUsable(
  { serverSecrets }: Needs<'serverSecrets'>,
  client: Client,
  text: string,
): Promise<UsableLink | LinkRefusal> {
  const token = parseSessionToken(text)
  if (!token) return 'link_unknown'
  const hashes = serverSecrets.map((serverSecret) => hashSignInLink(serverSecret, token))
  const link = await findSignInLink(client, token.id, hashes)
  if (!link) return 'link_unknown'
  if (link.state === 'used') return 'link_used'
  const record = await findSignInById(client, link.userId)
  // Deactivation also ends the link. Check it first, so that the person sees the cause.
  if (!record?.isActive) return 'link_user_inactive'
  return link.state === 'valid' ? { link, record } : 'link_expired'
}
