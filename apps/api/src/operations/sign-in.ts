import {
  accountNameOf,
  accountThrottle,
  addressGroup,
  addressThrottle,
  createSessionSecret,
  createUuidv7,
  currentTime,
  deviceCookie,
  findDeviceProof,
  findSessionToken,
  hashSessionSecret,
  Problem,
  sessionEnds,
  type DeviceProof,
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
  type SignInLookup,
  type SignInRecord,
} from '@hosting/postgres'
import { setTimeout } from 'node:timers/promises'
import { anonymous } from '../http/authenticate.ts'
import { actorOfUser } from '../http/caller.ts'
import type { Answer } from '../http/route.ts'
import { isHttps, lifeOf } from '../http/session.ts'
import { inWork, type Work } from '../http/work.ts'
import type { Services } from '../services.ts'
import { useCodeOfRecovery, useTotpCode } from './one-time-codes.ts'
import { withPasswordHasher, type PasswordHasher } from './password-hash.ts'
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
 *   or code, and a person who may not sign in; `totp_required`; `rate_limited`; `service_unavailable` if too many
 *   password checks wait.
 */
export const signIn = (
  services: Services,
  origin: SignInOrigin,
  credentials: Credentials,
): Promise<Answer> =>
  withPasswordHasher((hasher) => signInWith(services, origin, { hasher, ...credentials }))

async function signInWith(
  services: Services,
  origin: SignInOrigin,
  { hasher, email, password, totp_code: code }: Credentials & { readonly hasher: PasswordHasher },
): Promise<Answer> {
  const { database, log } = services
  const { record, proof, throttles } = await hasher.lookUp(async () => {
    const lookup = await findSignInByEmail(database.prisma, email)
    const found = findProof(services, origin, lookup.record)
    const charged = throttlesOf(services, origin, { lookup, proof: found })
    await chargeAttempt(database, Object.values(charged))
    return { record: lookup.record, proof: found, throttles: charged }
  })
  const names = Object.values(throttles).map(({ name }) => name)
  const isRight = await hasher.verify(record?.passwordHash, password)
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
    return openSession(services, work, { origin, record, method, proof })
  })
  if (!answer) throw await refuse(services, origin, { record, names })
  return answer
}

/** The proof that the person has signed in with this browser before, if it shows one. */
function findProof(
  services: Services,
  { cookie }: SignInOrigin,
  record: SignInRecord | undefined,
): DeviceProof | undefined {
  if (!record?.passwordHash) return undefined
  const owner = { userId: record.user.id, passwordHash: record.passwordHash }
  const shown = { isHttps: isHttps(services), header: cookie }
  return findDeviceProof(services.serverSecrets, owner, shown)
}

/**
 * What the attempt counts for: the address, and the account. With a browser that proves that the person has signed
 * in with it before, the account counts separately, so that nobody elsewhere can keep them waiting.
 */
function throttlesOf(
  { serverSecret }: Services,
  { ip }: SignInOrigin,
  { lookup, proof }: { lookup: SignInLookup; proof: DeviceProof | undefined },
) {
  const { record, loweredEmail } = lookup
  const identity = record ? { userId: record.user.id, browser: proof?.browser } : { loweredEmail }
  return {
    address: { name: `address:${addressGroup(ip)}`, rule: addressThrottle },
    account: { name: `account:${accountNameOf(serverSecret, identity)}`, rule: accountThrottle },
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
  {
    origin,
    record,
    method,
    proof,
  }: {
    origin: SignInOrigin
    record: SignInRecord
    method: string
    proof: DeviceProof | undefined
  },
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
  const device = deviceCookie(
    services.serverSecrets,
    { userId: user.id, passwordHash: record.passwordHash! },
    { isHttps: isHttps(services), header: origin.cookie, browser: proof?.browser },
  )
  const view = { user, tenant, session }
  return giveSession(services, token, { status: 201, view, cookies: [device] })
}

/** The session that the browser had before is dead after a sign-in; gives its id. */
async function endFormerSession(
  services: Services,
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

/** A refusal takes at least this long, in ms, so that its time does not tell whether an audit row was written. */
const refusalMs = 30

/** Records that the attempt failed, with an audit row for a known account, and gives the problem to throw. */
async function refuse(
  services: Services,
  origin: SignInOrigin,
  attempt: { record: SignInRecord | undefined; names: readonly string[] },
): Promise<Problem> {
  const [problem] = await Promise.all([
    recordRefusal(services, origin, attempt),
    setTimeout(refusalMs),
  ])
  return problem
}

async function recordRefusal(
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
