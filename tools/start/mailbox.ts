import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { errorCode } from '../local-stack/file-errors.ts'
import type { Lifetime } from './lifetime.ts'
import { rememberedPort } from './remembered-port.ts'
import { say } from './say.ts'

/** A mail server for this machine: it delivers nothing, and stores each mail as a file. */
export interface Mailbox {
  readonly url: string
  /** Where the mails are. */
  readonly folder: string
}

/** Starts the local mailbox. */
export async function startMailbox(lifetime: Lifetime, directory: string): Promise<Mailbox> {
  const folder = join(directory, 'mail')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, callback) {
      text(stream)
        .then((source) => store(folder, source))
        .then(() => callback(), callback)
    },
  })
  server.on('error', () => undefined)
  const port = await listen(server, join(directory, 'mailbox.port'))
  lifetime.onEnd(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { url: `smtp://127.0.0.1:${port}`, folder }
}

/** Named by the Message-ID, so a mail that is sent again replaces itself. */
async function store(folder: string, source: string): Promise<void> {
  const id = /^Message-ID: <([\w-]+)@/im.exec(source)?.[1] ?? 'mail'
  const to = /^To: (.+)$/im.exec(source)?.[1] ?? 'somebody'
  const file = join(folder, `${id}.eml`)
  await writeFile(file, source, { mode: 0o600 })
  say(`Mail to ${to.trim()}, stored as ${file}`)
}

async function listen(server: SMTPServer, portFile: string): Promise<number> {
  for (;;) {
    const port = await rememberedPort(portFile, 8025, 'The mailbox')
    try {
      server.listen(port, '127.0.0.1')
      await once(server.server, 'listening')
      return port
    } catch (error) {
      // Another start may have taken the port; the next search finds another one.
      if (errorCode(error) !== 'EADDRINUSE') throw error
    }
  }
}
