import { createAbandon } from './abandon.ts'
import { anchorAuditLog } from './anchor-audit-log.ts'
import { checkSecrets } from './check-secrets.ts'
import { closeRefusals } from './close-refusals.ts'
import { disableFailing } from './disable-failing.ts'
import { dropExpired } from './drop-expired.ts'
import type { Duty } from './duty.ts'
import { measure } from './measure.ts'
import { mergeStats } from './merge-stats.ts'
import { notifyOfExpiry } from './notify-of-expiry.ts'
import { partitions } from './partitions.ts'
import { createRecover } from './recover.ts'
import { relay } from './relay.ts'
import { createRestoreWakeups } from './restore-wakeups.ts'
import { retention } from './retention.ts'
import { sealAuditLog } from './seal-audit-log.ts'
import { sendMails } from './send-mails.ts'
import { deliverInvalidations } from './deliver-invalidations.ts'

/** The periodic duties of a worker. */
export const createDuties = (): readonly Duty[] => [
  partitions,
  checkSecrets,
  relay,
  createRestoreWakeups(),
  createRecover(),
  createAbandon(),
  disableFailing,
  mergeStats,
  deliverInvalidations,
  sealAuditLog,
  anchorAuditLog,
  closeRefusals,
  notifyOfExpiry,
  sendMails,
  dropExpired,
  retention,
  measure,
]
