import { currentTimeMs } from '@hosting/core/clock'
import { Problem } from '@hosting/core/problems'
import { hashRecoveryCode, totpContext } from '@hosting/core/sessions'
import { bareCode } from '@hosting/core/text'
import { type Transaction } from '@hosting/postgres/database'
import { useRecoveryCode, useTimeStep } from '@hosting/postgres/sessions'
import { verifySync } from 'otplib'
import type { Needs, Services } from '../services.ts'

/** Codes of the previous and next time step are accepted, since clocks differ and people type slowly. */
const toleranceSeconds = 30

/** The time step of a code that is currently valid for the seed; `undefined` for any other code. */
export function timeStepOf(seed: string, code: string): number | undefined {
  const token = bareCode(code)
  if (!/^\d{6}$/.test(token)) return undefined
  const result = verifySync({
    secret: seed,
    token,
    epoch: Math.floor(currentTimeMs() / 1_000),
    epochTolerance: toleranceSeconds,
  })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}

/** Uses up an authenticator code. Returns whether it was valid. @throws Problem `service_unavailable` without a secrets store. */
export async function useTotpCode(
  services: Needs<'secrets'>,
  tx: Transaction,
  { userId, encryptedSeed, code }: { userId: string; encryptedSeed: string; code: string },
): Promise<boolean> {
  const seed = getSecretsStore(services).decrypt(encryptedSeed, totpContext(userId))
  const timeStep = timeStepOf(seed, code)
  return timeStep !== undefined && (await useTimeStep(tx, userId, timeStep))
}

/** Uses up a recovery code. Returns whether it was valid. */
export async function useCodeOfRecovery(
  { serverSecrets }: Needs<'serverSecrets'>,
  tx: Transaction,
  { userId, code }: { userId: string; code: string },
): Promise<boolean> {
  for (const serverSecret of serverSecrets) {
    const hash = hashRecoveryCode(serverSecret, userId, code)
    if (hash !== undefined && (await useRecoveryCode(tx, userId, hash))) return true
  }
  return false
}

/** Returns the secrets store. @throws Problem `service_unavailable` if it is not configured. */
export function getSecretsStore({ secrets }: Needs<'secrets'>): NonNullable<Services['secrets']> {
  if (!secrets) throw new Problem('service_unavailable')
  return secrets
}
