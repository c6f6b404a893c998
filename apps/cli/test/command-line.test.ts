import { describe, expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeTemporary } from '../../../test/support/temporary-file.ts'
import { Output } from '../src/output/output.ts'
import { toTable } from '../src/output/table.ts'
import { parseDuration, parseTime } from '../src/spans.ts'
import { badGateway, keyToken, problem, startDeviceServer } from './support/device-server.ts'
import { failureOf, interruptible, makeMachine } from './support/hctl.ts'

const signedIn = { HCTL_TOKEN: keyToken }

describe('wrong usage is 2', () => {
  test.each([
    ['kes', /Unknown command 'kes'\n\(Did you mean keys\?\)/],
    ['keys lst', /Did you mean list\?/],
    ['keys list --statos active', /Did you mean --status\?/],
    ['keys list --status gone', /Allowed choices are active, expired, revoked/],
    ['keys list more', /Too many arguments/],
    ['keys create --name a', /--scope/],
    ['keys revoke', /missing required argument 'id'/i],
    ['audit --since yesterday', /Neither a time nor a duration/],
    ['keys list --limit many', /Not a whole number/],
    ['keys rotate a --grace 5', /Not a duration/],
    ['whoami', /Name the service: --server/],
    ['whoami --server ftp://a', /not the address of a service/],
    ['whoami --profile ../../a', /A profile's name/],
    ['listen --forward-to ftp://a', /not an http address/],
    ['completion tcsh', /No completion for tcsh/],
    ['keys', /Usage: hctl keys/],
    ['', /Usage: hctl/],
  ])('hctl %s', async (line, said) => {
    const { hctl } = await makeMachine()
    const ended = await hctl(line.split(' ').filter(Boolean), { env: signedIn })
    expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(said) })
  })

  test('and a program that asks for JSON gets the error as JSON', async () => {
    const { hctl } = await makeMachine()
    expect(failureOf(await hctl('keys lst --json'))).toEqual({ exit: 2, code: 'usage' })
  })
})

test('help and version are 0, on stdout', async () => {
  const { hctl } = await makeMachine()
  expect((await hctl('--version')).stdout).toBe('0.1.0\n')
  const help = await hctl('keys create --help')
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toMatch(/--scope[^]*--json/)
})

describe('what is not this API', () => {
  test.each([
    ['502 with HTML', badGateway, 'unexpected_answer', 1],
    ['a page', { status: 200, body: '<html>' }, 'unexpected_answer', 1],
    ['429', problem(429, 'rate_limited', { 'Retry-After': '3600' }), 'rate_limited', 5],
    ['no connection', 'reset', 'no_connection', 1],
  ] as const)('%s', async (_what, reply, code, exit) => {
    const device = await startDeviceServer([], { 'POST /api/v1/auth/device/code': reply })
    const { hctl } = await makeMachine({ HCTL_URL: device.server })
    expect(failureOf(await hctl('login --json'))).toEqual({ exit, code })
    const plain = await hctl('login --insecure-storage')
    expect(plain.stderr).not.toMatch(/<html|at .*\.ts:/)
    await device.close()
  })
})

test('Ctrl-C ends a command that waits for an answer', async () => {
  const device = await startDeviceServer([], { 'POST /api/v1/auth/device/code': 'hang' })
  const { hctl } = await makeMachine({ HCTL_URL: device.server })
  const { signal, interrupt } = interruptible()
  const ended = hctl('login', { signal })
  await device.next()
  interrupt()
  expect((await ended).code).toBe(130)
  await device.close()
})

test('without a sign-in: 1 for a person, 2 in CI, with what to do', async () => {
  const { hctl, directory } = await makeMachine({ HCTL_URL: 'https://a.example' })
  expect(await hctl('whoami')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/hctl login/),
  })
  const env = { CI: 'true' }
  expect(await hctl('whoami', { env })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Set HCTL_TOKEN/),
  })
  await hctl('profiles list')
  await rm(directory, { recursive: true })
})

test('a damaged profile is said to be so, and logout clears it away', async () => {
  const device = await startDeviceServer()
  const { hctl, directory } = await makeMachine({ HCTL_URL: device.server })
  await hctl('login --json', { hurry: true })
  await writeFile(join(directory, 'hctl', 'profiles', 'default.json'), '{')
  expect(failureOf(await hctl('whoami --json'))).toEqual({ exit: 1, code: 'profile_damaged' })
  expect((await hctl('logout')).code).toBe(0)
  expect(failureOf(await hctl('whoami --json'))).toEqual({ exit: 1, code: 'not_signed_in' })
  await device.close()
})

describe('colours', () => {
  test.each([
    ['a terminal has them', true, {}, true],
    ['NO_COLOR takes them away', true, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR does not', true, { NO_COLOR: '' }, true],
    ['a file has none', false, {}, false],
  ])('%s', async (_rule, terminal, env, coloured) => {
    const { hctl } = await makeMachine()
    const { stderr } = await hctl('kes', { terminal, env })
    expect(stderr.includes('\u001B[')).toBe(coloured)
  })
})

describe('completion', () => {
  const bash = async (line: string): Promise<string[]> => {
    const { hctl } = await makeMachine()
    const script = (await hctl('completion bash')).stdout
    const path = writeTemporary('completion.bash', script)
    const program = `source "$1"; COMP_WORDS=(${line}""); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _hctl; echo "\${COMPREPLY[@]}"`
    const { stdout } = await promisify(execFile)('bash', ['-c', program, 'bash', path])
    return stdout.trim().split(' ')
  }

  test('bash completes groups, commands, and their options', async () => {
    expect(await bash('hctl ')).toEqual(
      expect.arrayContaining(['login', 'keys', 'listen', '--json']),
    )
    expect(await bash('hctl --json keys ')).toEqual(['list', 'create', 'rotate', 'revoke', 'usage'])
    expect(await bash('hctl keys rotate abc ')).toEqual(
      expect.arrayContaining(['--grace', '--json']),
    )
    expect(await bash('hctl login ')).toEqual(
      expect.arrayContaining(['--no-browser', '--insecure-storage', '--no-insecure-storage']),
    )
  })

  test('zsh and fish name every command', async () => {
    const { hctl } = await makeMachine()
    for (const shell of ['zsh', 'fish']) {
      const { stdout } = await hctl(`completion ${shell}`)
      for (const word of ['webhooks', 'rotate-secret', 'forward-to']) expect(stdout).toContain(word)
    }
  })
})

test('tables align, with numbers to the right and nothing as a dash', () => {
  const rows = [
    { name: 'a', count: 5, at: null },
    { name: 'long', count: 10, at: 'x' },
  ]
  const columns = {
    name: (row: (typeof rows)[number]) => row.name,
    count: (row: (typeof rows)[number]) => row.count,
    at: (row: (typeof rows)[number]) => row.at,
  }
  expect(toTable(rows, columns)).toEqual(['NAME  COUNT  AT', 'a         5  -', 'long     10  x'])
})

test('times are times or spans, and nothing else', () => {
  const now = Date.parse('2026-01-02T00:00:00Z')
  expect(parseTime('24h', now)).toBe('2026-01-01T00:00:00.000Z')
  expect(parseTime('2026-01-01', now)).toBe('2026-01-01T00:00:00.000Z')
  expect(['1', 'x1', '2026-99-99', ''].map((text) => parseTime(text, now))).toEqual(
    Array(4).fill(undefined),
  )
  expect([parseDuration('90s'), parseDuration('7d'), parseDuration('1w')]).toEqual([
    90,
    604_800,
    undefined,
  ])
})

test('a login over a network without https is warned of', async () => {
  const { hctl } = await makeMachine({ HCTL_URL: 'http://panel.invalid' })
  const { stderr } = await hctl('login --json', { fetch: () => Promise.reject(new TypeError()) })
  expect(stderr).toContain('! http://panel.invalid is not https: others can read the key.')
})

test('a warning is seen beside JSON', () => {
  const written: string[] = []
  const stream = { write: (text: string) => written.push(text) }
  const surroundings = { env: {}, stdout: stream, stderr: stream } as never
  new Output(surroundings, true).warn('loud')
  expect(written).toEqual(['! loud\n'])
})
