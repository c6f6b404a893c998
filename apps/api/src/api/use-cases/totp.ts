import { currentTime } from '@hosting/core/clock'
import { conflict, Problem } from '@hosting/core/problems'
import { createRecoveryCodes, hashRecoveryCode, totpContext } from '@hosting/core/sessions'
import {
  activateTotpFactor,
  countRecoveryCodes,
  enrolTotpFactor,
  findTotpFactor,
  lockTotpFactor,
  removeTotpFactor,
  revokeSessionsOf,
} from '@hosting/postgres/sessions'
import { generateSecret, generateURI } from 'otplib'
import type { SessionCaller } from '../access/caller.ts'
import { CommittedProblem } from '../work.ts'
import type { Needs } from '../services.ts'
import {
  recordChange,
  recordRefusal,
  recordSecurityChange,
  type Change,
  type RequestContext,
} from './audit.ts'
import { getSecretsStore, timeStepOf } from './one-time-codes.ts'
import { requireSecondFactorKept } from './security-policy.ts'

/**
 * Enrols an authenticator app for the caller; its first code activates it. Only this response holds its seed.
 *
 * @throws Problem `service_unavailable` without a secrets store; `conflict` if one is active.
 */
export async function enrolTotp(
  services: Needs<'config' | 'secrets'>,
  context: RequestContext<SessionCaller>,
) {
  const { caller, work } = context
  const { id, email } = caller.user
  const secret = generateSecret()
  const encryptedSeed = getSecretsStore(services).encrypt(secret, totpContext(id))
  if (!(await enrolTotpFactor(work.tx, id, encryptedSeed))) throw activeAlready()
  await recordChange(context, { action: 'totp.enrol', target: { type: 'user', id } })
  const issuer = services.config.brandName
  return { otpauth_uri: generateURI({ issuer, label: email ?? id, secret }) }
}

/**
 * Activates the enrolled authenticator app with its first code, and ends the caller's other sessions, which were
 * opened without one. Only this response holds the recovery codes.
 *
 * @throws Problem `invalid_credentials` for a wrong code; `conflict` if none is enrolled.
 */
export async function activateTotp(
  services: Needs<'secrets' | 'serverSecret'>,
  context: RequestContext<SessionCaller>,
  code: string,
) {
  const { caller, work } = context
  const { id: userId } = caller.user
  await lockTotpFactor(work.tx, userId)
  const factor = await findTotpFactor(work.tx, userId)
  if (!factor) throw conflict('no authenticator app is enrolled.')
  if (factor.activatedAt) throw activeAlready()
  const { encryptedSeed } = factor
  const seed = getSecretsStore(services).decrypt(encryptedSeed, totpContext(userId))
  const timeStep = timeStepOf(seed, code)
  const target = { type: 'user', id: userId }
  if (timeStep === undefined) {
    await recordRefusal(context, { action: 'totp.activate', target, reason: 'invalid_credentials' })
    return new CommittedProblem(new Problem('invalid_credentials'))
  }
  const codes = createRecoveryCodes()
  const hashes = codes.map((text) => hashRecoveryCode(services.serverSecret, userId, text)!)
  const enrolled = { userId, encryptedSeed }
  if (!(await activateTotpFactor(work.tx, enrolled, { timeStep, recoveryCodeHashes: hashes }))) {
    throw activeAlready()
  }
  await revokeSessionsOf(work.tx, userId, { now: currentTime(), exceptId: caller.session.id })
  await recordSecurityChange(context, { action: 'totp.activate', target }, 'authenticator_added')
  return { recovery_codes: codes }
}

/**
 * Removes the caller's authenticator app and its recovery codes. Idempotent.
 *
 * @throws Problem `conflict` if it is the last second factor and the organization requires one.
 */
export async function removeTotp(context: RequestContext<SessionCaller>): Promise<void> {
  const { caller, work } = context
  const { id } = caller.user
  if (!(await removeTotpFactor(work.tx, id))) return
  await requireSecondFactorKept(context)
  const change = { action: 'totp.remove', target: { type: 'user', id } } satisfies Change
  await recordSecurityChange(context, change, 'authenticator_removed')
}

/** Whether the caller has an active authenticator app, and how many recovery codes are left. */
export async function readTotpState(
  { database: { prisma } }: Needs<'database'>,
  { user }: { user: Pick<SessionCaller['user'], 'id'> },
) {
  const factor = await findTotpFactor(prisma, user.id)
  const isActive = Boolean(factor?.activatedAt)
  return { isActive, recoveryCodesLeft: isActive ? await countRecoveryCodes(prisma, user.id) : 0 }
}

const activeAlready = (): Problem =>
  conflict('an authenticator app is already active. Remove it first.')
