import { describeAgent, noticeCategories } from '@hosting/core'
import {
  getMailSettings,
  markNoticesRead,
  putMailSettings,
  withdrawMails,
  writeNewDeviceNotice,
  type MailSettings,
  type NewDevice,
  type Transaction,
} from '@hosting/postgres'
import { personIdOf, type SessionCaller } from '../http/caller.ts'
import { recordChange, type RequestContext } from './audit.ts'

/** Marks notices of the signed-in person as read: all, or those with the ids. */
export const readNotices = (
  { caller, work }: RequestContext<SessionCaller>,
  ids: readonly string[] | undefined,
): Promise<void> =>
  markNoticesRead(
    work.tx,
    personIdOf(caller),
    ids?.map((id) => id.toLowerCase()),
  )

/** Stores which notices the signed-in person wants by mail. Waiting mail that they turn off is not sent. */
export async function changeMailSettings(
  context: RequestContext<SessionCaller>,
  settings: MailSettings,
): Promise<void> {
  const { caller, work } = context
  const userId = personIdOf(caller)
  const before = await getMailSettings(work.tx, userId)
  await putMailSettings(work.tx, userId, settings)
  const unwanted = noticeCategories.filter((category) => !settings[category])
  await withdrawMails(work.tx, userId, unwanted)
  if (noticeCategories.every((category) => settings[category] === before[category])) return
  await recordChange(context, {
    action: 'notification_settings.update',
    target: { type: 'user', id: userId },
    details: { before: { email: before }, after: { email: settings } },
  })
}

/** Notifies a person of a sign-in with a browser that has no device cookie of theirs, except the first sign-in. */
export const notifyOfNewDevice = (
  tx: Transaction,
  { userAgent, ...device }: Omit<NewDevice, 'name'> & { readonly userAgent: string },
): Promise<void> => writeNewDeviceNotice(tx, { ...device, name: describeAgent(userAgent) })
