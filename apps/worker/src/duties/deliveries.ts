import type { Duty } from './duty.ts'
import {
  continueRetries,
  abandonDeliveries,
  purgeDeletedEndpoints,
} from '@hosting/postgres/deliveries'
import { failPoint } from '@hosting/core/fail-points'
import { advanceRecoveries, disableFailingEndpoints } from '@hosting/postgres/webhooks'

/** Creates jobs for due attempts that have none. */
export const relay: Duty = {
  name: 'relay',
  everyMs: 250,
  run: (services) => services.relay.sweep(),
  pause: (services, stopping) => services.relay.pause(stopping),
}

/** Makes the waiting retries of endpoints due that a request left because they are too many for a transaction. */
export const retryNow: Duty = {
  name: 'retry-now',
  everyMs: 250,
  idleMs: 500,
  awaits: 'retries',
  async run({ database }) {
    return (await continueRetries(database)) === 0 ? 'idle' : undefined
  },
}

/**
 * With these limits, recoveries redeliver up to 100 deliveries per second for one endpoint, and up
 * to 500 for all endpoints together, regardless of the number of workers.
 */
const pace = { stepMax: 50, stepMs: 500, recoveriesMax: 5 }

/** A running recovery may redeliver nothing in this many rounds, because its next step is not due. */
const quietRoundsMax = 4

/** Redelivers dead deliveries for which a recovery was requested. */
export const createRecover = (): Duty => {
  let quietRounds = 0
  return {
    name: 'recover',
    everyMs: 250,
    idleMs: 500,
    awaits: 'recoveries',
    async run({ database }) {
      const made = await advanceRecoveries(database, pace)
      if (made > 0) failPoint('recovery.step')
      quietRounds = made > 0 ? 0 : quietRounds + 1
      return quietRounds > quietRoundsMax ? 'idle' : undefined
    },
  }
}

/** Endpoints are purged by day, so there is no need to look for them every second. */
const purgeEveryMs = 60_000

/** Ends the deliveries of deleted endpoints, and purges the endpoints once their history has expired. */
export const createAbandon = (): Duty => {
  let purgedAt = -Infinity
  return {
    name: 'abandon',
    everyMs: 1_000,
    awaits: 'deletions',
    async run({ database, log }) {
      const count = await abandonDeliveries(database)
      if (count > 0) log.info({ count }, 'deliveries of deleted endpoints ended')
      const result = count === 0 ? 'idle' : undefined
      if (performance.now() - purgedAt < purgeEveryMs) return result
      const purged = await purgeDeletedEndpoints(database)
      purgedAt = performance.now()
      if (purged > 0) log.info({ count: purged }, 'deleted endpoints removed')
      return result
    },
  }
}

/** Disables endpoints that have failed for as long as their setting allows. */
export const disableFailing: Duty = {
  name: 'disable-failing',
  everyMs: 10_000,
  async run({ database, log, metrics }) {
    for (const { id, tenantId } of await disableFailingEndpoints(database)) {
      metrics.endpointsDisabled.inc()
      log.info({ endpointId: id, tenantId }, 'an endpoint was disabled because it kept failing')
    }
  },
}
