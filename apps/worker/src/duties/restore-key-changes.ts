import { restoreKeyChanges, drainInvalidations } from '@hosting/postgres/api-keys'
import { readServerName } from '@hosting/postgres/database'
import type { Services } from '../services.ts'
import type { Duty } from './duty.ts'

/**
 * After PostgreSQL was replaced by another server, which may lack the last commits, compares the versions of keys that
 * Redis knows with those of the database. Redis also keeps with which server they were compared.
 */
export const restoreLostKeyChanges: Duty = {
  name: 'restore-key-changes',
  everyMs: 2_000,
  async run(services) {
    const { database, gate } = services
    if (!gate.isReady()) return undefined
    const server = await readServerName(database)
    if (server === undefined || (await gate.comparedServer()) === server) return 'idle'
    for await (const known of gate.knownVersions()) await restorePage(services, server, known)
    await gate.markCompared(server)
    return undefined
  },
}

async function restorePage(
  { database, gate, log }: Services,
  server: string,
  known: Parameters<typeof restoreKeyChanges>[1],
): Promise<void> {
  const { keys, changed } = await restoreKeyChanges(database, known)
  if (keys.length === 0) return
  // If this fails, the duty `deliver-invalidations` follows.
  await gate.set(changed).catch(() => undefined)
  const idsOf = (again: boolean): string[] =>
    keys.flatMap(({ keyId, revokedAgain }) => (revokedAgain === again ? keyId : []))
  log.warn(
    { server, revokedAgain: idsOf(true), changed: idsOf(false) },
    'the database has lost changes of keys, in a failover or a restore',
  )
}

/** Sends the gate the key changes that it missed when they were made. */
export const deliverInvalidations: Duty = {
  name: 'deliver-invalidations',
  everyMs: 500,
  awaits: 'invalidations',
  async run({ database, gate }) {
    if (!gate.isReady()) return undefined
    const count = await drainInvalidations(database, (changed) => gate.set(changed))
    return count === 0 ? 'idle' : undefined
  },
}
