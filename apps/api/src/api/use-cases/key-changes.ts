import {
  keepInvalidations,
  raiseKeyVersions,
  type AffectedKeys,
  type ChangedKey,
} from '@hosting/postgres/api-keys'
import { type Transaction } from '@hosting/postgres/database'
import type { Work } from '../work.ts'
import type { Needs } from '../services.ts'

/**
 * Makes a change of keys effective for the next request on every process. Call it in the change's transaction,
 * after the change.
 */
export async function announceKeyChange(
  services: Needs<'gate' | 'keyChanges' | 'log'>,
  { tx, afterCommit }: Work,
  affected: AffectedKeys,
): Promise<void> {
  const changed = await raiseKeyVersions(tx, affected)
  if (changed.length === 0) return
  await markKeyChange(services, tx, changed)
  afterCommit(() => reportKeyChange(services, changed))
}

/**
 * Marks older records of changed keys as stale in Redis, before the commit. If Redis is unavailable, the invalidation
 * is stored until a worker can apply it.
 */
export async function markKeyChange(
  { gate, log }: Needs<'gate' | 'log'>,
  tx: Transaction,
  changed: readonly ChangedKey[],
): Promise<void> {
  try {
    await gate.invalidate(changed)
  } catch (error) {
    log.warn({ err: error }, 'a key change has not reached the gate yet')
    await keepInvalidations(tx, changed)
  }
}

/**
 * Stores the new versions in Redis after the commit. If Redis is unavailable, waits until every process has received
 * the change from PostgreSQL.
 */
export async function reportKeyChange(
  services: Needs<'gate' | 'keyChanges' | 'log'>,
  changed: readonly ChangedKey[],
): Promise<void> {
  if (changed.length > 0) await services.gate.set(changed).catch(() => untilHeard(services))
}

/** A process that has not confirmed by then, in ms, has most likely lost its connection. */
const hearingMsMax = 1_000

async function untilHeard({ keyChanges, log }: Needs<'keyChanges' | 'log'>): Promise<void> {
  if (await keyChanges.waitForAcks(hearingMsMax)) return
  log.warn('not every process has confirmed a key change')
}
