/** What a person can switch off mail for. */
export const noticeCategories = ['webhooks', 'api_keys', 'security'] as const
export type NoticeCategory = (typeof noticeCategories)[number]

/** The types of notices (docs/specification/notices.md#types). */
export const noticeTypes = {
  'webhook.failing': { category: 'webhooks' },
  'webhook.recovered': { category: 'webhooks' },
  'webhook.disabled': { category: 'webhooks' },
  'api_key.expiring': { category: 'api_keys' },
  'api_key.created': { category: 'api_keys' },
  'api_key.new_subject': { category: 'api_keys' },
  'sign_in.new_device': { category: 'security' },
  'security.changed': { category: 'security' },
  'second_factor.required': { category: 'security' },
} as const satisfies Readonly<Record<string, { category: NoticeCategory }>>

/** The type of a notice. */
export type NoticeType = keyof typeof noticeTypes

/** What a notice can be about. */
export const noticeSubjectTypes = ['webhook', 'api_key', 'session', 'tenant'] as const
export type NoticeSubjectType = (typeof noticeSubjectTypes)[number]
