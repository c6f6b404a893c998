import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { startReceiver } from '../support/receiver.ts'
import { until, useStack } from '../support/stack.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { openShell, type Shell } from './shell.ts'
import { needing, succeeds } from '../support/needing.ts'

const stack = useStack({ WEBHOOK_RETRY_DELAYS_SECONDS: '1' })
beforeAll(() => stack.startWorker())

const opened: Shell[] = []
afterAll(() => Promise.all(opened.map((shell) => shell.close())))

/** A block of code of a page: a file if the line above names it, otherwise commands. */
interface Block {
  readonly section: string
  readonly file: string | undefined
  readonly code: string
}

const blocksOf = (markdown: string): Block[] =>
  markdown.split(/^## /m).flatMap((text) => {
    const section = text.slice(0, text.indexOf('\n'))
    const blocks = text.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```\w*\n([^]*?)^```$/gm)
    return [...blocks].map(([, file, code]) => ({ section, file, code: code! }))
  })

/** Follows the page of a quickstart word for word, in an empty folder. */
class Reader {
  readonly folder = makeTemporaryFolder()
  readonly terminal = this.openTerminal()
  readonly #blocks: readonly Block[]
  readonly #port: number
  /** The variables that the page tells the reader to set. */
  readonly #variables: Record<string, string>

  constructor(markdown: string, port: number, variables: Record<string, string>) {
    this.#blocks = blocksOf(markdown)
    this.#port = port
    this.#variables = { ...variables }
  }

  openTerminal(): Shell {
    const shell = openShell(this.folder)
    opened.push(shell)
    return shell
  }

  /** Writes the files and runs the commands of a section in their order; returns what they printed. */
  async follow(section: string, shell = this.terminal): Promise<string> {
    let printed = ''
    for (const { file, code } of this.#blocksIn(section)) {
      if (file === undefined) printed += await shell.run(this.#fill(code))
      else this.#write(file, code)
      this.#readVariables(printed)
    }
    return printed
  }

  /** Writes the receiver and leaves it running. */
  async startReceiver(): Promise<void> {
    const [program, command] = this.#blocksIn('Receive')
    this.#write(program!.file!, program!.code)
    this.terminal.start(this.#fill(command!.code))
    await until(() => listens(this.#port), Boolean)
  }

  /** A second terminal with the same variables. */
  async openSecondTerminal(): Promise<Shell> {
    const shell = this.openTerminal()
    for (const { code } of this.#blocks) {
      if (code.startsWith('export ')) await shell.run(this.#fill(code))
    }
    return shell
  }

  #blocksIn(section: string): Block[] {
    return this.#blocks.filter((block) => block.section === section)
  }

  #write(file: string, code: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true })
    writeFileSync(join(this.folder, file), code)
  }

  /** The reader's own values in place of those of the page. */
  #fill(code: string): string {
    return Object.entries(this.#variables)
      .reduce(
        (text, [name, value]) => text.replace(RegExp(`(export ${name})=.*`), `$1=${value}`),
        code,
      )
      .replace('3000', String(this.#port))
  }

  #readVariables(printed: string): void {
    const [, id] = /(?:WEBHOOK_ID=|"id":")([0-9a-f-]{36})/.exec(printed) ?? []
    const [secret] = /whsec_[\w+/=-]+/.exec(printed) ?? []
    if (id !== undefined) this.#variables['WEBHOOK_ID'] ??= id
    if (secret !== undefined) this.#variables['WEBHOOK_SECRET'] ??= secret
  }
}

/** A reader with a key, whose receiver has this URL. */
async function openReader(language: string, port: number, webhookUrl: string): Promise<Reader> {
  const page = await fetch(`${stack.api.url}/docs/quickstart/${language}.md`)
  const tenant = await stack.api.makeTenant()
  const { token } = await tenant.makeKey({ scopes: ['webhooks:write'] })
  return new Reader(await page.text(), port, {
    HCTL_URL: stack.api.url,
    HCTL_TOKEN: token,
    WEBHOOK_URL: webhookUrl,
  })
}

const listens = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}`).then(
    () => true,
    () => false,
  )

/** Sends the test event; returns its id. */
async function sendTestEvent(reader: Reader, shell: Shell): Promise<string> {
  const sent = JSON.parse(await reader.follow('Send a test event', shell))
  return sent.delivery.event.id as string
}

const waitForSuccess = (reader: Reader, shell: Shell): Promise<unknown> =>
  until(
    async () => JSON.parse(await reader.follow('See what happened', shell)).items[0].status,
    (status) => status === 'succeeded',
  )

/** The languages, and a command that succeeds if the language is installed. */
const languages = [
  ['TypeScript', 'typescript', [process.execPath, '--version']],
  ['Python', 'python', ['python3', '-c', 'import sys, venv; assert sys.version_info >= (3, 9)']],
  ['PHP', 'php', ['php', '--version']],
  ['Go', 'go', ['go', 'version']],
] as const

describe('a quickstart, followed word for word in an empty folder, receives an event', () => {
  for (const [name, language, probe] of languages) {
    needing(name, succeeds(probe)).test(
      name,
      async () => {
        const port = await freePort()
        const reader = await openReader(language, port, `http://127.0.0.1:${port}/webhooks`)
        await reader.follow('Prepare')
        await reader.follow('Create an endpoint')
        await reader.startReceiver()
        const second = await reader.openSecondTerminal()
        const eventId = await sendTestEvent(reader, second)
        await reader.terminal.shows(RegExp(`site\\.created ${eventId}`))
        await waitForSuccess(reader, second)
        const forged = await fetch(`http://127.0.0.1:${port}/webhooks`, {
          method: 'POST',
          headers: { 'service-signature': `t=${Math.floor(Date.now() / 1_000)},v1=00` },
          body: '{}',
        })
        expect(forged.status).toBe(400)
      },
      180_000,
    )
  }

  test('curl, with a signature that the shell verifies', async () => {
    const receiver = await startReceiver()
    const reader = await openReader('curl', 0, receiver.url)
    const { terminal, folder } = reader
    await reader.follow('Prepare')
    await reader.follow('Create an endpoint')
    await sendTestEvent(reader, terminal)
    const { headers, body } = await receiver.next()
    await terminal.run(`SIGNATURE='${String(headers['service-signature'])}'`)
    const verdicts: string[] = []
    for (const stored of [body, `${body.toString()} `]) {
      writeFileSync(join(folder, 'body.json'), stored)
      verdicts.push((await reader.follow('Receive')).trim())
    }
    expect(verdicts).toEqual(['genuine', 'refused'])
    await waitForSuccess(reader, terminal)
    await receiver.close()
  })
})
