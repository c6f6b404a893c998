import { describe, expect, test } from '@jest/globals'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
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
import { failureOf, interruptible, linesOf, makeMachine, type Situation } from './support/hctl.ts'
import { codeRequested, logIn, polled } from './support/login.ts'

const terminal = { terminal: true, words: '--name laptop' }
const desktop = { ...terminal, env: { DISPLAY: ':0' } }

describe('hctl login without a terminal', () => {
  test('prints one line of JSON with the URL and one at the end, stores the key, and prints no secret', async () => {
    const { result, device, keychain, openedUrls, directory } = await logIn([pending, approved])
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(linesOf(result)).toEqual([
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
    expect(device.paths()).toEqual([codeRequested, polled, polled])
    expect([...keychain]).toEqual([['default', keyToken]])
    expect(openedUrls).toEqual([])
    expect(result.stdout).not.toContain(keyToken)
    expect(await readdir(join(directory, 'hctl'))).toEqual(['profiles'])
  })

  test('prints the same lines without --json', async () => {
    const { result } = await logIn([approved], { words: '--no-browser' })
    expect(linesOf(result).map(({ status }) => status)).toEqual([
      'waiting_for_authorization',
      'authenticated',
    ])
  })
})

describe('hctl login polls', () => {
  test.each<[string, Reply[], number[]]>([
    [
      'each slow_down adds 5 s to the interval',
      [slowDown, slowDown, pending, approved],
      [5.5, 10, 15, 15],
    ],
    [
      'retries after 502 with HTML and broken connections',
      [badGateway, 'reset', approved],
      [5.5, 10, 20],
    ],
    [
      'waits as long as Retry-After of 429 and 503 says',
      [
        problem(429, 'rate_limited', { 'Retry-After': '42' }),
        problem(503, 'service_unavailable', { 'Retry-After': '7' }),
        approved,
      ],
      [5.5, 42, 7],
    ],
  ])('%s', async (_rule, polls, seconds) => {
    const { result, ...machine } = await logIn(polls)
    expect(machine.seconds).toEqual(seconds)
    expect(result.code).toBe(0)
  })

  test('exits with 3 if the login is denied, and with 4 if the code expires', async () => {
    const refused = await logIn([pending, problem(400, 'access_denied')])
    expect(failureOf(refused.result)).toEqual({ exit: 3, code: 'access_denied' })
    expect(linesOf(refused.result).at(-1)).toEqual({ status: 'refused' })
    const detail = 'The security policy of the organization does not allow device logins.'
    const byPolicy = await logIn([problem(400, 'access_denied', {}, detail)])
    expect(JSON.stringify(byPolicy.result)).toContain(`${detail} No key was created.`)
    const expired = await logIn([problem(400, 'expired_token')])
    expect(failureOf(expired.result)).toEqual({ exit: 4, code: 'expired_token' })
    const startedAt = performance.now()
    const late = await logIn([pending])
    // The polls themselves take time too.
    const tookSeconds = (performance.now() - startedAt) / 1_000
    expect(failureOf(late.result)).toEqual({ exit: 4, code: 'expired_token' })
    const waitedSeconds = late.seconds.reduce((sum, one) => sum + one)
    expect(waitedSeconds).toBeGreaterThan(599 - tookSeconds)
    expect(waitedSeconds).toBeLessThan(601)
    expect([refused, expired, late].map(({ keychain }) => keychain.size)).toEqual([0, 0, 0])
  })

  test('exits with 5 for 429 to the code request, and with 1 for HTML', async () => {
    const at = 'POST /oauth/device_authorization'
    const limited = problem(429, 'rate_limited', { 'Retry-After': '60' })
    const many = await logIn([], { others: { [at]: limited } })
    expect(failureOf(many.result)).toEqual({ exit: 5, code: 'rate_limited' })
    const away = await logIn([], { others: { [at]: badGateway } })
    expect(failureOf(away.result)).toEqual({ exit: 1, code: 'unexpected_answer' })
  })

  test('exits with 130 on Ctrl-C and stores nothing', async () => {
    const { signal, interrupt } = interruptible()
    const { result, keychain } = await logIn([pending], { signal, onText: interrupt })
    expect(failureOf(result)).toEqual({ exit: 130, code: 'interrupted' })
    expect(keychain.size).toBe(0)
  })
})

describe('the browser of hctl login', () => {
  test('opens the page with the code; the URL and the code are printed too', async () => {
    const { openedUrls, device, result } = await logIn([approved], desktop)
    const page = `${device.server}/device`
    expect(openedUrls).toEqual([`${page}?user_code=WDJB-MJHT`])
    expect(result.stdout).toContain(`Opening    ${page} `)
    expect(result.stdout).toContain('WDJB-MJHT')
    expect(result.stdout).toContain('If someone sent you this code, deny it.')
    expect(result.stdout).toContain(
      'Signed in as ana@acme.test · Acme (acme) · read-only · until 2027-01-02',
    )
    expect(result.code).toBe(0)
  })

  test.each<[string, Situation & { words?: string }]>([
    [
      'over SSH',
      { ...desktop, env: { DISPLAY: ':0', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' } },
    ],
    ['without a display', terminal],
    ['with --no-browser', { ...desktop, words: '--name laptop --no-browser' }],
  ])('does not open %s', async (_where, situation) => {
    const { openedUrls, result } = await logIn([approved], situation)
    expect({ openedUrls, code: result.code }).toEqual({ openedUrls: [], code: 0 })
  })

  test('does not open a page of another server', async () => {
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
      'POST /oauth/device_authorization': { status: 200, headers, body: JSON.stringify(body) },
    }
    const { openedUrls, result, seconds } = await logIn([approved], { ...desktop, others })
    expect({ openedUrls, code: result.code, seconds }).toEqual({
      openedUrls: [],
      code: 0,
      seconds: [5.5],
    })
    expect(result.stdout).toContain('Open       https://elsewhere.example/device')
  })
})

describe('hctl login', () => {
  test('exits with 2 if HCTL_TOKEN is set or in CI, and requests no code', async () => {
    const withToken = await logIn([], { env: { HCTL_TOKEN: keyToken } })
    expect(failureOf(withToken.result)).toEqual({ exit: 2, code: 'token_in_environment' })
    const inCi = await logIn([], { env: { CI: 'true' } })
    expect(failureOf(inCi.result)).toEqual({ exit: 2, code: 'ci' })
    expect([...withToken.device.requests, ...inCi.device.requests]).toEqual([])
  })

  test('needs --force if already signed in, and then revokes the previous key', async () => {
    const device = await startDeviceServer()
    const { hctl } = await makeMachine({ HCTL_URL: device.server })
    await hctl('login --json', { hurry: true })
    const again = await hctl('login --json', { hurry: true })
    expect(failureOf(again)).toEqual({ exit: 2, code: 'already_signed_in' })
    expect((await hctl('login --json --force', { hurry: true })).code).toBe(0)
    expect(device.paths().filter((path) => path === 'POST /oauth/revoke')).toHaveLength(1)
    await device.close()
  })

  test('--with-key checks and stores a key from standard input, and logout revokes it', async () => {
    const device = await startDeviceServer()
    const { hctl, keychain } = await makeMachine({ HCTL_URL: device.server })
    const none = await hctl('login --with-key --json', { stdin: 'not a key' })
    expect(failureOf(none)).toEqual({ exit: 2, code: 'no_key' })
    const result = await hctl('login --with-key --json', {
      stdin: `${keyToken}\n`,
      env: { CI: '1' },
    })
    expect(result.code).toBe(0)
    expect([...keychain.values()]).toEqual([keyToken])
    const out = await hctl('logout --json')
    expect(JSON.parse(out.stdout).items).toMatchObject([{ revoked: true, reason: null }])
    expect(keychain.size).toBe(0)
    expect(device.paths()).toEqual(['GET /auth/me', 'POST /oauth/revoke'])
    await device.close()
  })

  test('warns if the server does not use HTTPS', async () => {
    const { hctl } = await makeMachine({ HCTL_URL: 'http://panel.invalid' })
    const { stderr } = await hctl('login --json', { fetch: () => Promise.reject(new TypeError()) })
    expect(stderr).toContain('! http://panel.invalid does not use HTTPS')
  })
})
