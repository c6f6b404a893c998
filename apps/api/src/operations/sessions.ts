import {
  accountThrottle,
  currentTime,
  notFound,
  Problem,
  sessionCookie,
  type ThrottleRule,
} from '@hosting/core'
import { findSignInById, forgetAttempts, revokeSession, type SignInRecord } from '@hosting/postgres'
import { personIdOf, type SessionCaller } from '../http/caller.ts'
import { Answer } from '../http/route.ts'
import { isHttps } from '../http/session.ts'
import type { Services } from '../services.ts'
import { recordChange, recordRefusal, type Origin } from './audit.ts'
import { useTotpCode } from './one-time-codes.ts'
import { isPassword } from './password-hash.ts'
import { giveSession, renewSession } from './session-secret.ts'
import { chargeAttemptWithin } from './throttle.ts'

/** Signs out: the caller's session ends, and the browser forgets its cookie. */
export async function signOut(services: Services, origin: Origin<SessionCaller>): Promise<Answer> {
  const { caller, work } = origin
  if (await revokeSession(work.tx, personIdOf(caller), caller.session.id, currentTime())) {
    await recordEnd(origin, caller.session.id)
  }
  return new Answer(204, undefined, { 'Set-Cookie': sessionCookie(isHttps(services), undefined) })
}

/** Ends one of the person's sessions. @throws Problem `not_found` */
export async function endSession(origin: Origin<SessionCaller>, id: string): Promise<void> {
  const { caller, work } = origin
  if (!(await revokeSession(work.tx, personIdOf(caller), id, currentTime()))) throw notFound()
  await recordEnd(origin, id)
}

const recordEnd = (origin: Origin<SessionCaller>, id: string): Promise<void> =>
  recordChange(origin, { action: 'session.revoke', target: { type: 'session', id } })

/** What a person shows to confirm who they are. */
export interface Confirmation {
  readonly password: string
  readonly totp_code?: string
}

/**
 * Step-up: the person at the keyboard shows again who they are, and the session gets a new secret. Tries are
 * counted by session, so that nobody without its cookie can hold them up.
 *
 * @throws Problem `invalid_credentials`, `totp_required` or `rate_limited`.
 */
export async function confirmSession(
  services: Services,
  origin: Origin<SessionCaller>,
  confirmation: Confirmation,
): Promise<Answer> {
  const { caller, work } = origin
  const charge = chargeOf(caller)
  await chargeAttemptWithin(work, [charge])
  const record = (await findSignInById(work.tx, personIdOf(caller)))!
  const refusal = await judgeConfirmation(services, origin, { record, confirmation })
  if (refusal) {
    await recordRefusal(origin, {
      action: 'session.confirm',
      target: { type: 'session', id: caller.session.id },
      reason: refusal.code,
    })
    throw work.commitDespite(refusal)
  }
  await forgetAttempts(work.tx, charge.name)
  const confirmedAt = currentTime()
  const token = await renewSession(services, origin, { confirmedAt })
  await recordChange(origin, {
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

async function judgeConfirmation(
  services: Services,
  { work }: Origin<SessionCaller>,
  { record, confirmation }: { record: SignInRecord; confirmation: Confirmation },
): Promise<Problem | undefined> {
  const { password, totp_code: code } = confirmation
  if (!(await isPassword(record.passwordHash, password))) return new Problem('invalid_credentials')
  const { sealedSeed } = record
  if (sealedSeed === null) return undefined
  if (code === undefined) return new Problem('totp_required')
  const given = { userId: record.user.id, sealedSeed, code }
  const isGood = await useTotpCode(services, work.tx, given)
  return isGood ? undefined : new Problem('invalid_credentials')
}
