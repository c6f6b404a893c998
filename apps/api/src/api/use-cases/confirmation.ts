import { currentTime } from '@hosting/core/clock'
import { Problem } from '@hosting/core/problems'
import { accountTryLimit } from '@hosting/core/sessions'
import {
  findSignInById,
  forgetTries,
  holdActivePerson,
  holdPassword,
  usePasskey,
  type SignInRecord,
  type TryCharge,
} from '@hosting/postgres/sessions'
import { personIdOf, type SessionCaller } from '../access/caller.ts'
import { CommittedProblem } from '../work.ts'
import { withPasswordHasher } from '../passwords/password-hash.ts'
import type { ConfirmationCredentials } from '../schemas/credentials.ts'
import type { Needs } from '../services.ts'
import { recordChange, recordRefusal, type RequestContext } from './audit.ts'
import { useTotpCode } from './one-time-codes.ts'
import { notifyOfCopy } from './passkey-sign-in.ts'
import { verifyPasskey, type ShownPasskey } from './passkey-verification.ts'
import { giveSession, renewSession, type SessionResponse } from './session-secret.ts'
import { chargeTry } from './count-try.ts'
import { verifyPassword } from './passwords.ts'

/** The verified credentials of a step-up. */
export type VerifiedConfirmation =
  | {
      readonly method: 'password'
      readonly record: SignInRecord
      /** The stored hash that the password matches; `undefined` if it is wrong. */
      readonly passwordHash: string | undefined
      readonly code: string | undefined
    }
  | ({ readonly method: 'passkey' } & ShownPasskey)

/**
 * Verifies the password or passkey of a step-up before its transaction opens. Tries are counted per session, so that
 * nobody without its cookie can lock the person out.
 *
 * @throws Problem `rate_limited`, `service_unavailable` if too many password checks wait, or `conflict` if the service
 *   has no relying party.
 */
export async function verifyConfirmation(
  services: Needs<'config' | 'database' | 'serverSecrets'>,
  caller: SessionCaller,
  confirmation: ConfirmationCredentials,
): Promise<VerifiedConfirmation> {
  const { database } = services
  if ('passkey' in confirmation) {
    await chargeTry(database, [chargeOf(caller)])
    return { method: 'passkey', ...(await verifyPasskey(services, confirmation.passkey)) }
  }
  const { password, totp_code: code } = confirmation
  return withPasswordHasher(async (hasher) => {
    await chargeTry(database, [chargeOf(caller)])
    const record = (await findSignInById(database.prisma, personIdOf(caller)))!
    const passwordHash = await verifyPassword(services, hasher, { person: record, password })
    return { method: 'password', record, passwordHash, code }
  })
}

/** A step-up with verified credentials. */
type ConfirmationContext = RequestContext<SessionCaller> & { readonly userAgent: string }

/**
 * Step-up: the signed-in person confirms their identity, and the session gets a new secret.
 *
 * @throws Problem `invalid_credentials` or `totp_required`.
 */
export async function confirmSession(
  services: Needs<'config' | 'secrets' | 'serverSecret'>,
  context: ConfirmationContext,
  verified: VerifiedConfirmation,
): Promise<SessionResponse | CommittedProblem> {
  const { caller, work } = context
  const result =
    verified.method === 'password'
      ? await checkPassword(services, context, verified)
      : await checkPasskey(context, verified)
  const target = { type: 'session', id: caller.session.id }
  if (result instanceof Problem) {
    await recordRefusal(context, { action: 'session.confirm', target, reason: result.code })
    return new CommittedProblem(result)
  }
  await forgetTries(work.tx, chargeOf(caller).name)
  const confirmedAt = currentTime()
  const token = await renewSession(services, context, { confirmedAt, ...result })
  const details = { method: verified.method }
  await recordChange(context, { action: 'session.confirm', target, details })
  const view = { ...caller, session: { ...caller.session, confirmedAt } }
  return giveSession(services, token, { status: 200, view })
}

const chargeOf = ({ session }: SessionCaller): TryCharge => ({
  name: `confirmation:${session.id}`,
  rule: accountTryLimit,
})

/** A successful step-up. */
interface Confirmed {
  /** Whether it used a passkey or a code. */
  readonly hasSecondFactor?: true
}

async function checkPassword(
  services: Needs<'secrets'>,
  { work }: ConfirmationContext,
  { record: { user }, passwordHash, code }: Extract<VerifiedConfirmation, { method: 'password' }>,
): Promise<Confirmed | Problem> {
  // The password may have changed since it was verified.
  if (passwordHash === undefined || !(await holdPassword(work.tx, user.id, passwordHash))) {
    return new Problem('invalid_credentials')
  }
  // An authenticator may have been activated since then, too.
  const { encryptedSeed } = (await findSignInById(work.tx, user.id))!
  if (encryptedSeed === null) return {}
  if (code === undefined) return new Problem('totp_required')
  const isGood = await useTotpCode(services, work.tx, { userId: user.id, encryptedSeed, code })
  return isGood ? { hasSecondFactor: true } : new Problem('invalid_credentials')
}

/** The passkey must be one of the person who signed in. */
async function checkPasskey(
  context: ConfirmationContext,
  { passkey, use }: ShownPasskey,
): Promise<Confirmed | Problem> {
  const { caller, work } = context
  const personId = personIdOf(caller)
  if (!use || passkey?.userId !== personId || !(await holdActivePerson(work.tx, personId))) {
    return new Problem('invalid_credentials')
  }
  const result = await usePasskey(work.tx, passkey.id, use)
  if (result === 'copied') {
    await notifyOfCopy(work.tx, passkey, { ...context, sessionId: caller.session.id })
  }
  return result === 'used' ? { hasSecondFactor: true } : new Problem('invalid_credentials')
}
