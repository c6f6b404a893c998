import { Secret } from '@hosting/core/configuration'
import { Problem } from '@hosting/core/problems'
import {
  accountNameOf,
  accountTryLimit,
  findDeviceProof,
  type DeviceProof,
} from '@hosting/core/sessions'
import { appendAuditEvent, type NewAuditEvent } from '@hosting/postgres/audit'
import { type Transaction } from '@hosting/postgres/database'
import {
  findSignInByEmail,
  findSignInById,
  forgetTries,
  forgiveTry,
  holdPassword,
  settleTry,
  type SignInLookup,
  type SignInRecord,
  type TryCharge,
} from '@hosting/postgres/sessions'
import { setTimeout } from 'node:timers/promises'
import { anonymous } from '../access/caller.ts'
import { isHttps } from '../access/session.ts'
import { inWork, type Work } from '../work.ts'
import type { PasswordCredentials } from '../schemas/credentials.ts'
import type { Needs } from '../services.ts'
import { useCodeOfRecovery, useTotpCode } from './one-time-codes.ts'
import { withPasswordHasher, type PasswordHasher } from '../passwords/password-hash.ts'
import { openSession, type SignedIn, type SignInContext, type SignInProof } from './open-session.ts'
import { addressChargeOf, chargeTry } from './count-try.ts'
import type { SessionResponse } from './session-secret.ts'
import { verifyPassword } from './passwords.ts'

/**
 * Signs a person in. No transaction is open while the password is verified, which takes long.
 *
 * @throws Problem `invalid_credentials`, the same after the same work for an unknown address, a wrong password
 *   or code, and a person who may not sign in; `totp_required`; `rate_limited`; `service_unavailable` if too many
 *   password checks wait.
 */
export const signIn = (
  services: Needs<'config' | 'database' | 'log' | 'secrets' | 'serverSecret' | 'serverSecrets'>,
  context: SignInContext,
  credentials: PasswordCredentials,
): Promise<SessionResponse> =>
  withPasswordHasher((hasher) => signInWith(services, context, { hasher, ...credentials }))

async function signInWith(
  services: Needs<'config' | 'database' | 'log' | 'secrets' | 'serverSecret' | 'serverSecrets'>,
  context: SignInContext,
  {
    hasher,
    email,
    password,
    totp_code: code,
  }: PasswordCredentials & { readonly hasher: PasswordHasher },
): Promise<SessionResponse> {
  const { database } = services
  const { record: found, charges } = await hasher.lookUp(async () => {
    const lookup = await findSignInByEmail(database.prisma, email)
    const charged = chargesOf(services, context, lookup)
    await chargeTry(database, Object.values(charged))
    return { record: lookup.record, charges: charged }
  })
  const passwordHash = await verifyPassword(services, hasher, { person: found, password })
  if (!found?.isActive || passwordHash === undefined) {
    throw await refuseSignIn(services, context, { record: found, names: namesOf(charges) })
  }
  const record = { ...found, passwordHash, formerPasswordHash: found.passwordHash }
  if (record.encryptedSeed !== null && code === undefined) {
    await forgiveTry(database.prisma, namesOf(charges))
    throw new CodeRequired(record)
  }
  return signInVerified(services, context, { record, charges, code })
}

/** The 401 `totp_required`, with what the panel needs to ask for the code on a page of its own. */
export class CodeRequired extends Problem {
  readonly userId: string
  /** The stored hash of the password that was verified. */
  readonly passwordHash: Secret<string>

  constructor({ user, passwordHash }: SignInRecord) {
    super('totp_required')
    this.userId = user.id
    this.passwordHash = new Secret(passwordHash!)
  }
}

/** A person whose password was verified. */
export interface VerifiedPerson {
  readonly record: SignedIn
  /** Under which the try was counted. */
  readonly charges: SignInCharges
  /** The code as the person typed it. */
  readonly code: string | undefined
}

/**
 * Opens a session for a person whose password was verified, if they have no authenticator or the code is right.
 *
 * @param take - uses up what else the sign-in needs, in its transaction.
 * @throws Problem `invalid_credentials`, with an audit row.
 */
export async function signInVerified(
  services: Needs<'config' | 'database' | 'log' | 'secrets' | 'serverSecret' | 'serverSecrets'>,
  context: SignInContext,
  { record, charges, code }: VerifiedPerson,
  take: (tx: Transaction) => Promise<void> = () => Promise.resolve(),
): Promise<SessionResponse> {
  const { database, log } = services
  const response = await inWork(database, log, async (work) => {
    if (!(await holdPassword(work.tx, record.user.id, record.passwordHash!))) return undefined
    // An authenticator may have been activated since the password was verified.
    const held = (await findSignInById(work.tx, record.user.id))!
    if (held.encryptedSeed !== null && code === undefined) return 'code_required'
    const factor = await useSecondFactor(services, work, { record: held, code })
    if (!factor) return undefined
    await take(work.tx)
    await forgetTries(work.tx, charges.account.name)
    await forgiveTry(work.tx, [charges.address.name])
    const shown: SignInProof = {
      method: 'password',
      secondFactor: factor === 'none' ? undefined : factor,
    }
    return openSession(services, work, { context, record, proof: shown })
  })
  if (response === 'code_required') {
    await forgiveTry(database.prisma, namesOf(charges))
    throw new CodeRequired(record)
  }
  if (!response) {
    throw await refuseSignIn(services, context, { record, names: namesOf(charges) })
  }
  return response
}

/** The proof in the browser's cookie that the person has signed in with this browser before. */
function findProof(
  services: Needs<'config' | 'serverSecrets'>,
  { cookie }: SignInContext,
  record: SignInRecord,
): DeviceProof | undefined {
  if (!record.passwordHash) return undefined
  const owner = { userId: record.user.id, passwordHash: record.passwordHash }
  const shown = { isHttps: isHttps(services), header: cookie }
  return findDeviceProof(services.serverSecrets, owner, shown)
}

/** What a try to sign in is counted by. */
export interface SignInCharges {
  readonly address: TryCharge
  readonly account: TryCharge
}

/**
 * A try counts by address and by account. A browser that proves an earlier sign-in of the person has its
 * own count for the account, so that nobody elsewhere can lock them out.
 *
 * @param loweredEmail - of a person who was not found.
 */
export function chargesOf(
  services: Needs<'config' | 'serverSecret' | 'serverSecrets'>,
  context: SignInContext,
  { record, loweredEmail = '' }: Pick<SignInLookup, 'record'> & Partial<SignInLookup>,
): SignInCharges {
  const identity = record
    ? { userId: record.user.id, browser: findProof(services, context, record)?.browser }
    : { loweredEmail }
  const account = accountNameOf(services.serverSecret, identity)
  return {
    address: addressChargeOf(context.ip),
    account: { name: `account:${account}`, rule: accountTryLimit },
  }
}

const namesOf = (charges: SignInCharges): string[] =>
  Object.values(charges).map(({ name }: TryCharge) => name)

/** Checks the second factor. Returns which one it is; `undefined` if the code is wrong. */
async function useSecondFactor(
  services: Needs<'secrets' | 'serverSecrets'>,
  { tx }: Work,
  { record, code = '' }: { record: SignInRecord; code: string | undefined },
): Promise<'none' | 'totp' | 'recovery_code' | undefined> {
  const { user, encryptedSeed } = record
  if (encryptedSeed === null) return 'none'
  if (await useCodeOfRecovery(services, tx, { userId: user.id, code })) return 'recovery_code'
  return (await useTotpCode(services, tx, { userId: user.id, encryptedSeed, code }))
    ? 'totp'
    : undefined
}

/** A refusal takes at least this long, in ms, so that its duration does not reveal whether an audit row was written. */
const refusalMs = 30

/** A failed try to sign in. */
export interface FailedSignIn {
  /** The known account. */
  readonly record: SignInRecord | undefined
  /** The names under which the try was counted. */
  readonly names: readonly string[]
  /** For the audit row. */
  readonly details?: NewAuditEvent['details']
  /** What else its transaction records. */
  readonly note?: (tx: Transaction) => Promise<void>
}

/** Records the failed try, with an audit row for a known account. Returns the problem to throw. */
export async function refuseSignIn(
  services: Needs<'database' | 'log'>,
  context: SignInContext,
  refusal: FailedSignIn,
): Promise<Problem> {
  await Promise.all([writeRefusal(services, context, refusal), setTimeout(refusalMs)])
  return new Problem('invalid_credentials')
}

async function writeRefusal(
  { database, log }: Needs<'database' | 'log'>,
  { ip, requestId }: SignInContext,
  { record, names, details, note }: FailedSignIn,
): Promise<void> {
  await inWork(database, log, async ({ tx }) => {
    await settleTry(tx, names)
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
      ...(details && { details }),
    })
    await note?.(tx)
  })
}
