import { readInstallationState } from '@hosting/postgres/database'
import { showSlots } from '../standby-metrics.ts'
import type { Duty } from './duty.ts'

/** Reads the metrics of the installation as a whole. Every worker reports the same values. */
export const measure: Duty = {
  name: 'measure',
  everyMs: 15_000,
  async run({ config, database, metrics }) {
    const state = await readInstallationState(database)
    metrics.invalidations.set(state.invalidations.count)
    metrics.invalidationsSeconds.set(state.invalidations.oldestMs / 1_000)
    metrics.unsealed.set(state.unsealed.count)
    metrics.unsealedSeconds.set(state.unsealed.oldestMs / 1_000)
    const isMailing = config.smtpUrl !== undefined
    metrics.mailsWaiting.set(isMailing ? state.mails.count : 0)
    metrics.mailsWaitingSeconds.set(isMailing ? state.mails.oldestMs / 1_000 : 0)
    metrics.recoveriesRunning.set(state.recoveriesRunning)
    metrics.endpointsFailing.set(state.endpointsFailing)
    metrics.throttledDeliveries.set(state.throttledDeliveries)
    metrics.pending.set(state.pendingEstimate)
    metrics.partitionDaysAhead.set(state.partitionDaysAhead)
    metrics.retentionLagSeconds.set(state.retentionLagMs / 1_000)
    metrics.oldestTransactionSeconds.set(state.oldestTransactionMs / 1_000)
    showSlots(metrics, state.slots)
  },
}
