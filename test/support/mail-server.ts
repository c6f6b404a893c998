import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { until } from './until.ts'

/** A mail as a server got it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** The message with its header. */
  readonly source: string
  readonly messageId: string
}

/** How a server responds to a step: by an error with its status, or once the promise resolves. */
type Step = () => Promise<unknown>

/** The steps at which a test makes the server fail or wait. They can be changed at any time. */
export interface MailServerSteps {
  connect: Step
  from: Step
  recipient: Step
  /** After the whole message, before the response. */
  message: Step
}

/** A real SMTP server under test. */
export interface MailServer {
  readonly url: string
  readonly port: number
  /** The messages that arrived completely, accepted or not. */
  readonly received: ReceivedMail[]
  readonly steps: MailServerSteps
  /** Resolves once this number of messages has arrived. */
  arrivalOf(count: number): Promise<readonly ReceivedMail[]>
  close(): Promise<void>
}

/** Fails a step with a status of SMTP. */
export const failWith =
  (responseCode: number): Step =>
  () =>
    Promise.reject(Object.assign(new Error('as the test wants'), { responseCode }))

const proceed: Step = () => Promise.resolve()

/** Starts an SMTP server on a port, by default a free one. */
export async function startMailServer({
  port = 0,
  ...options
}: SMTPServerOptions & { readonly port?: number } = {}): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const steps = { connect: proceed, from: proceed, recipient: proceed, message: proceed }
  const settle = (step: Step, callback: (error?: Error | null) => void): void =>
    void step().then(() => callback(), callback)
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    onConnect: (_session, callback) => settle(steps.connect, callback),
    onMailFrom: (_address, _session, callback) => settle(steps.from, callback),
    onRcptTo: (_address, _session, callback) => settle(steps.recipient, callback),
    onData(stream, { envelope }, callback) {
      const receive = async () => {
        const source = await text(stream)
        received.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          source,
          messageId: /^Message-ID: (.+)$/im.exec(source)?.[1] ?? '',
        })
        await steps.message()
      }
      settle(receive, callback)
    },
    ...options,
  })
  // A client that was killed resets its connection.
  server.on('error', () => undefined)
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const bound = (server.server.address() as AddressInfo).port
  return {
    url: `smtp://127.0.0.1:${bound}`,
    port: bound,
    received,
    steps,
    arrivalOf: (count) =>
      until(
        () => Promise.resolve(received),
        (mails) => mails.length >= count,
      ),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
