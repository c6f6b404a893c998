import {
  createDescendantRevocation,
  keepInvalidations,
  listRequestedRevocations,
  type RevocationStep,
} from '@hosting/postgres/api-keys'
import type { Services } from '../services.ts'
import type { Duty } from './duty.ts'

/** Revocations that a round works on. They take turns, so that a large one delays no other. */
const revocationsMax = 50

/** Revokes what was created with revoked keys, if the request that asked for it could not. */
export const revokeDescendants: Duty = {
  name: 'revoke-descendants',
  everyMs: 500,
  idleMs: 500,
  awaits: 'revocations',
  async run(services, stopping) {
    const { database, log } = services
    const keyIds = await listRequestedRevocations(database, revocationsMax)
    if (keyIds.length === 0) return 'idle'
    const failures: unknown[] = []
    let running = keyIds.map((keyId) => ({
      keyId,
      step: createDescendantRevocation(database, keyId, keepInvalidations),
    }))
    while (running.length > 0 && !stopping.aborted) {
      const unfinished: typeof running = []
      for (const revocation of running) {
        // The failure of one stops no other.
        const state = await takeStep(services, revocation).catch((error: unknown) => {
          failures.push(error)
          log.warn({ err: error, keyId: revocation.keyId }, 'descendants could not be revoked')
        })
        if (state === 'more') unfinished.push(revocation)
      }
      running = unfinished
    }
    if (failures.length > 0) throw failures[0]
    return undefined
  },
}

async function takeStep(
  { gate, log }: Services,
  { keyId, step }: { keyId: string; step: () => Promise<RevocationStep> },
): Promise<RevocationStep['state']> {
  const { state, changed } = await step()
  if (changed.length === 0) return state
  // If this fails, the duty `deliver-invalidations` follows.
  await gate.set(changed).catch(() => undefined)
  log.info({ keyId, count: changed.length }, 'descendants of a key revoked')
  return state
}
