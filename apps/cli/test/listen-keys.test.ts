import { verifyWebhook } from '@hosting/sdk'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useApi, type TestTenant } from '../../../test/support/api.ts'
import { siteData } from '../../../test/support/events.ts'
import { startReceiver, type Receiver } from '../../../test/support/receiver.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import {
  hctlCommand,
  shellInTerminal,
  type TerminalProgram,
} from '../../../test/support/terminal.ts'

const api = useApi()
let tenant: TestTenant
let token: string
let local: Receiver
let status = 204

beforeAll(async () => {
  tenant = await api.makeTenant()
  token = (await tenant.makeKey()).token
  local = await startReceiver({ respond: () => ({ status }) })
})
afterAll(() => local.close())
afterEach(() => {
  status = 204
})

const publish = async (type = 'site.created'): Promise<string> => {
  const event = { tenant_id: tenant.id, type, data: siteData }
  const { body } = await api.callInternal('post', '/events', event)
  return body.items[0].id as string
}

/** Listens in a shell that says its own mode of the terminal before and after, and the exit code. */
function listen(env: Record<string, string> = {}): TerminalProgram {
  const command = `${hctlCommand} listen --forward-to ${local.url}hook`
  const script = [
    'echo "before $(stty -g)"',
    // The shell itself must survive the signals that a test sends.
    `sh -c 'echo "pid $$"; exec ${command}'`,
    'echo "ended with $?"',
    'echo "after $(stty -g)"',
  ]
  return shellInTerminal(script.join('; '), {
    XDG_CONFIG_HOME: makeTemporaryFolder(),
    HCTL_URL: api.url,
    HCTL_TOKEN: token,
    ...env,
  })
}

/** Waits for the end, after which the terminal must have the mode that it had before. */
async function endOf(program: TerminalProgram): Promise<string> {
  const [, code = ''] = await program.shows(/ended with (\d+)\r\n/)
  const [, after] = await program.shows(/after (\S+)\r\n/)
  await program.ended
  expect(after).toBe(/before (\S+)\r\n/.exec(program.screen)![1])
  return code
}

const isListening = /Signing secret {2}(\S+)/

describe('the keys of hctl listen in a terminal', () => {
  test('resend the selected event signed anew, show its details and open it; q ends with 0', async () => {
    const pipe = join(makeTemporaryFolder(), 'opened')
    execFileSync('sh', ['-c', `mkfifo ${pipe}`])
    const opened = readFile(pipe, 'utf8')
    const browser = join(makeTemporaryFolder(), 'browser')
    writeFileSync(browser, `#!/bin/sh\necho "$1" > ${pipe}\n`, { mode: 0o755 })
    const program = listen({ BROWSER: browser })
    const [, secret] = await program.shows(isListening)
    await program.shows(/t trigger · q quit/)
    program.type('d')
    await program.shows(/! No event has arrived yet\./)
    const first = await publish()
    const arrived = await local.next()
    status = 500
    const second = await publish('site.deleted')
    await local.next()
    await program.shows(new RegExp(`site.deleted {2}${second} {2}HTTP 500`))
    expect(program.written).toContain('\u001B[31mHTTP 500')
    await program.shows(/site\.deleted {2}HTTP 500 {3}r resend · d details · o open/)

    status = 201
    program.type('\u001B[A')
    await program.shows(/↑ site\.created {2}HTTP 204 {3}r resend/)
    program.type('r')
    const again = await local.next()
    expect(again.body).toEqual(arrived.body)
    expect(again.headers['service-delivery']).toBe(arrived.headers['service-delivery'])
    const signature = again.headers['service-signature'] as string
    expect(await verifyWebhook(again.body, signature, secret!)).toMatchObject({ id: first })
    await program.shows(/site\.created {2}\S+ {2}HTTP 201/)
    await program.shows(/↑ site\.created {2}HTTP 201 {3}r/)
    expect(program.written).toContain('\u001B[32mHTTP 201')

    program.type('d')
    await program.shows(/Service-Event: site\.created\r\n[^]*"primary_domain": /)
    program.type('o')
    await program.shows(new RegExp(`${api.url}/events/${first}\\r\\n`))
    program.type('q')
    expect(await endOf(program)).toBe('0')
    expect(await opened).toBe(`${api.url}/events/${first}\n`)
  })
  test('t asks for a type, and sends an example to this stream; events wait meanwhile', async () => {
    const program = listen({ NO_COLOR: '1' })
    await program.shows(isListening)
    program.type('t')
    await program.shows(/Which event\? Type to search\./)
    const id = await publish()
    await local.next()
    program.type('backup.f')
    await program.shows(/Search: backup\.f[^]*● backup\.failed/)
    expect(program.screen).not.toContain(id)
    program.type('\r')
    await program.shows(new RegExp(`site.created {2}${id} {2}HTTP 204`))
    await program.shows(/backup\.failed {2}\S+ {2}HTTP 204/)
    expect(JSON.parse((await local.next()).body.toString())).toMatchObject({
      type: 'backup.failed',
    })
    program.type('o')
    await program.shows(/! The panel does not show this event: it is an example\./)
    expect(program.written).not.toContain('mHTTP')
    program.type('q')
    expect(await endOf(program)).toBe('0')
  })

  test.each([
    ['Ctrl-C', (program: TerminalProgram) => program.type('\u0003'), '130'],
    ['SIGTERM', kill('SIGTERM'), '143'],
    ['SIGHUP', kill('SIGHUP'), '129'],
    ['SIGTERM during the prompt of t', promptAndKill, '143'],
  ] as const)('the terminal has its own mode after %s', async (_way, end, code) => {
    const program = listen()
    await program.shows(/t trigger · q quit/)
    await end(program)
    expect(await endOf(program)).toBe(code)
    // The line of the keys is gone, and the cursor is visible.
    expect(program.written).toContain('\r\u001B[Kended with')
    expect(program.written.lastIndexOf('\u001B[?25h')).toBeGreaterThanOrEqual(
      program.written.lastIndexOf('\u001B[?25l'),
    )
  })

  test('Ctrl-Z gives the terminal back to the shell, and fg takes it again', async () => {
    const env = { PS1: 'ready> ', HCTL_URL: api.url, HCTL_TOKEN: token }
    const shell = shellInTerminal('exec bash --norc --noediting -i', env)
    shell.type(`${hctlCommand} listen\n`)
    await shell.shows(/t trigger · q quit/)
    shell.type('\u001A')
    await shell.shows(/Stopped/)
    shell.type('stty -a | grep -ow -e "-\\?icanon"\n')
    // The shell may show its prompt before or after the echo of the command, so on the same line.
    await shell.shows(/(?<!-)icanon\r/)
    shell.type('fg\n')
    await publish()
    await shell.shows(/site\.created {2}[0-9a-f-]{36}\r/)
    shell.type('q')
    await shell.shows(/↑↓ select\s*ready> /)
    shell.type('echo "ended with $?"; exit\n')
    await shell.shows(/ended with 0\r/)
    await shell.ended
  })
})

function kill(signal: 'SIGTERM' | 'SIGHUP') {
  return async (program: TerminalProgram) => {
    const [, pid] = await program.shows(/pid (\d+)\r/)
    process.kill(Number(pid), signal)
  }
}

async function promptAndKill(program: TerminalProgram): Promise<void> {
  program.type('t')
  await program.shows(/Which event\?/)
  await kill('SIGTERM')(program)
}
