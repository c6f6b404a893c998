import type { Transaction } from '../database/database.ts'

/**
 * Makes a new version of a person's row with a change of their factors, so that a change that waits for the row reads
 * the factors again (caller-locks.ts).
 */
export async function markFactorChange(tx: Transaction, userId: string): Promise<void> {
  await tx.$executeRaw`UPDATE users SET id = id WHERE id = ${userId}::uuid`
}
