import { attemptResultLabel, findAttemptHelp } from '../webhooks/error-class-help.ts'
import { toOneLine } from '../text/visible-text.ts'
import type { NoticeSubjectType, NoticeType } from './notice-types.ts'

/**
 * The changes to how a person's account is protected, each with the title of its notice of type `security.changed`
 * (docs/specification/notices.md#types).
 */
export const securityChanges = {
  password_changed: 'Your password was changed',
  authenticator_added: 'An authenticator app was added to your account',
  authenticator_removed: 'The authenticator app was removed from your account',
  passkey_added: 'A passkey was added to your account',
  passkey_removed: 'A passkey was removed from your account',
  passkey_copied: 'A copy of one of your passkeys was refused',
  security_mails_on: 'Emails about the security of your account were turned on',
  security_mails_off: 'Emails about the security of your account were turned off',
  impersonated: 'An administrator started to act as you',
} as const

/** A change to how a person's account is protected. */
export type SecurityChange = keyof typeof securityChanges

/** The facts of a notice. */
export interface NoticeFacts {
  readonly type: NoticeType
  readonly subject: {
    readonly type: NoticeSubjectType
    readonly id: string
    readonly name: string
  }
  /** Facts that depend on the type. */
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

/**
 * Describes a notice, in the same words in the API, the panel and mails. Names and claims of others are shown on one line.
 */
export function describeNotice(notice: NoticeFacts): NoticeText {
  const { title, text } = texts[notice.type](notice)
  return { title: toOneLine(title), text: toOneLine(text), path: pathOf(notice.subject) }
}

/** The subject of a mail about a notice: what happened, on one line. */
export function mailSubjectOf(notice: NoticeFacts): string {
  const { type, subject, details } = notice
  if (type !== 'webhook.failing') return describeNotice(notice).title
  const result = attemptResultLabel(resultOf(details))
  return toOneLine(`${subject.name} is failing${result === undefined ? '' : `: ${result}`}`)
}

/**
 * The notices that a mail tells. The recovery from an incident says that and since when the endpoint had failed, so it
 * stands for the notice of the failure.
 */
export function mergeIncidents<Notice extends NoticeFacts>(notices: readonly Notice[]): Notice[] {
  const incidentOf = ({ subject, details }: NoticeFacts) => `${subject.id} ${details['opened_at']}`
  const recovered = new Set(
    notices.filter(({ type }) => type === 'webhook.recovered').map(incidentOf),
  )
  return notices.filter(
    (notice) => notice.type !== 'webhook.failing' || !recovered.has(incidentOf(notice)),
  )
}

/** What the link to the page of a notice says. */
export const noticeAction = ({ subject }: Pick<NoticeFacts, 'subject'>): string =>
  actions[subject.type]

const actions: Readonly<Record<NoticeSubjectType, string>> = {
  webhook: 'View endpoint',
  api_key: 'View key',
  session: 'Review security',
  tenant: 'Set up a second factor',
}

function pathOf({ type, id }: NoticeFacts['subject']): string {
  if (type === 'webhook') return `/webhooks/${id}`
  return type === 'api_key' ? `/keys/${id}` : '/security'
}

const texts: Readonly<Record<NoticeType, (notice: NoticeFacts) => Omit<NoticeText, 'path'>>> = {
  'webhook.failing': ({ subject, details }) => ({
    title: `Endpoint “${subject.name}” is failing`,
    text: `${show(details['failed_attempts'])} attempts in a row have failed since ${moment(details['opened_at'])}. ${lastFailure(details)} Failed deliveries are retried.`,
  }),
  'webhook.recovered': ({ subject, details }) => ({
    title: `Endpoint “${subject.name}” has recovered`,
    text: `It accepted a delivery at ${moment(details['closed_at'])}. It had been failing since ${moment(details['opened_at'])}, with ${show(details['failed_attempts'])} failed attempts.`,
  }),
  'webhook.disabled': ({ subject, details }) => ({
    title: `Endpoint “${subject.name}” was disabled`,
    text: `It failed for ${show(details['hours'])} hours without a successful delivery. Its deliveries are waiting. ${lastFailure(details)} Fix the receiver, then enable the endpoint to send them.`,
  }),
  'api_key.expiring': ({ subject, details }) => ({
    title: `API key “${subject.name}” expires within ${details['days'] === 1 ? 'a day' : `${show(details['days'])} days`}`,
    text: `The ${show(details['kind'])} key ${subject.id} expires at ${moment(details['expires_at'])} and is refused from then on. Replace it with a new key before that.`,
  }),
  'api_key.created': ({ subject, details }) => ({
    title: `API key “${subject.name}” was created`,
    text: `${details['created_by'] ?? 'A deleted user'} created the ${show(details['kind'])} key ${subject.id} ${origins[show(details['source'])] ?? ''}. If you do not recognize it, revoke it.`,
  }),
  'api_key.new_subject': ({ subject, details }) => ({
    title: `API key “${subject.name}” was used by a new workload`,
    text: `${show(details['subject'])} of ${show(details['issuer'])} exchanged an identity token for a token of the key ${subject.id} for the first time, from IP address ${show(details['ip'])}. If you do not recognize it, disable the key and check its conditions.`,
  }),
  'sign_in.new_device': ({ subject, details }) => ({
    title: 'New device signed in to your account',
    text: `A new device signed in at ${moment(details['signed_in_at'])}: ${subject.name}, IP address ${show(details['ip'])}. If this was not you, end the session and change your password.`,
  }),
  'security.changed': ({ subject, details }) => {
    const change = details['change'] as SecurityChange
    const where = `${moment(details['changed_at'])}: ${subject.name}, IP address ${show(details['ip'])}.`
    return { title: securityChanges[change], text: describeChange(change, where, details) }
  },
  'second_factor.required': ({ subject, details }) => ({
    title: `${subject.name} requires a second factor ${details['days'] === 1 ? 'within a day' : 'within 7 days'}`,
    text: `From ${moment(details['from'])} on, you can use the panel only with a second factor, and you have none. Set one up under Security before that: it takes two minutes.`,
  }),
}

function describeChange(
  change: SecurityChange,
  where: string,
  { by, passkey }: NoticeFacts['details'],
): string {
  if (change === 'impersonated') {
    return `${show(by)} started at ${where} The audit log names both of you for everything they do. If you did not expect this, ask them.`
  }
  if (change === 'passkey_copied') {
    return `Someone tried to use the passkey “${show(passkey)}” at ${where} Its signature counter went back, so another device holds a copy of it. Remove this passkey, create a new one on a device that you trust, and tell an administrator.`
  }
  return `This happened at ${where} If it was not you, change your password, end your other sessions and tell an administrator.`
}

const origins: Readonly<Record<string, string>> = {
  panel: 'in the panel',
  api: 'with the API',
  device: 'by a device login',
  workload: 'as a workload key',
}

const resultOf = ({ status_code: status, error_class: errorClass }: NoticeFacts['details']) => ({
  statusCode: typeof status === 'number' ? status : null,
  errorClass: typeof errorClass === 'string' ? errorClass : null,
})

function lastFailure(details: NoticeFacts['details']) {
  const result = resultOf(details)
  const failure = `Last failure: ${attemptResultLabel(result) ?? 'unknown'}.`
  const help = findAttemptHelp(result)
  return help ? `${failure} ${help.meaning} What to do: ${help.advice}` : failure
}

const show = (detail: NoticeDetail): string => String(detail ?? '')

/** Formats a time of the details, such as `2026-11-22 14:05 UTC`. */
const moment = (time: NoticeDetail): string => `${show(time).slice(0, 16).replace('T', ' ')} UTC`
