import { Problem } from '@hosting/core'
import { takeTry, type Database, type ThrottleCharge } from '@hosting/postgres'

/** Counts a try in its own transaction, whatever its result. @throws Problem `rate_limited` if it has to wait. */
export async function chargeTry(
  { prisma }: Database,
  charges: readonly ThrottleCharge[],
): Promise<void> {
  throwIfThrottled(await prisma.$transaction((tx) => takeTry(tx, charges)))
}

function throwIfThrottled(waitMs: number): void {
  if (waitMs <= 0) return
  const retryAfter = String(Math.ceil(waitMs / 1_000))
  throw new Problem('rate_limited', { headers: { 'Retry-After': retryAfter } })
}
