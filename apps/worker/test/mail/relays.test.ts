import { loadConfig } from '@hosting/core/configuration'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { makeCertificates } from '../../../../test/support/certificates.ts'
import { startMailServer } from '../../../../test/support/mail-server.ts'
import { writeTemporary } from '../../../../test/support/temporary-folder.ts'
import { findMailErrors, mailServerOf } from '../../src/mail/mail-server.ts'
import { sendMail } from '../../src/mail/send-mail.ts'

const mail = {
  from: 'notices@example.test',
  to: 'ana@example.test',
  message: Buffer.from('Message-ID: <one@example.test>\r\nSubject: One\r\n\r\n.dot\r\n..\r\n'),
}
const serverOf = (env: Record<string, string>) =>
  mailServerOf(
    loadConfig({
      DATABASE_URL: 'postgresql://127.0.0.1/unused',
      REDIS_URL: 'redis://127.0.0.1',
      PUBLIC_URL: 'https://panel.example.test',
      MAIL_FROM: mail.from,
      ...env,
    }),
  )!
const send = (SMTP_URL: string, env: Record<string, string> = {}) =>
  sendMail(serverOf({ SMTP_URL, ...env }), mail, new AbortController().signal)

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})
const relay = async (...options: Parameters<typeof startMailServer>) => {
  const started = await startMailServer(...options)
  opened.push(started)
  return started
}

/** A relay that answers each command as given, and otherwise with 250. */
async function rawRelay(answers: Readonly<Record<string, string>>, greeting = '220 here ESMTP') {
  const said: string[] = []
  const talk = (socket: Socket) => {
    let isMessage = false
    socket.on('error', () => undefined).write(`${greeting}\r\n`)
    socket.on('data', (data) => {
      for (const line of data.toString().split('\r\n').slice(0, -1)) {
        if (isMessage && line !== '.') continue
        said.push(line)
        const verb = line.split(/[ :]/)[0]!
        isMessage = verb === 'DATA'
        socket.write(`${answers[verb] ?? (isMessage ? '354 go on' : '250 ok')}\r\n`)
      }
    })
  }
  const server = createServer(talk).listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.push({ close: () => server.close() })
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, said }
}

describe('a relay that offers STARTTLS with a self-signed certificate', () => {
  test('gets the mail over TLS if there are no credentials', async () => {
    const certificates = await makeCertificates({ selfSigned: true, names: ['other.test'] })
    const server = await relay({ ...certificates, disabledCommands: [] })
    expect(await send(server.url)).toEqual({ result: 'sent' })
    expect(server.received[0]!.source).toBe(mail.message.toString())
  })

  test('gets no credentials, and the reason says that the certificate was refused', async () => {
    const certificates = await makeCertificates({ selfSigned: true, addresses: ['127.0.0.1'] })
    const signIns: string[] = []
    const server = await relay({
      ...certificates,
      disabledCommands: [],
      onAuth: ({ username = '' }, _session, callback) => {
        signIns.push(username)
        callback(null, { user: username })
      },
    })
    const url = server.url.replace('//', '//ana:secret@')
    expect(await send(url)).toEqual({
      result: 'failed',
      failure: 'certificate',
      reason:
        'the certificate of the mail server was refused: the certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    })
    expect(signIns).toEqual([])
    const SMTP_CA = writeTemporary('authority.pem', certificates.ca)
    expect(await send(url, { SMTP_CA })).toEqual({ result: 'sent' })
    expect(signIns).toEqual(['ana'])
  })

  test('gets nothing if SMTP_CA names another authority', async () => {
    const certificates = await makeCertificates({ addresses: ['127.0.0.1'] })
    const other = await makeCertificates()
    const server = await relay({ ...certificates, disabledCommands: [] })
    const SMTP_CA = writeTemporary('other.pem', other.ca)
    expect(await send(server.url, { SMTP_CA })).toMatchObject({ failure: 'certificate' })
    expect(server.received).toEqual([])
  })
})

test('SMTP_CA requires TLS of a relay that offers none', async () => {
  const { ca } = await makeCertificates()
  const server = await relay()
  const SMTP_CA = writeTemporary('authority.pem', ca)
  expect(await send(server.url, { SMTP_CA })).toMatchObject({ result: 'failed', failure: 'no_tls' })
})

test('a file of SMTP_CA without a certificate is an error of the configuration', async () => {
  const path = writeTemporary('empty.pem', 'nothing')
  expect(findMailErrors({ smtpCa: path })).toEqual([`SMTP_CA has no certificate in PEM: ${path}`])
  expect(findMailErrors({ smtpCa: '/nowhere.pem' })).toEqual([
    'SMTP_CA cannot be read (ENOENT): /nowhere.pem',
  ])
})

test('a relay whose TLS handshake fails gets the mail without TLS if there are no credentials', async () => {
  const broken = await rawRelay({ EHLO: '250-here\r\n250 STARTTLS', STARTTLS: '220 go on' })
  expect(await send(broken.url)).toEqual({ result: 'sent' })
  expect(broken.said.filter((line) => line === 'STARTTLS')).toHaveLength(1)
})

test('the greeting is the host of PUBLIC_URL, the domain of MAIL_FROM where that is no name, or SMTP_NAME', async () => {
  const greeted = async (env: Record<string, string>) => {
    const server = await rawRelay({})
    expect(await send(server.url, env)).toEqual({ result: 'sent' })
    return server.said[0]
  }
  expect(await greeted({})).toBe('EHLO panel.example.test')
  expect(await greeted({ PUBLIC_URL: 'http://127.0.0.1:8080' })).toBe('EHLO example.test')
  expect(await greeted({ PUBLIC_URL: 'http://localhost' })).toBe('EHLO example.test')
  expect(await greeted({ SMTP_NAME: 'mx.example.test' })).toBe('EHLO mx.example.test')
})

describe('a refusal says why in words, without the words of the relay', () => {
  test.each<[string, Record<string, string>, string, string, string]>([
    [
      'TLS is required',
      { MAIL: '530 5.7.0 Must issue a STARTTLS command first' },
      'failed',
      'needs_tls',
      '530 5.7.0',
    ],
    [
      'the greeting, temporarily',
      { RCPT: '450 4.7.1 <x>: Helo command rejected: Host not found' },
      'failed',
      'greeting',
      '450 4.7.1',
    ],
    [
      'the greeting, permanently',
      { RCPT: '504 5.5.2 <x>: Helo command rejected: need fully-qualified hostname' },
      'failed',
      'greeting',
      '504 5.5.2',
    ],
    [
      'relaying',
      { RCPT: '554 5.7.1 <ana@example.test>: Relay access denied' },
      'failed',
      'relaying',
      '554 5.7.1',
    ],
    [
      'greylisting',
      { RCPT: '450 4.2.0 <ana@example.test>: Recipient address rejected: Greylisted' },
      'failed',
      'greylisted',
      '450 4.2.0',
    ],
    [
      'the recipient',
      { RCPT: '550 5.1.1 <ana@example.test> unknown' },
      'refused',
      'recipient',
      '550 5.1.1',
    ],
    ['the sender', { MAIL: '553 5.1.8 no such domain' }, 'refused', 'sender', '553 5.1.8'],
    ['the size', { '.': '552 5.3.4 too big' }, 'refused', 'message', '552 5.3.4'],
    [
      'missing credentials',
      { MAIL: '530 5.7.0 Authentication required' },
      'failed',
      'needs_credentials',
      '530 5.7.0',
    ],
  ])('%s', async (...[, answers, result, failure, status]) => {
    const server = await rawRelay(answers)
    const sent = await send(server.url)
    expect(sent).toMatchObject({ result, failure })
    expect(sent.reason).toMatch(/^the mail server [A-Za-z ,()]+ \(/)
    expect(sent.reason).toContain(`(${status})`)
    expect(sent.reason).not.toContain('ana')
  })

  test('421 at the greeting', async () => {
    const server = await rawRelay({}, '421 4.3.2 too many connections')
    expect(await send(server.url)).toMatchObject({ result: 'failed', failure: 'busy' })
  })

  test('a closed port, and a name without an address', async () => {
    expect(await send('smtp://127.0.0.1:1')).toEqual({
      result: 'failed',
      failure: 'unreachable',
      reason: 'the mail server could not be connected to (ECONNREFUSED)',
    })
  })
})

test('a relay with a greeting of several lines and without 8BITMIME gets the message unchanged', async () => {
  const server = await rawRelay(
    { EHLO: '250-here\r\n250 SIZE 100000' },
    '220-wait\r\n220 here ESMTP',
  )
  expect(await send(server.url)).toEqual({ result: 'sent' })
})
