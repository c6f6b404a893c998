import {
  accountNameOf,
  accountThrottle,
  addressGroup,
  addressThrottle,
  createSessionSecret,
  createUuidv7,
  currentTime,
  findSessionToken,
  hashSessionSecret,
  Problem,
  sessionEnds,
} from '@hosting/core'
import {
  appendAuditEvent,
  createSession,
  endSessionBySecret,
  findSignInByEmail,
  forgetAttempts,
  forgiveAttempt,
  holdPassword,
  settleAttempt,
  type SignInRecord,
} from '@hosting/postgres'
import { anonymous } from '../http/authenticate.ts'
import { actorOfUser } from '../http/caller.ts'
import type { Answer } from '../http/route.ts'
import { isHttps, lifeOf } from '../http/session.ts'
import { inWork, type Work } from '../http/work.ts'
import type { Services } from '../services.ts'
import { useCodeOfRecovery, useTotpCode } from './one-time-codes.ts'
import { isPassword } from './password-hash.ts'
import { giveSession } from './session-secret.ts'
import { chargeAttempt } from './throttle.ts'

/** Where a sign-in comes from. */
export interface SignInOrigin {
  readonly ip: string
  readonly userAgent: string
  readonly requestId: string
  /** The header `Cookie`: a session that it names ends. */
  readonly cookie: string | undefined
}

/** What a person shows to sign in. */
export interface Credentials {
  readonly email: string
  readonly password: string
  /** A code of the authenticator, or a recovery code. */
  readonly totp_code?: string
}

/**
 * Signs a person in. No transaction is open while the password is being verified, which takes long.
 *
 * @throws Problem `invalid_credentials`, the same after the same work for an unknown address, a wrong password
 *   or code, and a person who may not sign in; `totp_required`; `rate_limited`.
 */
export async function signIn(
  services: Services,
  origin: SignInOrigin,
  { email, password, totp_code: code }: Credentials,
): Promise<Answer> {
  const { database, log } = services
  const record = await findSignInByEmail(database.prisma, email)
  const throttles = throttlesOf(services, origin, { email, record })
  const names = Object.values(throttles).map(({ name }) => name)
  await chargeAttempt(database, Object.values(throttles))
  const isRight = await isPassword(record?.passwordHash, password)
  if (!record?.isActive || !isRight) throw await refuse(services, origin, { record, names })
  if (record.sealedSeed !== null && code === undefined) {
    await forgiveAttempt(database.prisma, names)
    throw new Problem('totp_required')
  }
  const answer = await inWork(database, log, async (work) => {
    if (!(await holdPassword(work.tx, record.user.id, record.passwordHash!))) return undefined
    const method = await useSecondFactor(services, work, { record, code })
    if (!method) return undefined
    await forgetAttempts(work.tx, throttles.account.name)
    await forgiveAttempt(work.tx, [throttles.address.name])
    return openSession(services, work, { origin, record, method })
  })
  if (!answer) throw await refuse(services, origin, { record, names })
  return answer
}

/**
 * What the try counts for: the address, and the account. From where the person has signed in before, the
 * account counts apart, so that nobody elsewhere can keep them waiting.
 */
function throttlesOf(
  { serverSecret }: Services,
  { ip }: SignInOrigin,
  { email, record }: { email: string; record: SignInRecord | undefined },
) {
  const group = addressGroup(ip)
  const account = `account:${accountNameOf(serverSecret, email)}`
  const isKnown = record?.addresses.some((known) => addressGroup(known) === group) ?? false
  return {
    address: { name: `address:${group}`, rule: addressThrottle },
    account: { name: isKnown ? `${account}:${group}` : account, rule: accountThrottle },
  }
}

/** How the person has shown who they are; `undefined` if the code was not good. */
async function useSecondFactor(
  services: Services,
  { tx }: Work,
  { record, code = '' }: { record: SignInRecord; code: string | undefined },
): Promise<'password' | 'totp' | 'recovery_code' | undefined> {
  const { user, sealedSeed } = record
  if (sealedSeed === null) return 'password'
  if (await useCodeOfRecovery(services, tx, { userId: user.id, code })) return 'recovery_code'
  return (await useTotpCode(services, tx, { userId: user.id, sealedSeed, code }))
    ? 'totp'
    : undefined
}

async function openSession(
  services: Services,
  { tx }: Work,
  { origin, record, method }: { origin: SignInOrigin; record: SignInRecord; method: string },
): Promise<Answer> {
  const { serverSecret, config } = services
  const { user, tenant } = record
  const { ip, userAgent, requestId } = origin
  const now = currentTime()
  const token = createSessionSecret(createUuidv7())
  const ends = sessionEnds(lifeOf(config), now)
  const secretHash = hashSessionSecret(serverSecret, token)
  await createSession(tx, {
    id: token.id,
    userId: user.id,
    secretHash,
    ip,
    userAgent,
    now,
    ...ends,
  })
  const replaced = await endFormerSession(services, tx, origin.cookie)
  await appendAuditEvent(tx, {
    tenantId: tenant.id,
    action: 'session.create',
    outcome: 'success',
    actor: actorOfUser(user),
    target: { type: 'session', id: token.id },
    ip,
    requestId,
    details: { method, ...(replaced !== undefined && { replaces: replaced }) },
  })
  const session = { ...ends, confirmedAt: now, impersonator: null }
  return giveSession(services, token, { status: 201, view: { user, tenant, session } })
}

/** The session that the browser had before is dead after a sign-in; gives its id. */
async function endFormerSession(
  services: Services,
  tx: Work['tx'],
  cookie: string | undefined,
): Promise<string | undefined> {
  const former = findSessionToken(isHttps(services), cookie)
  if (!former) return undefined
  const secretHash = hashSessionSecret(services.serverSecret, former)
  return (await endSessionBySecret(tx, former.id, secretHash)) ? former.id : undefined
}

/**
 * Keeps that the try failed, with an audit row of a known account, and gives the problem to throw. An unknown
 * one commits as much, so that how long the answer takes does not tell one from the other.
 */
async function refuse(
  { database, log }: Services,
  { ip, requestId }: SignInOrigin,
  { record, names }: { record: SignInRecord | undefined; names: readonly string[] },
): Promise<Problem> {
  const problem = new Problem('invalid_credentials')
  await inWork(database, log, async ({ tx }) => {
    await settleAttempt(tx, names)
    if (!record) return
    await appendAuditEvent(tx, {
      tenantId: record.tenant.id,
      action: 'session.refuse',
      outcome: 'refused',
      reason: problem.code,
      actor: anonymous,
      target: { type: 'user', id: record.user.id },
      ip,
      requestId,
    })
  })
  return problem
}
