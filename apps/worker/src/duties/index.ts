import { createAbandon } from './abandon.ts'
import { anchorAuditLog } from './anchor-audit-log.ts'
import { checkSecrets } from './check-secrets.ts'
import { closeRefusals } from './close-refusals.ts'
import { disableFailing } from './disable-failing.ts'
import { createDropExpired } from './drop-expired.ts'
import type { Duty } from './duty.ts'
import { measure } from './measure.ts'
import { mergeStats } from './merge-stats.ts'
import { notifyOfExpiry } from './notify-of-expiry.ts'
import { notifyOfSecondFactor } from './notify-of-second-factor.ts'
import { notifyOfIncidents } from './notify-of-incidents.ts'
import { partitions } from './partitions.ts'
import { createRecover } from './recover.ts'
import { retryNow } from './retry-now.ts'
import { relay } from './relay.ts'
import { restoreLostKeyChanges } from './restore-key-changes.ts'
import { createRestoreWakeups } from './restore-wakeups.ts'
import { retention } from './retention.ts'
import { sealAuditLog } from './seal-audit-log.ts'
import { createSendMails } from './send-mails.ts'
import { revokeDescendants } from './revoke-descendants.ts'
import { deliverInvalidations } from './deliver-invalidations.ts'

/**
 * The periodic duties of a worker.
 *
 * @param options - `isMailing`: whether there is a mail server.
 */
export const createDuties = ({ isMailing }: { isMailing: boolean }): readonly Duty[] => [
  partitions,
  checkSecrets,
  relay,
  createRestoreWakeups(),
  createRecover(),
  retryNow,
  createAbandon(),
  disableFailing,
  mergeStats,
  revokeDescendants,
  deliverInvalidations,
  restoreLostKeyChanges,
  sealAuditLog,
  anchorAuditLog,
  closeRefusals,
  notifyOfExpiry,
  notifyOfSecondFactor,
  notifyOfIncidents,
  createSendMails(isMailing),
  createDropExpired(),
  retention,
  measure,
]
