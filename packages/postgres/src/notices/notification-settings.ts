import type { NoticeCategory } from '@hosting/core/notices'
import type { Client, Transaction } from '../database/database.ts'

/** Which notices a person wants by mail. */
export type MailSettings = Readonly<Record<NoticeCategory, boolean>>

/** Reads the settings of a person. All are true until they are changed. */
export async function getMailSettings(client: Client, userId: string): Promise<MailSettings> {
  const row = await client.notificationSettings.findUnique({ where: { userId } })
  return {
    webhooks: row?.emailWebhooks ?? true,
    api_keys: row?.emailApiKeys ?? true,
    security: row?.emailSecurity ?? true,
  }
}

/** Stores the settings of a person. */
export async function putMailSettings(
  tx: Transaction,
  userId: string,
  { webhooks, api_keys, security }: MailSettings,
): Promise<void> {
  const data = { emailWebhooks: webhooks, emailApiKeys: api_keys, emailSecurity: security }
  await tx.notificationSettings.upsert({
    where: { userId },
    create: { userId, ...data },
    update: data,
  })
}
