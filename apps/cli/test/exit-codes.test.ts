import { describe, expect, test } from '@jest/globals'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { badGateway, keyToken, problem, startDeviceServer } from './support/device-server.ts'
import { failureOf, interruptible, makeMachine } from './support/hctl.ts'
import type { Reply } from '../../../test/support/receiver.ts'

/** Runs a command at a server that gives this response. */
async function runAt(line: string, path: string, reply: Reply) {
  const device = await startDeviceServer([], { [`GET /api/v1${path}`]: reply })
  const { hctl } = await makeMachine({ HCTL_URL: device.server, HCTL_TOKEN: keyToken })
  const result = await hctl(line)
  await device.close()
  return result
}

const webhookId = '00000000-0000-7000-8000-000000000000'

describe('the exit code of a response', () => {
  test.each([
    [401, 'invalid_api_key', 3],
    [403, 'insufficient_scope', 3],
    [403, 'api_key_ip_denied', 3],
    [403, 'permission_denied', 3],
    [404, 'not_found', 1],
    [409, 'conflict', 1],
    [422, 'validation_failed', 1],
    [429, 'rate_limited', 5],
    [503, 'webhooks_unavailable', 1],
  ])('HTTP %i %s', async (status, code, exit) => {
    const headers = status === 429 ? { 'Retry-After': '3600' } : { 'Retry-After': '0' }
    const result = await runAt(
      `webhooks show ${webhookId} --json`,
      `/webhooks/${webhookId}`,
      problem(status, code, headers),
    )
    expect(failureOf(result)).toEqual({ exit, code })
  })
})

describe('a response that is not from the API', () => {
  test.each([
    ['502 with HTML', badGateway, 'unexpected_answer'],
    ['a page', { status: 200, body: '<html>' }, 'unexpected_answer'],
    ['no connection', 'reset', 'no_connection'],
  ] as const)('%s exits with 1', async (_what, reply, code) => {
    // An earlier release has the second path only.
    const device = await startDeviceServer([], {
      'POST /oauth/device_authorization': reply,
      'POST /api/v1/auth/device/code': reply,
    })
    const { hctl } = await makeMachine({ HCTL_URL: device.server })
    expect(failureOf(await hctl('login --json'))).toEqual({ exit: 1, code })
    const plain = await hctl('login --insecure-storage')
    expect(plain.stderr).not.toMatch(/<html|at .*\.ts:/)
    await device.close()
  })
})

describe('Ctrl-C', () => {
  test.each([
    ['prints nothing', 'login', /^$/],
    ['prints JSON with --json', 'login --json', /"code":"interrupted"/],
  ])('exits with 130 and %s', async (_what, line, stderr) => {
    const device = await startDeviceServer([], { 'POST /oauth/device_authorization': 'hang' })
    const { hctl } = await makeMachine({ HCTL_URL: device.server })
    const { signal, interrupt } = interruptible()
    const result = hctl(line, { signal })
    await device.next()
    interrupt()
    expect(await result).toMatchObject({ code: 130, stderr: expect.stringMatching(stderr) })
    await device.close()
  })
})

describe('without a sign-in', () => {
  test('exits with 3 and says what to do', async () => {
    const { hctl } = await makeMachine({ HCTL_URL: 'https://a.example' })
    expect(await hctl('whoami')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/Run hctl login/),
    })
    expect(await hctl('whoami', { env: { CI: 'true' } })).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/Set HCTL_TOKEN/),
    })
  })

  test('a damaged profile is named, and logout deletes it', async () => {
    const device = await startDeviceServer()
    const { hctl, directory } = await makeMachine({ HCTL_URL: device.server })
    await hctl('login --json', { hurry: true })
    await writeFile(join(directory, 'hctl', 'profiles', 'default.json'), '{')
    expect(failureOf(await hctl('whoami --json'))).toEqual({ exit: 1, code: 'profile_damaged' })
    expect((await hctl('logout')).code).toBe(0)
    expect(failureOf(await hctl('whoami --json'))).toEqual({ exit: 3, code: 'not_signed_in' })
    await device.close()
  })
})
