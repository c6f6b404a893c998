import { tlsFailureOf } from '@hosting/process'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'

/** Why a mail was not sent, for the log and the metric, with the words for people. */
export const mailFailures = {
  name: 'the name of the mail server could not be looked up',
  unreachable: 'the mail server could not be connected to',
  timeout: 'the mail server did not respond in time',
  closed: 'the mail server closed the connection',
  certificate: 'the certificate of the mail server was refused',
  tls: 'TLS with the mail server failed',
  no_tls: 'the mail server offers no TLS, without which nothing is sent to it',
  needs_tls: 'the mail server requires TLS',
  credentials: 'the mail server refused the credentials',
  needs_credentials: 'the mail server requires credentials',
  greeting: 'the mail server refused the name in the greeting',
  relaying: 'the mail server does not relay for this machine',
  busy: 'the mail server takes no mail at the moment',
  greylisted: 'the mail server accepts the mail later (greylisting)',
  sender: 'the mail server refused the sender',
  recipient: 'the mail server refused the recipient',
  message: 'the mail server refused the message',
  protocol: 'the mail server sent no valid response',
  stopping: 'the worker stops',
} as const

/** A reason of {@link mailFailures}. */
export type MailFailure = keyof typeof mailFailures

/** Failures of the installation, which an operator can fix. The mail waits, even if the status is that of a permanent failure. */
const ofInstallation: ReadonlySet<MailFailure> = new Set([
  'needs_tls',
  'credentials',
  'needs_credentials',
  'greeting',
  'relaying',
])

type SendError = SMTPConnection.SMTPError & { readonly originalCode?: string | undefined }

/** The failure of a try. `isPermanent`: the server will never take this mail. */
export interface DescribedFailure {
  readonly failure: MailFailure
  /** The words, with the status or the code: never the server's text, which may quote addresses. */
  readonly reason: string
  readonly isPermanent: boolean
}

/** Describes the error of a try. */
export function describeFailure(error: SendError, { inTls }: { inTls: boolean }): DescribedFailure {
  const { responseCode: status, response = '', originalCode, code = 'unknown' } = error
  const certificate = tlsFailureOf({ code: originalCode ?? code })
  const failure = inTls || certificate ? tlsFailure(certificate) : failureOf(error)
  const [, enhanced] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response) ?? []
  const detail = status ? [status, enhanced].filter(Boolean).join(' ') : (originalCode ?? code)
  const words = mailFailures[failure] + (certificate ? `: ${certificate}` : '')
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  const isFinal = status ? status >= 500 && status < 600 : code === 'EENVELOPE'
  return {
    failure,
    reason: `${words} (${detail})`,
    isPermanent: isOfMail && isFinal && !ofInstallation.has(failure),
  }
}

const tlsFailure = (certificate: ReturnType<typeof tlsFailureOf>): MailFailure =>
  certificate?.startsWith('the certificate') ? 'certificate' : 'tls'

/** Texts of common servers. They decide only which of our own words are used. */
const texts: readonly [RegExp, MailFailure][] = [
  [/starttls|\btls\b|encrypt/i, 'needs_tls'],
  [/\b[he][eh]lo\b/i, 'greeting'],
  [/gr[ea]ylist/i, 'greylisted'],
  [
    /relay(ing)? (access )?(is )?(denied|not permitted|not allowed|prohibited)|client host rejected/i,
    'relaying',
  ],
]
const statuses: Readonly<Record<number, MailFailure>> = {
  421: 'busy',
  454: 'busy',
  530: 'needs_credentials',
  534: 'credentials',
  535: 'credentials',
  538: 'needs_tls',
}
const codes: Readonly<Record<string, MailFailure>> = {
  E_DNS_ERROR: 'name',
  EDNS: 'name',
  ETIMEDOUT: 'timeout',
  STOPPING: 'stopping',
  EAUTH: 'credentials',
  ENOAUTH: 'credentials',
  EOAUTH2: 'credentials',
  ETLS: 'no_tls',
  EPROTOCOL: 'protocol',
  EMESSAGE: 'message',
  closed: 'closed',
}

function failureOf({
  code = '',
  originalCode = '',
  command = '',
  response = '',
  responseCode,
}: SendError): MailFailure {
  const text = responseCode && texts.find(([pattern]) => pattern.test(response))
  if (text) return text[1]
  if (responseCode && statuses[responseCode]) return statuses[responseCode]
  if (command === 'MAIL FROM') return 'sender'
  if (command === 'RCPT TO') return 'recipient'
  if (command === 'DATA' || code === 'EMESSAGE') return 'message'
  if (/^(EHLO|HELO)$/.test(command) && responseCode) return 'greeting'
  if (command === 'CONN' && responseCode) return responseCode < 500 ? 'busy' : 'relaying'
  if (/^(ECONNRESET|EPIPE)$/.test(originalCode || code)) return 'closed'
  return codes[code] ?? (code === 'EENVELOPE' ? 'recipient' : 'unreachable')
}
