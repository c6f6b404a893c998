/** What a person can switch off mail for. */
export const noticeCategories = ['webhooks', 'api_keys', 'security'] as const
export type NoticeCategory = (typeof noticeCategories)[number]

/** Who gets a notice. `key_owner`: the owner of a personal key, or the admins for an organization key. */
export type NoticeRecipients = 'admins' | 'key_owner' | 'person'

interface NoticeRule {
  readonly category: NoticeCategory
  readonly recipients: NoticeRecipients
}

/** The types of notices (docs/specification/notices.md#types). */
export const noticeTypes = {
  'webhook.failing': { category: 'webhooks', recipients: 'admins' },
  'webhook.recovered': { category: 'webhooks', recipients: 'admins' },
  'webhook.disabled': { category: 'webhooks', recipients: 'admins' },
  'api_key.expiring': { category: 'api_keys', recipients: 'key_owner' },
  'api_key.created': { category: 'api_keys', recipients: 'key_owner' },
  'api_key.new_subject': { category: 'api_keys', recipients: 'admins' },
  'sign_in.new_device': { category: 'security', recipients: 'person' },
  'security.changed': { category: 'security', recipients: 'person' },
  'second_factor.required': { category: 'security', recipients: 'person' },
} as const satisfies Readonly<Record<string, NoticeRule>>

/** The type of a notice. */
export type NoticeType = keyof typeof noticeTypes

/** What a notice can be about. */
export const noticeSubjectTypes = ['webhook', 'api_key', 'session', 'tenant'] as const
export type NoticeSubjectType = (typeof noticeSubjectTypes)[number]
