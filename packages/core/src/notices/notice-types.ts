/** What a person can switch off mail for. */
export const noticeCategories = ['webhooks', 'api_keys', 'security'] as const
export type NoticeCategory = (typeof noticeCategories)[number]

/** The types of notices, each with its category (docs/specification/notices.md#types). */
export const noticeTypes = {
  'webhook.failing': 'webhooks',
  'webhook.recovered': 'webhooks',
  'webhook.disabled': 'webhooks',
  'api_key.expiring': 'api_keys',
  'api_key.created': 'api_keys',
  'sign_in.new_device': 'security',
} as const satisfies Readonly<Record<string, NoticeCategory>>

/** The type of a notice. */
export type NoticeType = keyof typeof noticeTypes

/** What a notice can be about. */
export const noticeSubjectTypes = ['webhook', 'api_key', 'session'] as const
export type NoticeSubjectType = (typeof noticeSubjectTypes)[number]

/** How long notices are kept, in days. */
export const noticesKeptDays = 90

/** Failed mails are tried again until their notice is this old. */
export const mailTriesMs = 24 * 60 * 60 * 1_000
