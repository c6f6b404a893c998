import { loadConfig } from '@hosting/core/configuration'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { failWith, startMailServer, type MailServer } from '../../../../test/support/mail-server.ts'
import { composeMail } from '../../src/mail/compose-mail.ts'
import { mailServerOf } from '../../src/mail/mail-server.ts'
import { sendMail } from '../../src/mail/send-mail.ts'

const mail = {
  from: 'notices@example.test',
  to: 'ana@example.test',
  message: Buffer.from('Message-ID: <one@example.test>\r\nSubject: One\r\n\r\nHello.\r\n'),
}
const never = new AbortController().signal
const serverOf = (url: string, env: Record<string, string> = {}) =>
  mailServerOf(
    loadConfig({
      DATABASE_URL: 'postgresql://127.0.0.1/unused',
      REDIS_URL: 'redis://127.0.0.1',
      PUBLIC_URL: 'https://panel.example.test',
      MAIL_FROM: mail.from,
      SMTP_URL: url,
      ...env,
    }),
  )!
const send = (url: string, signal = never, env: Record<string, string> = {}) =>
  sendMail(serverOf(url, env), mail, signal)

let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.received.length = 0
  for (const name of ['connect', 'from', 'recipient', 'message'] as const) {
    server.steps[name] = () => Promise.resolve()
  }
})

test('a mail that the server accepts is sent once and unchanged', async () => {
  expect(await send(server.url)).toEqual({ result: 'sent' })
  expect(server.received).toEqual([
    expect.objectContaining({
      from: 'notices@example.test',
      to: ['ana@example.test'],
      messageId: '<one@example.test>',
      source: mail.message.toString(),
    }),
  ])
})

describe('a permanent status', () => {
  test.each(['from', 'recipient', 'message'] as const)(
    'at step %s refuses the mail',
    async (step) => {
      server.steps[step] = failWith(550)
      expect(await send(server.url)).toMatchObject({
        result: 'refused',
        reason: expect.stringMatching(/550/),
      })
    },
  )

  test.each([
    ['connect', 554],
    ['from', 530],
  ] as const)('at step %s, %d, is a server failure that is retried', async (step, status) => {
    server.steps[step] = failWith(status)
    expect(await send(server.url)).toMatchObject({ result: 'failed' })
  })
})

test.each(['connect', 'from', 'recipient', 'message'] as const)(
  'a temporary status at step %s is a failure that is retried',
  async (step) => {
    server.steps[step] = failWith(451)
    expect(await send(server.url)).toMatchObject({ result: 'failed' })
  },
)

test('wrong credentials are a failure that is retried, and the reason does not contain them', async () => {
  const strict = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, callback) =>
      callback(password === 'p@ss' ? null : new Error('wrong'), { user: 'ana' }),
  })
  const host = new URL(strict.url).host
  const refused = await send(`smtp://ana:wrong@${host}`)
  expect(refused).toEqual({
    result: 'failed',
    failure: 'credentials',
    reason: expect.stringMatching(/^the mail server refused the credentials \(535/),
  })
  expect(await send(`smtp://ana:p%40ss@${host}`)).toEqual({ result: 'sent' })
  await strict.close()
})

/** A server that speaks raw lines: the connection's behavior is the test's. */
async function startRaw(onConnection: Parameters<typeof createServer>[1]): Promise<Server> {
  const raw = createServer(onConnection).listen(0, '127.0.0.1')
  await once(raw, 'listening')
  return raw
}
const urlOf = (raw: Server) => `smtp://127.0.0.1:${(raw.address() as AddressInfo).port}`

test('the domains of addresses are sent in ASCII, for servers without SMTPUTF8', async () => {
  let sent = ''
  const raw = await startRaw((socket) => {
    socket.on('error', () => undefined).write('220 here\r\n')
    socket.on('data', (data) => {
      sent += data.toString()
      socket.write(data.toString().startsWith('DATA') ? '354 go on\r\n' : '250 ok\r\n')
    })
  })
  const subject = { type: 'webhook', id: 'we_1', name: 'Orders' } as const
  const composed = await composeMail(
    {
      userId: 'user',
      leaseId: 'lease',
      digestId: 'digest',
      notices: [
        {
          type: 'webhook.recovered',
          subject,
          details: {},
          noticeId: 'notice',
          createdAt: new Date(),
        },
      ],
      email: 'jo@münchen.example',
      tenantName: 'Acme',
    },
    {
      from: { name: 'Acme', address: 'notices@bücher.example' },
      panelUrl: 'https://panel.example.test',
    },
  )
  expect(await sendMail(serverOf(urlOf(raw)), composed, never)).toEqual({ result: 'sent' })
  expect(sent).toContain('MAIL FROM:<notices@xn--bcher-kva.example>\r\n')
  expect(sent).toContain('RCPT TO:<jo@xn--mnchen-3ya.example>\r\n')
  expect(sent).toContain('Message-ID: <digest@xn--bcher-kva.example>\r\n')
  raw.close()
})

test('an unreachable server is a temporary failure', async () => {
  const raw = await startRaw((socket) => socket.destroy())
  const url = urlOf(raw)
  expect(await send(url)).toMatchObject({ result: 'failed' })
  raw.close()
  await once(raw, 'close')
  expect(await send(url)).toMatchObject({ result: 'failed' })
})

test('a failure is retried if the server closes the connection after the message', async () => {
  const raw = await startRaw((socket) => {
    socket.on('error', () => undefined).write('220 here\r\n')
    let isMessage = false
    socket.on('data', (data) => {
      if (isMessage && data.toString().endsWith('\r\n.\r\n')) socket.destroy()
      else if (data.toString().startsWith('DATA')) {
        isMessage = true
        socket.write('354 go on\r\n')
      } else if (!isMessage) socket.write('250 ok\r\n')
    })
  })
  expect(await send(urlOf(raw))).toMatchObject({ result: 'failed' })
  raw.close()
})

test('stopping the worker aborts a send after 5 seconds', async () => {
  const stopping = new AbortController()
  server.steps.recipient = () => {
    stopping.abort()
    return new Promise(() => undefined)
  }
  expect(await send(server.url, stopping.signal)).toMatchObject({ result: 'interrupted' })
})

test('credentials are never sent to another host without TLS', async () => {
  let sent = ''
  const raw = await startRaw((socket) => {
    socket.on('error', () => undefined).write('220 here\r\n')
    socket.on('data', (data) => {
      sent += data.toString()
      socket.write(data.toString().startsWith('EHLO') ? '250 AUTH PLAIN\r\n' : '502 no\r\n')
    })
  })
  const { port } = raw.address() as AddressInfo
  // This machine, under an address that is not recognized as such.
  const result = await send(`smtp://ana:secret@[::ffff:127.0.0.1]:${port}`)
  expect(result).toMatchObject({ result: 'failed', failure: 'no_tls' })
  expect(sent).toMatch(/^EHLO .*\r\nSTARTTLS\r\n/)
  expect(sent).not.toContain('AUTH')
  raw.close()
})
