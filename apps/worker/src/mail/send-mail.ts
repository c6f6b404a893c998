import { connectTo, createLookup } from '@hosting/process'
import type { Socket } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Mail } from './compose-mail.ts'
import { describeFailure, type DescribedFailure, type MailFailure } from './mail-failure.ts'
import type { MailServer } from './mail-server.ts'

/**
 * The result of a try. `failed`: the mail can be tried again later. `refused`: the server will never take it.
 * `interrupted`: the worker stopped.
 */
export interface MailResult {
  readonly result: 'sent' | 'refused' | 'failed' | 'interrupted'
  readonly failure?: MailFailure
  /** What failed, in words, for the log. */
  readonly reason?: string
}

/** The deadline of a try. */
export const tryMsMax = 60_000
/** How long a try may go on after the worker is asked to stop. */
const stoppingMsMax = 5_000
const phaseMsMax = 15_000
/** Some servers greet late, to repel programs that do not wait. */
const greetingMsMax = 30_000

/**
 * Sends a mail on a connection of its own. Where TLS is opportunistic and its handshake fails, the mail is sent without
 * TLS on another connection, as other mail programs do.
 *
 * @param stopping - aborts when the worker stops. The try may complete within 5 seconds.
 */
export async function sendMail(
  server: MailServer,
  mail: Mail,
  stopping: AbortSignal,
): Promise<MailResult> {
  const ending = new AbortController()
  const end = (code: string) => () =>
    ending.abort(Object.assign(new Error(code), { name: 'MailError', code }))
  const deadline = setTimeout(end('ETIMEDOUT'), tryMsMax)
  let patience: NodeJS.Timeout | undefined
  const stop = () => (patience = setTimeout(end('STOPPING'), stoppingMsMax))
  stopping.addEventListener('abort', stop, { once: true })
  if (stopping.aborted) stop()
  try {
    const first = await tryToSend(server, mail, { tls: true, ending: ending.signal })
    if (!first) return { result: 'sent' }
    const isOptional = !server.verifies && !server.isImplicit
    if (!isOptional || !/^(tls|certificate)$/.test(first.failure)) return toResult(first)
    const second = await tryToSend(server, mail, { tls: false, ending: ending.signal })
    if (!second) return { result: 'sent' }
    // A server that requires the TLS that has failed says less than the failure.
    return toResult(second.failure === 'needs_tls' ? first : second)
  } finally {
    clearTimeout(deadline)
    clearTimeout(patience)
    stopping.removeEventListener('abort', stop)
  }
}

/** Returns why a mail was not sent, or `undefined` if it was. */
async function tryToSend(
  server: MailServer,
  mail: Mail,
  { tls, ending }: { tls: boolean; ending: AbortSignal },
): Promise<DescribedFailure | undefined> {
  let connection: SMTPConnection | undefined
  try {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(phaseMsMax)])
    const socket = await connectTo(server, { lookUp, signal })
    const opened = new SMTPConnection(toOptions(server, { socket, tls }))
    connection = opened
    const cut = () => {
      opened.emit('error', ending.reason as Error)
      opened.close()
    }
    ending.addEventListener('abort', cut, { once: true })
    if (ending.aborted) cut()
    await transmit(opened, mail, server.credentials).finally(() =>
      ending.removeEventListener('abort', cut),
    )
    return undefined
  } catch (error) {
    const { name } = error as Error
    const thrown =
      name === 'TimeoutError' ? Object.assign(new Error(), { code: 'ETIMEDOUT' }) : error
    const inTls = connection !== undefined && isInHandshake(connection) && !ending.aborted
    return describeFailure(thrown as SMTPConnection.SMTPError, { inTls })
  } finally {
    connection?.close()
  }
}

/** nodemailer sets it from the start of the handshake to its end. */
const isInHandshake = (connection: SMTPConnection): boolean =>
  (connection as unknown as { upgrading?: boolean }).upgrading === true

const lookUp = createLookup()

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
    connection.once('end', () => reject(Object.assign(new Error('closed'), { code: 'closed' })))
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

function toResult({ failure, reason, isPermanent }: DescribedFailure): MailResult {
  if (failure === 'stopping') return { result: 'interrupted', failure, reason }
  return { result: isPermanent ? 'refused' : 'failed', failure, reason }
}

const toOptions = (
  { host, port, isImplicit, needsTls, verifies, ca, name }: MailServer,
  { socket, tls }: { socket: Socket; tls: boolean },
): SMTPConnection.Options => ({
  host,
  port,
  name,
  connection: socket,
  secure: isImplicit,
  requireTLS: needsTls,
  ignoreTLS: !tls,
  opportunisticTLS: !needsTls && !isImplicit,
  tls: { rejectUnauthorized: verifies, ...(ca && { ca }) },
  connectionTimeout: phaseMsMax,
  greetingTimeout: greetingMsMax,
  socketTimeout: tryMsMax,
})
