import { addressGroup } from '@hosting/core/network'
import { Problem } from '@hosting/core/problems'
import { addressThrottle } from '@hosting/core/sessions'
import { type Database } from '@hosting/postgres/database'
import { takeTry, type ThrottleCharge } from '@hosting/postgres/sessions'

/** Counts a try in its own transaction, whatever its result. @throws Problem `rate_limited` if it has to wait. */
export async function chargeTry(
  { prisma }: Database,
  charges: readonly ThrottleCharge[],
): Promise<void> {
  requireNoWait(await prisma.$transaction((tx) => takeTry(tx, charges)))
}

function requireNoWait(waitMs: number): void {
  if (waitMs <= 0) return
  const retryAfter = String(Math.ceil(waitMs / 1_000))
  throw new Problem('rate_limited', { headers: { 'Retry-After': retryAfter } })
}

/** The throttle of everything that an address tries without being signed in. */
export const addressChargeOf = (ip: string): ThrottleCharge => ({
  name: `address:${addressGroup(ip)}`,
  rule: addressThrottle,
})
