import { keepInvalidations, raiseKeyVersions, type AffectedKeys } from '@hosting/postgres'
import type { Work } from '../http/work.ts'
import type { Services } from '../services.ts'

/**
 * Makes a change of keys effective for the next request on every process. Call it in the change's transaction,
 * after the change. Before the commit it marks older records as stale in Redis; after the commit it stores the
 * new version. If Redis is unavailable, the invalidation is stored until it can be applied, and the response
 * waits until every process has received the change from PostgreSQL.
 */
export async function announceKeyChange(
  services: Services,
  { tx, afterCommit }: Work,
  affected: AffectedKeys,
): Promise<void> {
  const { gate, log } = services
  const changed = await raiseKeyVersions(tx, affected)
  if (changed.length === 0) return
  try {
    await gate.mark(changed)
    afterCommit(() => gate.set(changed).catch(() => untilHeard(services)))
  } catch (error) {
    log.warn({ err: error }, 'a key change has not reached the gate yet')
    await keepInvalidations(tx, changed)
    afterCommit(() => untilHeard(services))
  }
}

/** A process that has not confirmed by then, in ms, has most likely lost its connection. */
const hearingMsMax = 1_000

async function untilHeard({ keyChanges, log }: Services): Promise<void> {
  if (await keyChanges.waitForAcks(hearingMsMax)) return
  log.warn('not every process has confirmed a key change')
}
