import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import {
  createSessionSecret,
  deviceCookie,
  findDeviceProof,
  findSessionToken,
  hashSessionSecret,
  sessionEnds,
  type SignInMethod,
} from '@hosting/core/sessions'
import { appendAuditEvent } from '@hosting/postgres/audit'
import { createSession, endSessionBySecret, type SignInRecord } from '@hosting/postgres/sessions'
import { actorOfUser } from '../access/caller.ts'
import { isHttps, lifeOf } from '../access/session.ts'
import type { Work } from '../work.ts'
import type { Needs } from '../services.ts'
import { notifyOfNewDevice } from './notices.ts'
import { giveSession, type SessionResponse } from './session-secret.ts'

/** The request of a sign-in. */
export interface SignInContext {
  readonly ip: string
  readonly userAgent: string
  readonly requestId: string
  /** The `Cookie` header. If it names a session, that session ends. */
  readonly cookie: string | undefined
}

/** How a person has proved who they are. */
export interface SignInProof {
  readonly method: SignInMethod
  /** The second factor of a sign-in by password. */
  readonly secondFactor?: 'totp' | 'recovery_code' | undefined
  /** When the person confirmed their identity; null if they did not. Default: now. */
  readonly confirmedAt?: Date | null
  /** Further cookies for the browser. */
  readonly cookies?: readonly string[]
}

/** A person who signs in. `formerPasswordHash`: the hash before this sign-in, which may have replaced it. */
export type SignedIn = SignInRecord & { readonly formerPasswordHash?: string | null }

/**
 * Opens a session for a person whom the transaction holds as active, and ends the one that the browser had before.
 * Returns the response with its cookie.
 */
export async function openSession(
  services: Needs<'config' | 'serverSecret' | 'serverSecrets'>,
  { tx }: Pick<Work, 'tx'>,
  { context, record, proof }: { context: SignInContext; record: SignedIn; proof: SignInProof },
): Promise<SessionResponse> {
  const { serverSecret, config } = services
  const { user, tenant } = record
  const { ip, userAgent, requestId } = context
  const { method, secondFactor, cookies = [] } = proof
  const now = currentTime()
  const confirmedAt = proof.confirmedAt === undefined ? now : (proof.confirmedAt ?? neverConfirmed)
  const token = createSessionSecret(createUuidv7())
  const ends = sessionEnds(lifeOf(config), now)
  const secretHash = hashSessionSecret(serverSecret, token)
  const hasSecondFactor = method === 'passkey' || secondFactor !== undefined
  const session = {
    id: token.id,
    userId: user.id,
    secretHash,
    ip,
    userAgent,
    method,
    hasSecondFactor,
  }
  await createSession(tx, { ...session, now, confirmedAt, ...ends })
  const device = findDevice(services, context, record)
  if (!device.isKnown) {
    await notifyOfNewDevice(tx, { userId: user.id, sessionId: token.id, userAgent, ip, now })
  }
  const replaced = await endFormerSession(services, tx, context.cookie)
  await appendAuditEvent(tx, {
    tenantId: tenant.id,
    action: 'session.create',
    outcome: 'success',
    actor: actorOfUser(user),
    target: { type: 'session', id: token.id },
    ip,
    requestId,
    details: {
      method,
      ...(secondFactor !== undefined && { second_factor: secondFactor }),
      ...(replaced !== undefined && { replaces: replaced }),
    },
  })
  const view = { user, tenant, session: { ...ends, confirmedAt, impersonator: null } }
  return giveSession(services, token, {
    status: 201,
    view,
    cookies: [device.cookie, ...cookies],
  })
}

/**
 * Whether the browser has a device cookie of the person, and the cookie with which it proves this sign-in later. It is
 * bound to the password, if the person has one.
 */
function findDevice(
  services: Needs<'config' | 'serverSecrets'>,
  { cookie: header }: SignInContext,
  { user, passwordHash, formerPasswordHash }: SignedIn,
): { isKnown: boolean; cookie: string } {
  const owner = { userId: user.id, passwordHash: passwordHash ?? '' }
  const former = { ...owner, passwordHash: formerPasswordHash ?? owner.passwordHash }
  const shown = { isHttps: isHttps(services), header }
  const known = findDeviceProof(services.serverSecrets, former, shown)
  const cookie = deviceCookie(services.serverSecrets, owner, { ...shown, browser: known?.browser })
  return { isKnown: known !== undefined, cookie }
}

/** The time of confirmation of a session whose person has not confirmed their identity. */
const neverConfirmed = new Date(0)

/** Ends the session that the browser had before. Returns its id. */
async function endFormerSession(
  services: Needs<'config' | 'serverSecrets'>,
  tx: Work['tx'],
  cookie: string | undefined,
): Promise<string | undefined> {
  const former = findSessionToken(isHttps(services), cookie)
  if (!former) return undefined
  for (const serverSecret of services.serverSecrets) {
    const secretHash = hashSessionSecret(serverSecret, former)
    if (await endSessionBySecret(tx, former.id, secretHash)) return former.id
  }
  return undefined
}
