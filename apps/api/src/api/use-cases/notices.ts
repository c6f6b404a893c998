import { noticeCategories } from '@hosting/core/notices'
import { describeAgent } from '@hosting/core/text'
import { type Transaction } from '@hosting/postgres/database'
import {
  getMailSettings,
  putMailSettings,
  withdrawMails,
  writeNewDeviceNotice,
  type MailSettings,
  type NewDevice,
} from '@hosting/postgres/notices'
import { personIdOf, type SessionCaller } from '../access/caller.ts'
import { requireConfirmed } from '../access/check-access.ts'
import { recordChange, recordSecurityChange, type Change, type RequestContext } from './audit.ts'

/**
 * Stores which notices the signed-in person wants by mail. Waiting mail that they turn off is not sent, except that of
 * `security`, which ends with a mail that says so.
 *
 * @throws Problem `reauthentication_required` or `conflict` for turning `security` off without a confirmed session, or
 *   while impersonating.
 */
export async function changeMailSettings(
  context: RequestContext<SessionCaller>,
  settings: MailSettings,
): Promise<void> {
  const { caller, work } = context
  const userId = personIdOf(caller)
  const before = await getMailSettings(work.tx, userId)
  if (before.security && !settings.security) requireConfirmed(caller)
  // A notice has a mail if it was wanted when it was written.
  if (before.security) await recordSettings(context, { before, after: settings })
  await putMailSettings(work.tx, userId, settings)
  if (!before.security) await recordSettings(context, { before, after: settings })
  const unwanted = noticeCategories.filter((category) => !settings[category])
  await withdrawMails(work.tx, userId, unwanted)
}

async function recordSettings(
  context: RequestContext<SessionCaller>,
  { before, after }: { before: MailSettings; after: MailSettings },
): Promise<void> {
  if (noticeCategories.every((category) => after[category] === before[category])) return
  const change = {
    action: 'notification_settings.update',
    target: { type: 'user', id: personIdOf(context.caller) },
    details: { before: { email: before }, after: { email: after } },
  } satisfies Change
  if (after.security === before.security) return recordChange(context, change)
  const securityChange = after.security ? 'security_mails_on' : 'security_mails_off'
  await recordSecurityChange(context, change, securityChange)
}

/** Notifies a person of a sign-in with a browser that has no device cookie of theirs, except the first sign-in. */
export const notifyOfNewDevice = (
  tx: Transaction,
  { userAgent, ...device }: Omit<NewDevice, 'name'> & { readonly userAgent: string },
): Promise<void> => writeNewDeviceNotice(tx, { ...device, name: describeAgent(userAgent) })
