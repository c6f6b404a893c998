import {
  accountNameOf,
  accountThrottle,
  addressGroup,
  addressThrottle,
  findDeviceProof,
  Problem,
  type DeviceProof,
} from '@hosting/core'
import {
  appendAuditEvent,
  findSignInByEmail,
  forgetAttempts,
  forgiveTry,
  holdPassword,
  settleAttempt,
  type SignInLookup,
  type SignInRecord,
} from '@hosting/postgres'
import { setTimeout } from 'node:timers/promises'
import { anonymous } from '../http/authenticate.ts'
import type { HttpResponse } from '../http/route.ts'
import { isHttps } from '../http/session.ts'
import { inWork, type Work } from '../http/work.ts'
import type { Services } from '../services.ts'
import { useCodeOfRecovery, useTotpCode } from './one-time-codes.ts'
import { withPasswordHasher, type PasswordHasher } from '../passwords/password-hash.ts'
import { openSession, type SignInContext, type SignInProof } from './open-session.ts'
import { chargeTry } from './throttle.ts'

/** The credentials of a sign-in. */
export interface Credentials {
  readonly email: string
  readonly password: string
  /** An authenticator code or a recovery code. */
  readonly totp_code?: string
}

/**
 * Signs a person in. No transaction is open while the password is verified, which takes long.
 *
 * @throws Problem `invalid_credentials`, the same after the same work for an unknown address, a wrong password
 *   or code, and a person who may not sign in; `totp_required`; `rate_limited`; `service_unavailable` if too many
 *   password checks wait.
 */
export const signIn = (
  services: Services,
  context: SignInContext,
  credentials: Credentials,
): Promise<HttpResponse> =>
  withPasswordHasher((hasher) => signInWith(services, context, { hasher, ...credentials }))

async function signInWith(
  services: Services,
  context: SignInContext,
  { hasher, email, password, totp_code: code }: Credentials & { readonly hasher: PasswordHasher },
): Promise<HttpResponse> {
  const { database, log } = services
  const { record, throttles } = await hasher.lookUp(async () => {
    const lookup = await findSignInByEmail(database.prisma, email)
    const found = findProof(services, context, lookup.record)
    const charged = throttlesOf(services, context, { lookup, proof: found })
    await chargeTry(database, Object.values(charged))
    return { record: lookup.record, throttles: charged }
  })
  const names = Object.values(throttles).map(({ name }) => name)
  const isRight = await hasher.verify(record?.passwordHash, password)
  if (!record?.isActive || !isRight) {
    await recordRefusal(services, context, { record, names })
    throw new Problem('invalid_credentials')
  }
  if (record.sealedSeed !== null && code === undefined) {
    await forgiveTry(database.prisma, names)
    throw new Problem('totp_required')
  }
  const response = await inWork(database, log, async (work) => {
    if (!(await holdPassword(work.tx, record.user.id, record.passwordHash!))) return undefined
    const factor = await useSecondFactor(services, work, { record, code })
    if (!factor) return undefined
    await forgetAttempts(work.tx, throttles.account.name)
    await forgiveTry(work.tx, [throttles.address.name])
    const shown: SignInProof = {
      method: 'password',
      secondFactor: factor === 'none' ? undefined : factor,
    }
    return openSession(services, work, { context, record, proof: shown })
  })
  if (!response) {
    await recordRefusal(services, context, { record, names })
    throw new Problem('invalid_credentials')
  }
  return response
}

/** The proof in the browser's cookie that the person has signed in with this browser before. */
function findProof(
  services: Services,
  { cookie }: SignInContext,
  record: SignInRecord | undefined,
): DeviceProof | undefined {
  if (!record?.passwordHash) return undefined
  const owner = { userId: record.user.id, passwordHash: record.passwordHash }
  const shown = { isHttps: isHttps(services), header: cookie }
  return findDeviceProof(services.serverSecrets, owner, shown)
}

/**
 * The throttles of a try: by address and by account. A browser that proves an earlier sign-in of the person has its
 * own account throttle, so that nobody elsewhere can lock them out.
 */
function throttlesOf(
  { serverSecret }: Services,
  { ip }: SignInContext,
  { lookup, proof }: { lookup: SignInLookup; proof: DeviceProof | undefined },
) {
  const { record, loweredEmail } = lookup
  const identity = record ? { userId: record.user.id, browser: proof?.browser } : { loweredEmail }
  return {
    address: { name: `address:${addressGroup(ip)}`, rule: addressThrottle },
    account: { name: `account:${accountNameOf(serverSecret, identity)}`, rule: accountThrottle },
  }
}

/** Checks the second factor. Returns which one it is; `undefined` if the code is wrong. */
async function useSecondFactor(
  services: Services,
  { tx }: Work,
  { record, code = '' }: { record: SignInRecord; code: string | undefined },
): Promise<'none' | 'totp' | 'recovery_code' | undefined> {
  const { user, sealedSeed } = record
  if (sealedSeed === null) return 'none'
  if (await useCodeOfRecovery(services, tx, { userId: user.id, code })) return 'recovery_code'
  return (await useTotpCode(services, tx, { userId: user.id, sealedSeed, code }))
    ? 'totp'
    : undefined
}

/** A refusal takes at least this long, in ms, so that its duration does not reveal whether an audit row was written. */
const refusalMs = 30

/** Records the failed try, with an audit row for a known account. */
async function recordRefusal(
  services: Services,
  context: SignInContext,
  attempt: { record: SignInRecord | undefined; names: readonly string[] },
): Promise<void> {
  await Promise.all([writeRefusal(services, context, attempt), setTimeout(refusalMs)])
}

async function writeRefusal(
  { database, log }: Services,
  { ip, requestId }: SignInContext,
  { record, names }: { record: SignInRecord | undefined; names: readonly string[] },
): Promise<void> {
  await inWork(database, log, async ({ tx }) => {
    await settleAttempt(tx, names)
    if (!record) return
    await appendAuditEvent(tx, {
      tenantId: record.tenant.id,
      action: 'session.refuse',
      outcome: 'refused',
      reason: 'invalid_credentials',
      actor: anonymous,
      target: { type: 'user', id: record.user.id },
      ip,
      requestId,
    })
  })
}
