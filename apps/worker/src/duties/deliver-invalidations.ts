import { drainInvalidations } from '@hosting/postgres/api-keys'
import type { Duty } from './duty.ts'

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
