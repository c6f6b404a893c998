import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import type { Client, Transaction } from '../database/database.ts'

/** The authenticator of a person. */
export interface TotpFactor {
  readonly encryptedSeed: string
  /** Null if it is enrolled, but no code of it has been entered yet. */
  readonly activatedAt: Date | null
}

/** The authenticator of a person, if there is one. */
export const findTotpFactor = (client: Client, userId: string): Promise<TotpFactor | null> =>
  client.totpFactor.findUnique({
    where: { userId },
    select: { encryptedSeed: true, activatedAt: true },
  })

/** Locks the authenticator of a person until the transaction ends, including its encrypted seed. */
export async function lockTotpFactor(tx: Transaction, userId: string): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM totp_factors WHERE user_id = ${userId}::uuid FOR UPDATE`
}

/**
 * Enrols an authenticator, replacing one that was never activated.
 *
 * @returns whether it was enrolled: it is not if there is an active one.
 */
export async function enrolTotpFactor(
  tx: Transaction,
  userId: string,
  encryptedSeed: string,
): Promise<boolean> {
  const count = await tx.$executeRaw`
    INSERT INTO totp_factors (user_id, encrypted_seed) VALUES (${userId}::uuid, ${encryptedSeed})
    ON CONFLICT (user_id) DO UPDATE SET encrypted_seed = EXCLUDED.encrypted_seed, created_at = now()
    WHERE totp_factors.activated_at IS NULL`
  return count === 1
}

/**
 * Activates an enrolled authenticator, whose first code was entered, and stores the hashes of the
 * recovery codes.
 *
 * @returns whether it was activated: it is not if it is already active, or another one was enrolled
 * meanwhile.
 */
export async function activateTotpFactor(
  tx: Transaction,
  { userId, encryptedSeed }: { userId: string; encryptedSeed: string },
  { timeStep, recoveryCodeHashes }: { timeStep: number; recoveryCodeHashes: readonly Buffer[] },
): Promise<boolean> {
  const { count } = await tx.totpFactor.updateMany({
    where: { userId, encryptedSeed, activatedAt: null },
    data: { activatedAt: currentTime(), lastTimeStep: timeStep },
  })
  if (count === 0) return false
  await markFactorChange(tx, userId)
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
 * Marks a time step and all earlier ones as used.
 *
 * @returns whether it was unused. Only one of several concurrent calls succeeds.
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

/** Marks a recovery code as used. Returns whether it was valid. */
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

/** Returns the number of a person's unused recovery codes. */
export const countRecoveryCodes = (client: Client, userId: string): Promise<number> =>
  client.recoveryCode.count({ where: { userId, usedAt: null } })

/**
 * Deletes the authenticator of a person and its recovery codes. Returns whether there was an active one.
 */
export async function removeTotpFactor(tx: Transaction, userId: string): Promise<boolean> {
  const { count } = await tx.totpFactor.deleteMany({
    where: { userId, activatedAt: { not: null } },
  })
  await tx.totpFactor.deleteMany({ where: { userId } })
  await tx.recoveryCode.deleteMany({ where: { userId } })
  await markFactorChange(tx, userId)
  return count === 1
}

/**
 * Makes a new version of a person's row with a change of their factors, so that a change that waits for the row reads
 * the factors again (caller-locks.ts).
 */
export async function markFactorChange(tx: Transaction, userId: string): Promise<void> {
  await tx.$executeRaw`UPDATE users SET id = id WHERE id = ${userId}::uuid`
}
