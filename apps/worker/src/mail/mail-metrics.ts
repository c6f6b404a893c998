import { Counter, Gauge, type Registry } from 'prom-client'
import { mailFailures as mailReasons } from './mail-failure.ts'

/** How tries to send a mail end, and how mails end without a try. */
const outcomes = ['sent', 'refused', 'failed', 'interrupted', 'expired', 'withdrawn']

/** The metrics of mails. */
export interface MailMetrics {
  readonly mails: Counter<'outcome'>
  readonly mailFailures: Counter<'reason'>
  readonly mailsWaiting: Gauge
  readonly mailsWaitingSeconds: Gauge
}

/** Creates the metrics of mails. */
export function createMailMetrics(registers: Registry[]): MailMetrics {
  const mails = new Counter({
    name: 'hosting_mails_total',
    help: 'Tries to send an email: `sent`, `refused` permanently by the mail server, `failed` temporarily, or `interrupted` by a shutdown. Also emails that were not sent: `expired` after 24 hours, or `withdrawn` because the person no longer wants them.',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of outcomes) mails.inc({ outcome }, 0)
  const mailFailures = new Counter({
    name: 'hosting_mail_failures_total',
    help: `Tries to send an email that failed, by reason: ${Object.keys(mailReasons)
      .map((each) => `\`${each}\``)
      .join(', ')}.`,
    labelNames: ['reason'],
    registers,
  })
  return {
    mails,
    mailFailures,
    mailsWaiting: new Gauge({
      name: 'hosting_mails_waiting',
      help: 'Emails waiting to be sent, counted up to 10,000. 0 if email is not configured.',
      registers,
    }),
    mailsWaitingSeconds: new Gauge({
      name: 'hosting_mails_waiting_seconds',
      help: 'Age of the oldest email waiting to be sent. 0 if email is not configured.',
      registers,
    }),
  }
}
