import { createUuidv7, currentTime } from '@hosting/core'
import type { Client, Transaction } from './database.ts'

/** The authenticator of a person. */
export interface TotpFactor {
  readonly sealedSeed: string
  /** Null: enrolled, but its first code was not shown yet. */
  readonly activatedAt: Date | null
}

/** The authenticator of a person, if there is one. */
export const findTotpFactor = (client: Client, userId: string): Promise<TotpFactor | null> =>
  client.totpFactor.findUnique({
    where: { userId },
    select: { sealedSeed: true, activatedAt: true },
  })

/** Keeps the authenticator of a person as it is until the transaction ends, also how its seed is sealed. */
export async function lockTotpFactor(tx: Transaction, userId: string): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM totp_factors WHERE user_id = ${userId}::uuid FOR UPDATE`
}

/**
 * Enrols an authenticator, in the place of one that was never activated.
 *
 * @returns whether it was: not if there is an active one.
 */
export async function enrolTotpFactor(
  tx: Transaction,
  userId: string,
  sealedSeed: string,
): Promise<boolean> {
  const count = await tx.$executeRaw`
    INSERT INTO totp_factors (user_id, sealed_seed) VALUES (${userId}::uuid, ${sealedSeed})
    ON CONFLICT (user_id) DO UPDATE SET sealed_seed = EXCLUDED.sealed_seed, created_at = now()
    WHERE totp_factors.activated_at IS NULL`
  return count === 1
}

/**
 * Activates an enrolled authenticator with the first code that was shown of it, and keeps the recovery
 * codes' hashes.
 *
 * @returns whether it was: not if it is active already, or another was enrolled meanwhile.
 */
export async function activateTotpFactor(
  tx: Transaction,
  { userId, sealedSeed }: { userId: string; sealedSeed: string },
  { timeStep, recoveryCodeHashes }: { timeStep: number; recoveryCodeHashes: readonly Buffer[] },
): Promise<boolean> {
  const { count } = await tx.totpFactor.updateMany({
    where: { userId, sealedSeed, activatedAt: null },
    data: { activatedAt: currentTime(), lastTimeStep: timeStep },
  })
  if (count === 0) return false
  await tx.recoveryCode.deleteMany({ where: { userId } })
  await tx.recoveryCode.createMany({
    data: recoveryCodeHashes.map((codeHash) => ({
      id: createUuidv7(),
      userId,
      codeHash: Uint8Array.from(codeHash),
    })),
  })
  return true
}

/**
 * Uses a time step up, and with it all before it.
 *
 * @returns whether it was not used before: of several that try at once, one does it.
 */
export async function useTimeStep(
  tx: Transaction,
  userId: string,
  timeStep: number,
): Promise<boolean> {
  const { count } = await tx.totpFactor.updateMany({
    where: {
      userId,
      activatedAt: { not: null },
      OR: [{ lastTimeStep: null }, { lastTimeStep: { lt: timeStep } }],
    },
    data: { lastTimeStep: timeStep },
  })
  return count === 1
}

/** Uses a recovery code up; gives whether it was good. */
export async function useRecoveryCode(
  tx: Transaction,
  userId: string,
  codeHash: Uint8Array,
): Promise<boolean> {
  const { count } = await tx.recoveryCode.updateMany({
    where: { userId, codeHash: Uint8Array.from(codeHash), usedAt: null },
    data: { usedAt: currentTime() },
  })
  return count === 1
}

/** How many recovery codes of a person are still good. */
export const countRecoveryCodes = (client: Client, userId: string): Promise<number> =>
  client.recoveryCode.count({ where: { userId, usedAt: null } })

/** Removes the authenticator of a person with its recovery codes; gives whether there was an active one. */
export async function removeTotpFactor(tx: Transaction, userId: string): Promise<boolean> {
  const { count } = await tx.totpFactor.deleteMany({
    where: { userId, activatedAt: { not: null } },
  })
  await tx.totpFactor.deleteMany({ where: { userId } })
  await tx.recoveryCode.deleteMany({ where: { userId } })
  return count === 1
}
