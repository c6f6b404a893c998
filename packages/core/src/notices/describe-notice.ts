import { attemptResultLabel } from '../webhooks/error-class-help.ts'
import type { NoticeSubjectType, NoticeType } from './notice-types.ts'

/** The facts of a notice. */
export interface NoticeFacts {
  readonly type: NoticeType
  readonly subject: {
    readonly type: NoticeSubjectType
    readonly id: string
    readonly name: string
  }
  /** Facts that depend on the type. They come from the database functions that write notices. */
  readonly details: Readonly<Record<string, NoticeDetail>>
}

/** A fact of a notice: a time is in ISO 8601. */
export type NoticeDetail = string | number | null | undefined

/** A notice in words. */
export interface NoticeText {
  /** One line. */
  readonly title: string
  readonly text: string
  /** The page of the panel that shows the subject. */
  readonly path: string
}

/** Describes a notice, in the same words in the API, the panel and mails. */
export const describeNotice = (notice: NoticeFacts): NoticeText => ({
  ...texts[notice.type](notice),
  path: pathOf(notice.subject),
})

function pathOf({ type, id }: NoticeFacts['subject']): string {
  if (type === 'webhook') return `/webhooks/${id}`
  return type === 'api_key' ? `/keys/${id}` : '/security'
}

const texts: Readonly<Record<NoticeType, (notice: NoticeFacts) => Omit<NoticeText, 'path'>>> = {
  'webhook.failing': ({ subject, details }) => ({
    title: `Endpoint "${subject.name}" is failing`,
    text: `${show(details['failed_attempts'])} attempts in a row have failed since ${moment(details['opened_at'])}. ${lastFailure(details)} Failed deliveries are retried.`,
  }),
  'webhook.recovered': ({ subject, details }) => ({
    title: `Endpoint "${subject.name}" has recovered`,
    text: `It accepted a delivery at ${moment(details['closed_at'])}. It had been failing since ${moment(details['opened_at'])}, with ${show(details['failed_attempts'])} failed attempts.`,
  }),
  'webhook.disabled': ({ subject, details }) => ({
    title: `Endpoint "${subject.name}" was disabled`,
    text: `It failed for ${show(details['hours'])} hours without a successful delivery. Its deliveries are waiting. Fix the receiver, then enable the endpoint to send them.`,
  }),
  'api_key.expiring': ({ subject, details }) => ({
    title: `API key "${subject.name}" expires ${details['days'] === 1 ? 'within a day' : 'within 7 days'}`,
    text: `The ${show(details['kind'])} key ${subject.id} expires at ${moment(details['expires_at'])} and is refused from then on. Replace it with a new key before that.`,
  }),
  'api_key.created': ({ subject, details }) => ({
    title: `API key "${subject.name}" was created`,
    text: `${details['created_by'] ?? 'A deleted user'} created the ${show(details['kind'])} key ${subject.id} ${origins[show(details['source'])] ?? ''}. If you do not recognize it, revoke it.`,
  }),
  'sign_in.new_device': ({ subject, details }) => ({
    title: 'New device signed in to your account',
    text: `A new device signed in at ${moment(details['signed_in_at'])}: ${subject.name}, IP address ${show(details['ip'])}. If this was not you, end the session and change your password.`,
  }),
}

const origins: Readonly<Record<string, string>> = {
  panel: 'in the panel',
  api: 'with the API',
  device: 'by a device login',
}

function lastFailure({ status_code: status, error_class: errorClass }: NoticeFacts['details']) {
  const label = attemptResultLabel({
    statusCode: typeof status === 'number' ? status : null,
    errorClass: typeof errorClass === 'string' ? errorClass : null,
  })
  return `Last failure: ${label ?? 'unknown'}.`
}

const show = (detail: NoticeDetail): string => String(detail ?? '')

/** Formats a time of the details, such as `2026-11-22 14:05 UTC`. */
const moment = (time: NoticeDetail): string => `${show(time).slice(0, 16).replace('T', ' ')} UTC`
