import { retryWhileUnavailable } from '@hosting/postgres/database'
import {
  claimMail,
  endMail,
  endUnsentMails,
  postponeMails,
  releaseMail,
  type ClaimedMail,
} from '@hosting/postgres/notices'
import { randomUUID } from 'node:crypto'
import { composeMail, mailFrameOf } from '../mail/compose-mail.ts'
import { sendMail, tryMsMax, type MailResult } from '../mail/send-mail.ts'
import type { Services } from '../services.ts'
import type { Duty } from './duty.ts'

/** A lease outlasts a try, so a mail has one sender at a time. */
const leaseMs = tryMsMax + 30_000
/** How long a worker tries to record that a mail was sent. */
const recordMsMax = 25_000
/** Mails that a worker sends at the same time. */
const concurrency = 4
/** Mails per round and sender. */
const mailsMax = 50

const name = 'send-mails'

/** Sends the mails of notices, and ends those that are not to be sent any more. */
const sendMails: Duty = {
  name,
  everyMs: 250,
  idleMs: 1_000,
  awaits: 'mails',
  // A round may take as long as its last tries.
  patienceMs: 5 * 60_000,
  async run(services, stopping) {
    const { config, database, metrics } = services
    const ended = await endUnsentMails(database)
    metrics.mails.inc({ outcome: 'expired' }, ended.expired)
    metrics.mails.inc({ outcome: 'withdrawn' }, ended.withdrawn)
    if (config.mailDigestSeconds > 0) await postponeMails(database)
    const counts = await Promise.all(
      Array.from({ length: concurrency }, () => sendInTurn(services, stopping)),
    )
    return counts.every((count) => count === 0) ? 'idle' : undefined
  },
}

/** Without a mail server, mails stay due until they are ended. */
const endMails: Duty = {
  name,
  everyMs: 60_000,
  run: async ({ database }) => void (await endUnsentMails(database)),
}

/** @param isMailing - whether there is a mail server. */
export const createSendMails = (isMailing: boolean): Duty => (isMailing ? sendMails : endMails)

/** Sends due mails one after another. Stops at the first failure: the server may be away. Returns their number. */
async function sendInTurn(services: Services, stopping: AbortSignal): Promise<number> {
  for (let count = 0; count < mailsMax; count++) {
    if (stopping.aborted) return count
    const mail = await claimMail(services.database, {
      leaseId: randomUUID(),
      leaseMs,
      digestMs: services.config.mailDigestSeconds * 1_000,
    })
    if (!mail) return count
    const { result } = await sendOne(services, mail, stopping)
    if (result === 'failed' || result === 'interrupted') return count + 1
  }
  return mailsMax
}

async function sendOne(
  services: Services,
  mail: ClaimedMail,
  stopping: AbortSignal,
): Promise<MailResult> {
  const { log, metrics } = services
  const { digestId, notices } = mail
  const sent = await composeAndSend(services, mail, stopping).catch((error: unknown) => {
    log.error({ err: error, digestId }, 'an email failed because of a defect')
    return { result: 'failed' } as const satisfies MailResult
  })
  metrics.mails.inc({ outcome: sent.result })
  if ('failure' in sent) metrics.mailFailures.inc({ reason: sent.failure })
  if (sent.result === 'sent') services.mail.failure = undefined
  if ('reason' in sent) {
    if (sent.result !== 'interrupted') services.mail.failure = sent.reason
    log.warn({ digestId, notices: notices.length, ...sent }, 'an email was not sent')
  }
  await retryWhileUnavailable(
    () => record(services, mail, sent),
    performance.now() + (stopping.aborted ? 0 : recordMsMax),
  )
  return sent
}

async function composeAndSend(
  { config, mailServer }: Services,
  mail: ClaimedMail,
  stopping: AbortSignal,
): Promise<MailResult> {
  const message = await composeMail(mail, mailFrameOf(config)!)
  return sendMail(mailServer!, message, stopping)
}

const record = ({ database }: Services, mail: ClaimedMail, { result }: MailResult): Promise<void> =>
  result === 'sent' || result === 'refused'
    ? endMail(database, mail, result)
    : releaseMail(database, mail, { soon: result === 'interrupted' })
