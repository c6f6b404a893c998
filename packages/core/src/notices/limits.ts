import { dayMs } from '../clock/durations.ts'

/**
 * The days before its expiry at which a key gets a notice, if it was created with at least as long to live
 * (docs/specification/notices.md#expiring-keys).
 */
export const expiryNoticeDays = [7, 1] as const

/**
 * An endpoint gets at most one notice of a failure and one of a recovery in this time, in minutes
 * (docs/specification/notices.md#flapping-endpoints).
 */
export const incidentNoticeEveryMinutes = 30

/** Each further waiting mail of an organization takes its turn this much later, in seconds. */
export const mailTurnSeconds = 60

/** Maximum of `MAIL_DIGEST_SECONDS`. */
export const mailDigestSecondsMax = 3_600

/** Maximum notices that an email describes. It says how many more there are. */
export const mailedNoticesMax = 20

/** Maximum length of an endpoint's name in notices, in characters. */
export const noticeSubjectNameLengthMax = 100

/** How long notices are kept, in days. */
export const noticesKeptDays = 90

/** Failed mails are tried again until their notice is this old. */
export const mailTriesMs = dayMs

/** Maximum notices that one request marks as read. */
export const noticeIdsMax = 1_000

/**
 * How many days before a second factor is required its notices are written. If the policy is saved later, the first
 * one is written then.
 */
export const secondFactorNoticeDays = [7, 1] as const
