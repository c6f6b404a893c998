import type { Secret } from '@hosting/core/configuration'
import { isIP } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Mail } from './compose-mail.ts'

/**
 * The result of a try. `failed`: the mail can be tried again later. `refused`: the server will never take it.
 * `interrupted`: the worker stopped.
 */
export interface MailResult {
  readonly result: 'sent' | 'refused' | 'failed' | 'interrupted'
  /** What failed, for the log: an error code and the server's status, never its text, which may quote addresses. */
  readonly reason?: string
}

/** The deadline of a try. */
export const tryMsMax = 60_000
/** How long a try may go on after the worker is asked to stop. */
const stoppingMsMax = 5_000
const phaseMsMax = 15_000

/**
 * Sends a mail on a connection of its own.
 *
 * @param stopping - aborts when the worker stops. The try may complete within 5 seconds.
 */
export async function sendMail(
  smtpUrl: Secret<string>,
  mail: Mail,
  stopping: AbortSignal,
): Promise<MailResult> {
  const { auth, ...options } = toOptions(new URL(smtpUrl.reveal()))
  const connection = new SMTPConnection(options)
  const cut = (error: string) => () => {
    connection.emit('error', Object.assign(new Error(error), { code: error }))
    connection.close()
  }
  const deadline = setTimeout(cut('ETIMEDOUT'), tryMsMax)
  let patience: NodeJS.Timeout | undefined
  const stop = () => (patience = setTimeout(cut('STOPPING'), stoppingMsMax))
  stopping.addEventListener('abort', stop, { once: true })
  if (stopping.aborted) stop()
  try {
    await transmit(connection, mail, auth)
    return { result: 'sent' }
  } catch (error) {
    return toResult(error as SMTPConnection.SMTPError)
  } finally {
    clearTimeout(deadline)
    clearTimeout(patience)
    stopping.removeEventListener('abort', stop)
    connection.close()
  }
}

/** Rejects with the connection's errors too, which a closed connection reports only by its events. */
function transmit(
  connection: SMTPConnection,
  { from, to, message }: Mail,
  auth: SMTPConnection.Credentials | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const then = (next: () => void) => (error?: Error | null) => (error ? reject(error) : next())
    // It may report several errors. The first decides.
    connection.on('error', reject)
    connection.once('end', () =>
      reject(Object.assign(new Error('closed'), { code: 'ECONNECTION' })),
    )
    const send = () =>
      connection.send(
        { from, to: [to] },
        message,
        then(() => {
          connection.quit()
          resolve()
        }),
      )
    connection.connect(then(() => (auth ? connection.login(auth, then(send)) : send())))
  })
}

/** A server that asks for another sign-in or for TLS refuses this installation, which an operator can fix. */
const signInStatuses = new Set([530, 534, 535, 538])

/** Only a permanent status for the sender, the recipient or the message concerns the mail itself. */
function toResult({ code = 'unknown', responseCode }: SMTPConnection.SMTPError): MailResult {
  const reason = responseCode === undefined ? code : `${code} ${responseCode}`
  if (code === 'STOPPING') return { result: 'interrupted', reason }
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  const isPermanent =
    responseCode === undefined
      ? code === 'EENVELOPE'
      : responseCode >= 500 && responseCode < 600 && !signInStatuses.has(responseCode)
  return { result: isOfMail && isPermanent ? 'refused' : 'failed', reason }
}

function toOptions({
  protocol,
  hostname,
  port,
  username,
  password,
}: URL): SMTPConnection.Options & {
  auth: SMTPConnection.Credentials | undefined
} {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const secure = protocol === 'smtps:'
  const auth = username
    ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    : undefined
  return {
    host,
    port: port ? Number(port) : secure ? 465 : 587,
    secure,
    requireTLS: auth !== undefined && !secure && !isLoopback(host),
    connectionTimeout: phaseMsMax,
    greetingTimeout: phaseMsMax,
    dnsTimeout: phaseMsMax,
    socketTimeout: tryMsMax,
    auth,
  }
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
