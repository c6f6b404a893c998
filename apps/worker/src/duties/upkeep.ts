import { readInstallationState } from '@hosting/postgres/database'
import { showSlots } from '../standby-metrics.ts'
import type { Duty } from './duty.ts'
import { mergeAttemptStats } from '@hosting/postgres/deliveries'
import { mergeUsageCounts } from '@hosting/postgres/directory'

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

/** So many batches are merged within a second, and their locks are released. */
const rowsMax = 1_000

/** Merges what was recorded and published into the statistics and the usage, so that few rows have to be read. */
export const mergeStats: Duty = {
  name: 'merge-stats',
  everyMs: 5_000,
  awaits: 'counts',
  async run({ database }, stopping) {
    let merged = 0
    for (const merge of [mergeAttemptStats, mergeUsageCounts]) {
      for (let rows = rowsMax; rows >= rowsMax && !stopping.aborted; merged += rows) {
        rows = await merge(database, { rowsMax })
      }
    }
    return merged === 0 ? 'idle' : undefined
  },
}

/** Checks whether signing secrets can be decrypted, if that is in doubt. If none can, the worker makes no attempts. */
export const checkSecrets: Duty = {
  name: 'check-secrets',
  everyMs: 5_000,
  async run({ signing, log }) {
    const could = signing.canSign()
    await signing.check()
    if (could === signing.canSign()) return
    if (could)
      log.error('SECRETS_KEYRING decrypts no signing secret: this worker makes no attempts')
    else log.info('signing secrets can be decrypted again')
  },
}
