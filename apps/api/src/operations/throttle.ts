import { Problem } from '@hosting/core'
import { takeAttempt, type Database, type ThrottleCharge } from '@hosting/postgres'

/** Counts a try by itself, whatever becomes of it. @throws Problem `rate_limited` if it has to wait. */
export async function chargeAttempt(
  { prisma }: Database,
  charges: readonly ThrottleCharge[],
): Promise<void> {
  refuseIfHasty(await prisma.$transaction((tx) => takeAttempt(tx, charges)))
}

function refuseIfHasty(waitMs: number): void {
  if (waitMs <= 0) return
  const retryAfter = String(Math.ceil(waitMs / 1_000))
  throw new Problem('rate_limited', { headers: { 'Retry-After': retryAfter } })
}
