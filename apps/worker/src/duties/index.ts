import { createAbandon, createRecover, retryNow, relay, disableFailing } from './deliveries.ts'
import { anchorAuditLog, sealAuditLog, closeRefusals } from './audit-log.ts'
import { checkSecrets, measure, mergeStats } from './upkeep.ts'
import { createDropExpired } from './drop-expired.ts'
import type { Duty } from './duty.ts'
import {
  notifyOfExpiry,
  notifyOfIncidents,
  notifyOfLastingIncidents,
  notifyOfSecondFactor,
} from './notices.ts'
import { partitions, retention } from './retention.ts'
import { restoreLostKeyChanges, deliverInvalidations } from './restore-key-changes.ts'
import { createRestoreWakeups } from './restore-wakeups.ts'
import { createSendMails } from './send-mails.ts'
import { revokeDescendants } from './revoke-descendants.ts'

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
  notifyOfLastingIncidents,
  createSendMails(isMailing),
  createDropExpired(),
  retention,
  measure,
]
