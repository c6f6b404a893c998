import { addressGroup } from '@hosting/core/network'
import { rateLimited } from '@hosting/core/problems'
import { addressTryLimit } from '@hosting/core/sessions'
import { type Database } from '@hosting/postgres/database'
import { takeTry, type TryCharge } from '@hosting/postgres/sessions'

/** Counts a try in its own transaction, whatever its result. @throws Problem `rate_limited` if it has to wait. */
export async function chargeTry(
  { prisma }: Database,
  charges: readonly TryCharge[],
): Promise<void> {
  requireNoWait(await prisma.$transaction((tx) => takeTry(tx, charges)))
}

/**
 * Requires that a caller need not wait.
 *
 * @param waitMs - how long it has to wait, in ms; 0 or less if it need not.
 * @throws Problem `rate_limited`.
 */
export function requireNoWait(waitMs: number): void {
  if (waitMs > 0) throw rateLimited(waitMs)
}

/** Counts everything that an address tries without being signed in. */
export const addressChargeOf = (ip: string): TryCharge => ({
  name: `address:${addressGroup(ip)}`,
  rule: addressTryLimit,
})
