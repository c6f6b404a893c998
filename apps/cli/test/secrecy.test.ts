import { describe, expect, test } from '@jest/globals'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  paddedTokens,
  secretPart,
  unsendableTokens,
  wholeToken,
} from '../../../test/support/unsendable-tokens.ts'
import { problem, startDeviceServer } from './support/device-server.ts'
import { failureOf, keyringOver, makeMachine, type Result } from './support/hctl.ts'

const server = 'http://127.0.0.1:9'
const outputOf = ({ stdout, stderr }: Result): string => stdout + stderr
/** Any part of the secret that is long enough to help. */
const part = secretPart.slice(0, 8)

/** A machine whose profile names a store with this token. */
async function machineWith(token: string, storage: 'file' | 'keychain') {
  const machine = await makeMachine()
  const directory = join(machine.directory, 'hctl')
  await mkdir(join(directory, 'profiles'), { recursive: true })
  await mkdir(join(directory, 'credentials'))
  const profile = {
    server,
    storage,
    key_id: 'a'.repeat(12),
    origin: 'given',
    user: 'a',
    tenant: 't',
  }
  await writeFile(join(directory, 'profiles', 'default.json'), JSON.stringify(profile))
  if (storage === 'file') await writeFile(join(directory, 'credentials', 'default'), token)
  else machine.keychain.set('default', token)
  return machine
}

describe('hctl refuses a token that cannot be sent, and prints no part of it', () => {
  function expectRefused(result: Result, named: RegExp): void {
    expect(failureOf(result).exit).toBe(2)
    expect(['invalid_token', 'no_key']).toContain(failureOf(result).code)
    expect(result.stderr).toMatch(named)
    expect(outputOf(result)).not.toContain(part)
  }

  test.each(Object.entries(unsendableTokens))('%s', async (_what, [token, named]) => {
    const machine = await makeMachine({ HCTL_URL: server })
    expectRefused(await machine.hctl('whoami --json', { env: { HCTL_TOKEN: token } }), named)
  })

  test.each(['a second line', 'quotation marks', 'a null character'])(
    '%s, from every source',
    async (what) => {
      const [token, named] = unsendableTokens[what]!
      const machine = await makeMachine({ HCTL_URL: server })
      const results = [
        await machine.hctl('login --with-key --json', { stdin: token }),
        await machine.hctl('token exchange --file - --json', { stdin: token }),
        await machine.hctl('token exchange --json', {
          env: { HCTL_ID_TOKEN: token, GITHUB_ACTIONS: 'true' },
        }),
        await machine.hctl('token exchange --key aaaaaaaaaaaa --json', {
          env: {
            ACTIONS_ID_TOKEN_REQUEST_URL: server,
            ACTIONS_ID_TOKEN_REQUEST_TOKEN: token,
            GITHUB_ACTIONS: 'true',
          },
        }),
        await (await machineWith(token, 'keychain')).hctl('whoami --json'),
        await (await machineWith(token, 'file')).hctl('whoami --json'),
      ]
      for (const result of results) expectRefused(result, named)
    },
  )
})

test.each(Object.entries(paddedTokens))('hctl removes %s from HCTL_TOKEN', async (_what, token) => {
  const device = await startDeviceServer()
  const machine = await makeMachine({ HCTL_URL: device.server, HCTL_TOKEN: token })
  expect(await machine.hctl('auth status')).toMatchObject({ code: 0, stderr: '' })
  expect(device.requests[0]!.headers.authorization).toBe(`Bearer ${wholeToken}`)
  await device.close()
})

describe('hctl prints no secret', () => {
  test.each([
    ['in place of an option', ['whoami', `--token=${secretPart}`]],
    ['in place of an option with a quotation mark', ['whoami', `--token=it's ${secretPart}`]],
    ['in place of an argument', ['whoami', wholeToken]],
    ['in place of a command', [wholeToken]],
    ['in place of a choice', ['api', wholeToken, '/']],
    ['in place of an id', ['keys', 'show', wholeToken]],
    ['a signing secret in place of an id', ['webhooks', 'show', `whsec_${secretPart}`]],
    [
      'in a body that is not JSON',
      ['api', 'POST', '/auth/revoke', '--body', `{"token":${wholeToken}`],
    ],
    ['in a body that begins with it', ['api', 'POST', '/auth/revoke', '--body', secretPart]],
  ])('%s', async (_what, words) => {
    const machine = await makeMachine({ HCTL_URL: server, HCTL_TOKEN: wholeToken })
    for (const output of [[], ['--json']]) {
      const result = await machine.hctl([...words, ...output])
      expect(result.code).toBeGreaterThan(0)
      expect(outputOf(result)).not.toContain(part)
    }
  })

  test.each([
    `https://user:${secretPart}@panel.example`,
    `https://:${secretPart}@panel.example`,
    `https://user:a/${secretPart}@panel.example`,
    `user:${secretPart}@panel.example`,
    `ftp://user:${secretPart}@panel.example`,
    `https://panel.example/?token=${secretPart}`,
  ])('of the URL of the service: %s', async (url) => {
    const machine = await makeMachine({ HCTL_TOKEN: wholeToken })
    for (const result of [
      await machine.hctl('whoami --json', { env: { HCTL_URL: url } }),
      await machine.hctl(['login', '--server', url, '--json'], { env: { HCTL_TOKEN: '' } }),
    ]) {
      expect(failureOf(result)).toEqual({ exit: 2, code: 'server' })
      expect(outputOf(result)).not.toContain(part)
    }
  })

  test('of the URL that events are forwarded to, or of an endpoint that is refused', async () => {
    const machine = await makeMachine({ HCTL_URL: server, HCTL_TOKEN: wholeToken })
    const target = `ftp://user:${secretPart}@localhost/`
    const refused = await machine.hctl(['listen', '--forward-to', target])
    expect(outputOf(refused)).not.toContain(part)
  })

  test('that a server repeats', async () => {
    const detail = `Unknown: Bearer ${wholeToken}, whsec_${secretPart}`
    const { server: url, close } = await startDeviceServer([], {
      'GET /api/v1/auth/me': problem(400, 'malformed_request', {}, detail),
    })
    const machine = await makeMachine({ HCTL_URL: url, HCTL_TOKEN: wholeToken })
    for (const words of ['whoami', 'whoami --json', 'auth status']) {
      const result = await machine.hctl(words)
      expect(result.code).toBe(1)
      expect(outputOf(result)).not.toContain(part)
    }
    await close()
  })

  test('as the id of a key, where another secret is in HCTL_TOKEN', async () => {
    const device = await startDeviceServer([], {
      'GET /api/v1/auth/me': problem(401, 'invalid_api_key'),
    })
    const machine = await makeMachine({ HCTL_URL: device.server })
    for (const token of [`whsec_${secretPart}`, `ghp_${secretPart}`]) {
      const result = await machine.hctl('auth status --json', { env: { HCTL_TOKEN: token } })
      expect(JSON.parse(result.stdout)).toMatchObject({ key_id: null, valid: false })
      expect(outputOf(result)).not.toContain(part)
    }
    await device.close()
  })
})

describe('a token that an exchange returns', () => {
  test('is passed on neither to the runner nor to the shell if it has a second line', async () => {
    const answer = {
      access_token: `${wholeToken}\nPATH=${secretPart}`,
      expires_in: 900,
      scope: '*:read',
    }
    const { server: url, close } = await startDeviceServer([], {
      'POST /oauth/token': {
        status: 200,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(answer),
      },
    })
    const machine = await makeMachine({ HCTL_URL: url, HCTL_ID_TOKEN: 'eyJh.eyJz.c2ln' })
    for (const words of ['token exchange --json', 'token exchange --export --json']) {
      const result = await machine.hctl(words)
      expect(failureOf(result)).toEqual({ exit: 2, code: 'invalid_token' })
      expect(outputOf(result)).not.toContain(part)
    }
    await close()
  })
})

test('a keychain that cannot be read is named, with the way to use a file', async () => {
  const machine = await machineWith(wholeToken, 'keychain')
  const keyring = () =>
    Promise.resolve({
      ...keyringOver(new Map()),
      read: () => Promise.reject(new Error('The collection is locked\nat DBus')),
    })
  const result = await machine.hctl('whoami --json', { keyring })
  expect(failureOf(result)).toEqual({ exit: 1, code: 'storage_unavailable' })
  expect(result.stderr).toContain('Cannot read the system keychain: The collection is locked')
  expect(result.stderr).toContain('hctl login --insecure-storage')
})
