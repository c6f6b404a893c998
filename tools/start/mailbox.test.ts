import { afterAll, expect, test } from '@jest/globals'
import { readdir, readFile, stat } from 'node:fs/promises'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { startMailbox, type Mailbox } from './mailbox.ts'

const ends: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of ends) await end()
})

const lifetime = {
  signal: new AbortController().signal,
  onEnd: (end: () => Promise<unknown>) => void ends.push(end),
  fail(error: unknown) {
    throw error
  },
}

/** Sends a mail over SMTP. */
async function send({ url }: Mailbox, message: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const commands = ['EHLO test', 'MAIL FROM:<a@example.test>', 'RCPT TO:<b@example.test>', 'DATA']
  for (const command of [...commands, `${message}\r\n.`, 'QUIT']) {
    const [reply] = (await once(socket, 'data')) as [Buffer]
    expect(String(reply)).toMatch(/^[23]\d\d/)
    socket.write(`${command}\r\n`)
  }
  await once(socket, 'close')
}

const mailOf = (text: string): string =>
  `Message-ID: <notice-1@example.test>\r\nTo: b@example.test\r\nSubject: Hello\r\n\r\n${text}`

test('npm start stores each mail as a file, and a mail that is sent again replaces the first', async () => {
  const mailbox = await startMailbox(lifetime, makeTemporaryFolder())
  await send(mailbox, mailOf('First'))
  await send(mailbox, mailOf('Again'))
  expect(await readdir(mailbox.folder)).toEqual(['notice-1.eml'])
  const stored = await readFile(join(mailbox.folder, 'notice-1.eml'), 'utf8')
  expect(stored).toContain('To: b@example.test')
  expect(stored).toContain('Again')
})

test('only the person who runs npm start can read the mails', async () => {
  const mailbox = await startMailbox(lifetime, makeTemporaryFolder())
  await send(mailbox, mailOf('Secret'))
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777
  expect(await modeOf(mailbox.folder)).toBe(0o700)
  expect(await modeOf(join(mailbox.folder, 'notice-1.eml'))).toBe(0o600)
})
