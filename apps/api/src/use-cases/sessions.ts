import {
  accountThrottle,
  currentTime,
  notFound,
  Problem,
  sessionCookie,
  type ThrottleRule,
} from '@hosting/core'
import {
  findSignInById,
  forgetAttempts,
  holdPassword,
  revokeSession,
  type SignInRecord,
} from '@hosting/postgres'
import { personIdOf, type SessionCaller } from '../http/caller.ts'
import { HttpResponse } from '../http/route.ts'
import { isHttps } from '../http/session.ts'
import type { Services } from '../services.ts'
import { recordChange, recordRefusal, type RequestContext } from './audit.ts'
import { useTotpCode } from './one-time-codes.ts'
import { withPasswordHasher } from '../passwords/password-hash.ts'
import { giveSession, renewSession } from './session-secret.ts'
import { chargeTry } from './throttle.ts'

/** Signs out: ends the caller's session and deletes its cookie. */
export async function signOut(
  services: Services,
  context: RequestContext<SessionCaller>,
): Promise<HttpResponse> {
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

const recordEnd = (context: RequestContext<SessionCaller>, id: string): Promise<void> =>
  recordChange(context, { action: 'session.revoke', target: { type: 'session', id } })

/** The credentials of a step-up. */
export interface Confirmation {
  readonly password: string
  readonly totp_code?: string
}

/** The result of verifying the password of a step-up, outside any transaction. */
export interface VerifiedPassword {
  readonly record: SignInRecord
  readonly isRight: boolean
}

/**
 * Verifies the password of a step-up before its transaction opens. Tries are counted per session, so that nobody
 * without its cookie can lock the person out.
 *
 * @throws Problem `rate_limited`, or `service_unavailable` if too many password checks wait.
 */
export const verifyConfirmation = (
  { database }: Services,
  caller: SessionCaller,
  { password }: Confirmation,
): Promise<VerifiedPassword> =>
  withPasswordHasher(async (hasher) => {
    await chargeTry(database, [chargeOf(caller)])
    const record = (await findSignInById(database.prisma, personIdOf(caller)))!
    return { record, isRight: await hasher.verify(record.passwordHash, password) }
  })

/**
 * Step-up: the signed-in person confirms their identity, and the session gets a new secret.
 *
 * @throws Problem `invalid_credentials` or `totp_required`.
 */
export async function confirmSession(
  services: Services,
  context: RequestContext<SessionCaller>,
  { verified, code }: { verified: VerifiedPassword; code: string | undefined },
): Promise<HttpResponse> {
  const { caller, work } = context
  const refusal = await checkConfirmation(services, context, { verified, code })
  if (refusal) {
    await recordRefusal(context, {
      action: 'session.confirm',
      target: { type: 'session', id: caller.session.id },
      reason: refusal.code,
    })
    throw work.commitDespite(refusal)
  }
  await forgetAttempts(work.tx, chargeOf(caller).name)
  const confirmedAt = currentTime()
  const token = await renewSession(services, context, { confirmedAt })
  await recordChange(context, {
    action: 'session.confirm',
    target: { type: 'session', id: caller.session.id },
  })
  const view = { ...caller, session: { ...caller.session, confirmedAt } }
  return giveSession(services, token, { status: 200, view })
}

const chargeOf = ({ session }: SessionCaller): { name: string; rule: ThrottleRule } => ({
  name: `confirmation:${session.id}`,
  rule: accountThrottle,
})

async function checkConfirmation(
  services: Services,
  { work }: RequestContext<SessionCaller>,
  { verified: { record, isRight }, code }: { verified: VerifiedPassword; code: string | undefined },
): Promise<Problem | undefined> {
  const { user, passwordHash, sealedSeed } = record
  // The password may have changed since it was verified.
  if (!isRight || !(await holdPassword(work.tx, user.id, passwordHash!))) {
    return new Problem('invalid_credentials')
  }
  if (sealedSeed === null) return undefined
  if (code === undefined) return new Problem('totp_required')
  const isGood = await useTotpCode(services, work.tx, { userId: user.id, sealedSeed, code })
  return isGood ? undefined : new Problem('invalid_credentials')
}
