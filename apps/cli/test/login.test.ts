import { describe, expect, test } from '@jest/globals'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Keyring } from '../src/storage/keyring.ts'
import type { Reply } from '../../../test/support/receiver.ts'
import {
  approved,
  badGateway,
  keyToken,
  pending,
  problem,
  slowDown,
  startDeviceServer,
} from './support/device-server.ts'
import {
  failureOf,
  interruptible,
  keyringOver,
  linesOf,
  makeMachine,
  type Situation,
} from './support/hctl.ts'

/** Signs in at a server that answers the polls like this. */
async function signIn(
  polls: readonly Reply[],
  situation: Situation & { words?: string; others?: Record<string, Reply> } = {},
) {
  const device = await startDeviceServer(polls, situation.others)
  const machine = await makeMachine({ HCTL_URL: device.server })
  const line = `login ${situation.words ?? '--json'}`
  const ended = await machine.hctl(line, { hurry: true, ...situation })
  await device.close()
  return { ...machine, ended, device, seconds: machine.waits.map((ms) => ms / 1_000) }
}

const started = 'POST /auth/device/code'
const polled = 'POST /auth/device/token'
const terminal = { terminal: true, words: '--name laptop' }
const desktop = { ...terminal, env: { DISPLAY: ':0' } }

/** A keychain that fails at the call of this number, and ever after. */
function failingKeyring(callsBefore: number): () => Promise<Keyring> {
  const working = keyringOver(new Map())
  let calls = 0
  const guard =
    <A extends unknown[], T>(call: (...given: A) => Promise<T>) =>
    (...given: A) =>
      calls++ < callsBefore ? call(...given) : Promise.reject(new Error('locked'))
  return () =>
    Promise.resolve({
      read: guard(working.read),
      write: guard(working.write),
      remove: guard(working.remove),
    })
}

describe('without a terminal', () => {
  test('a line says where to approve, and one that it is done; the key is kept, the codes and the token are not shown', async () => {
    const { ended, device, kept, opened, directory } = await signIn([pending, approved])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(linesOf(ended)).toEqual([
      {
        status: 'waiting_for_authorization',
        user_code: 'WDJB-MJHT',
        verification_uri: `${device.server}/device`,
        verification_uri_complete: `${device.server}/device?user_code=WDJB-MJHT`,
        expires_in: 600,
      },
      expect.objectContaining({
        status: 'authenticated',
        profile: 'default',
        server: device.server,
        storage: 'keychain',
        user: expect.objectContaining({ email: 'ana@acme.test' }),
      }),
    ])
    expect(device.paths()).toEqual([started, polled, polled])
    expect([...kept]).toEqual([['default', keyToken]])
    expect(opened).toEqual([])
    expect(ended.stdout).not.toContain(keyToken)
    expect(await readdir(join(directory, 'hctl'))).toEqual(['profiles'])
  })

  test('the same lines come without --json', async () => {
    const { ended } = await signIn([approved], { words: '--no-browser' })
    expect(linesOf(ended).map(({ status }) => status)).toEqual([
      'waiting_for_authorization',
      'authenticated',
    ])
  })
})

describe('polling', () => {
  test.each<[string, Reply[], number[]]>([
    [
      'each slow_down adds 5 s for good',
      [slowDown, slowDown, pending, approved],
      [5.5, 10, 15, 15],
    ],
    ['502 with HTML and broken connections pass', [badGateway, 'reset', approved], [5.5, 10, 20]],
    [
      '429 and 503 wait as long as they are told',
      [
        problem(429, 'rate_limited', { 'Retry-After': '42' }),
        problem(503, 'service_unavailable', { 'Retry-After': '7' }),
        approved,
      ],
      [5.5, 42, 7],
    ],
  ])('%s', async (_rule, polls, seconds) => {
    const { ended, ...machine } = await signIn(polls)
    expect(machine.seconds).toEqual(seconds)
    expect(ended.code).toBe(0)
  })

  test('a refusal is 3, an end of the code 4, by the server’s word or the clock', async () => {
    const refused = await signIn([pending, problem(400, 'access_denied')])
    expect(failureOf(refused.ended)).toEqual({ exit: 3, code: 'access_denied' })
    expect(linesOf(refused.ended).at(-1)).toEqual({ status: 'refused' })
    const expired = await signIn([problem(400, 'expired_token')])
    expect(failureOf(expired.ended)).toEqual({ exit: 4, code: 'expired_token' })
    const startedAt = performance.now()
    const late = await signIn([pending])
    // What the polls themselves took is of the code's time too.
    const tookSeconds = (performance.now() - startedAt) / 1_000
    expect(failureOf(late.ended)).toEqual({ exit: 4, code: 'expired_token' })
    const waitedSeconds = late.seconds.reduce((sum, one) => sum + one)
    expect(waitedSeconds).toBeGreaterThan(599 - tookSeconds)
    expect(waitedSeconds).toBeLessThan(601)
    expect([refused, expired, late].map(({ kept }) => kept.size)).toEqual([0, 0, 0])
  })

  test('429 for the code itself is 5, HTML in its place 1', async () => {
    const at = 'POST /api/v1/auth/device/code'
    const limited = problem(429, 'rate_limited', { 'Retry-After': '60' })
    const many = await signIn([], { others: { [at]: limited } })
    expect(failureOf(many.ended)).toEqual({ exit: 5, code: 'rate_limited' })
    const away = await signIn([], { others: { [at]: badGateway } })
    expect(failureOf(away.ended)).toEqual({ exit: 1, code: 'unexpected_answer' })
  })

  test('Ctrl-C is 130 and keeps nothing', async () => {
    const { signal, interrupt } = interruptible()
    const { ended, kept } = await signIn([pending], { signal, onText: interrupt })
    expect(failureOf(ended)).toEqual({ exit: 130, code: 'interrupted' })
    expect(kept.size).toBe(0)
  })
})

describe('the browser', () => {
  test('opens at the page with the code, and the address and the code are shown all the same', async () => {
    const { opened, device, ended } = await signIn([approved], desktop)
    const page = `${device.server}/device`
    expect(opened).toEqual([`${page}?user_code=WDJB-MJHT`])
    expect(ended.stdout).toContain(`Opening    ${page} `)
    expect(ended.stdout).toContain('WDJB-MJHT')
    expect(ended.stdout).toContain('If a person or website gave you this code, refuse.')
    expect(ended.stdout).toContain(
      'Signed in as ana@acme.test · Acme (acme) · read-only · until 2027-01-02',
    )
    expect(ended.code).toBe(0)
  })

  test.each<[string, Situation & { words?: string }]>([
    [
      'over SSH',
      { ...desktop, env: { DISPLAY: ':0', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' } },
    ],
    ['without a display', terminal],
    ['with --no-browser', { ...desktop, words: '--name laptop --no-browser' }],
  ])('does not open %s', async (_where, situation) => {
    const { opened, ended } = await signIn([approved], situation)
    expect({ opened, code: ended.code }).toEqual({ opened: [], code: 0 })
  })

  test('does not open another server’s page', async () => {
    const body = {
      device_code: 'dc_x',
      user_code: 'WDJB-MJHT',
      verification_uri: 'https://elsewhere.example/device',
      verification_uri_complete: 'https://elsewhere.example/device?user_code=WDJB-MJHT',
      expires_in: 600,
      interval: 0,
    }
    const headers = { 'Content-Type': 'application/json' }
    const others = {
      'POST /api/v1/auth/device/code': { status: 200, headers, body: JSON.stringify(body) },
    }
    const { opened, ended, seconds } = await signIn([approved], { ...desktop, others })
    expect({ opened, code: ended.code, seconds }).toEqual({ opened: [], code: 0, seconds: [5.5] })
    expect(ended.stdout).toContain('Open       https://elsewhere.example/device')
  })
})

describe('what keeps the key', () => {
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

  test.each<[string, () => Promise<Keyring>]>([
    ['is not there', () => Promise.reject(new Error('no keychain'))],
    ['fails when it is tried', failingKeyring(0)],
    // Written, read and deleted by the trial; then the key itself comes.
    ['fails when the key comes', failingKeyring(3)],
  ])(
    'is a file for its owner alone where the keychain %s, and that is said once',
    async (_how, keyring) => {
      const { directory, ended, hctl } = await signIn([approved], { keyring })
      const file = join(directory, 'hctl', 'credentials', 'default')
      expect(await readFile(file, 'utf8')).toBe(`${keyToken}\n`)
      expect([await modeOf(file), await modeOf(join(file, '..'))]).toEqual(['600', '700'])
      expect(await readdir(join(file, '..'))).toEqual(['default'])
      expect(ended.stderr.match(/keychain cannot be used/g)).toHaveLength(1)
      expect(linesOf(ended).at(-1)).toMatchObject({ status: 'authenticated', storage: 'file' })
      // A keychain that works again is not asked: what keeps the key is remembered.
      const listed = await hctl('profiles list --json')
      expect(JSON.parse(listed.stdout).items).toMatchObject([{ name: 'default', storage: 'file' }])
    },
  )

  test('is a file by --insecure-storage, without a word', async () => {
    const { ended, kept } = await signIn([approved], { words: '--json --insecure-storage' })
    expect({ code: ended.code, stderr: ended.stderr, kept: kept.size }).toEqual({
      code: 0,
      stderr: '',
      kept: 0,
    })
  })

  test('is proven before a code is asked for: no keychain and no file allowed, or nowhere to write', async () => {
    const keyring = failingKeyring(0)
    const strict = await signIn([], { keyring, words: '--json --no-insecure-storage' })
    expect(failureOf(strict.ended)).toEqual({ exit: 1, code: 'storage_unavailable' })
    expect(strict.device.requests).toEqual([])

    const { directory } = await makeMachine()
    await writeFile(join(directory, 'file'), '')
    const env = { XDG_CONFIG_HOME: join(directory, 'file') }
    const full = await signIn([], { keyring, env })
    expect(failureOf(full.ended)).toEqual({ exit: 1, code: 'storage_unavailable' })
    expect(full.device.requests).toEqual([])
  })

  test('failing after all, the new key is revoked', async () => {
    const words = '--json --no-insecure-storage'
    const { ended, device, directory } = await signIn([approved], {
      keyring: failingKeyring(3),
      words,
    })
    expect(failureOf(ended)).toEqual({ exit: 1, code: 'storage_failed' })
    expect(device.paths()).toEqual([started, polled, 'POST /auth/revoke'])
    expect(await readdir(join(directory, 'hctl')).catch(() => [])).not.toContain('credentials')
  })
})

describe('who may sign in', () => {
  test('nobody where HCTL_TOKEN is set or in CI: 2, and no code is asked for', async () => {
    const withToken = await signIn([], { env: { HCTL_TOKEN: keyToken } })
    expect(failureOf(withToken.ended)).toEqual({ exit: 2, code: 'token_in_environment' })
    const inCi = await signIn([], { env: { CI: 'true' } })
    expect(failureOf(inCi.ended)).toEqual({ exit: 2, code: 'ci' })
    expect([...withToken.device.requests, ...inCi.device.requests]).toEqual([])
  })

  test('one who is signed in only with --force; the key so far is then revoked', async () => {
    const device = await startDeviceServer()
    const { hctl } = await makeMachine({ HCTL_URL: device.server })
    await hctl('login --json', { hurry: true })
    const again = await hctl('login --json', { hurry: true })
    expect(failureOf(again)).toEqual({ exit: 2, code: 'already_signed_in' })
    expect((await hctl('login --json --force', { hurry: true })).code).toBe(0)
    expect(device.paths().filter((path) => path === 'POST /auth/revoke')).toHaveLength(1)
    await device.close()
  })

  test('with a key from standard input: it is tried, kept, and not revoked by logout', async () => {
    const device = await startDeviceServer()
    const { hctl, kept } = await makeMachine({ HCTL_URL: device.server })
    const none = await hctl('login --with-key --json', { stdin: 'not a key' })
    expect(failureOf(none)).toEqual({ exit: 2, code: 'no_key' })
    const ended = await hctl('login --with-key --json', {
      stdin: `${keyToken}\n`,
      env: { CI: '1' },
    })
    expect(ended.code).toBe(0)
    expect([...kept.values()]).toEqual([keyToken])
    const out = await hctl('logout --json')
    expect(JSON.parse(out.stdout).items).toMatchObject([{ revoked: false, reason: 'given' }])
    expect(kept.size).toBe(0)
    expect(device.paths()).toEqual(['GET /auth/me'])
    await device.close()
  })
})

describe('logout', () => {
  test('revokes the key and forgets it; offline it forgets it and says that it lives on', async () => {
    const others: Record<string, Reply> = {}
    const device = await startDeviceServer([approved], others)
    const { hctl, kept } = await makeMachine({ HCTL_URL: device.server })
    await hctl('login --json --profile one', { hurry: true })
    await hctl('login --json --profile two', { hurry: true })
    expect([...kept.keys()]).toEqual(['one', 'two'])
    const out = await hctl('logout --profile one --json')
    expect(JSON.parse(out.stdout).items).toMatchObject([{ status: 'signed_out', revoked: true }])

    others['POST /api/v1/auth/revoke'] = 'reset'
    const offline = await hctl('logout --all')
    expect(offline).toMatchObject({ code: 0, stderr: '' })
    expect(offline.stdout).toMatch(/profile two.*still valid \(the server could not be reached\)/)
    expect(kept.size).toBe(0)
    expect((await hctl('logout')).stdout).toBe('Profile default is not signed in.\n')
    await device.close()
  })
})
