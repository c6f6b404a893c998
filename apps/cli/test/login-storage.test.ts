import { describe, expect, test } from '@jest/globals'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Keyring } from '../src/storage/keychain.ts'
import type { Reply } from '../../../test/support/receiver.ts'
import { approved, keyToken, problem, startDeviceServer } from './support/device-server.ts'
import { failureOf, interruptible, linesOf, makeMachine } from './support/hctl.ts'
import { codeRequested, failingKeyring, logIn, polled } from './support/login.ts'

describe('hctl login stores the key', () => {
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

  test.each<[string, () => Promise<Keyring>]>([
    ['does not exist', () => Promise.reject(new Error('no keychain'))],
    ['fails the check', failingKeyring(0)],
    // The check writes, reads and removes; the fourth call stores the key.
    ['fails to store the key', failingKeyring(3)],
  ])(
    'in a file that only its owner can read if the keychain %s, without a warning',
    async (_how, keyring) => {
      const { directory, result, hctl } = await logIn([approved], { keyring })
      const file = join(directory, 'hctl', 'credentials', 'default')
      expect(await readFile(file, 'utf8')).toBe(`${keyToken}\n`)
      expect([await modeOf(file), await modeOf(join(file, '..'))]).toEqual(['600', '700'])
      expect(await readdir(join(file, '..'))).toEqual(['default'])
      expect(result.stderr).toBe('')
      expect(linesOf(result).at(-1)).toMatchObject({ status: 'authenticated', storage: 'file' })
      // Later commands read the same store even if the keychain works again.
      const listed = await hctl('profiles list --json')
      expect(JSON.parse(listed.stdout).items).toMatchObject([{ name: 'default', storage: 'file' }])
    },
  )

  test("in a file if the keychain fails, and prints where, without the keychain's error", async () => {
    const keyring = () => Promise.reject(new Error('Platform failure: DBus error'))
    const words = '--name laptop'
    const { result, directory } = await logIn([approved], { keyring, terminal: true, words })
    const file = join(directory, 'hctl', 'credentials')
    expect(result.stdout).toContain(`is stored in ${file}, which only you can read.`)
    expect(result.stdout + result.stderr).not.toContain('DBus')
  })

  test('in a file with --insecure-storage', async () => {
    const { result, keychain } = await logIn([approved], { words: '--json --insecure-storage' })
    expect({ code: result.code, stderr: result.stderr, keychain: keychain.size }).toEqual({
      code: 0,
      stderr: '',
      keychain: 0,
    })
  })

  test('only after a check that storing is possible; otherwise no code is requested', async () => {
    const keyring = failingKeyring(0)
    const strict = await logIn([], { keyring, words: '--json --no-insecure-storage' })
    expect(failureOf(strict.result)).toEqual({ exit: 1, code: 'storage_unavailable' })
    expect(strict.result.stderr).toContain('(locked), and --no-insecure-storage forbids a file')
    expect(strict.device.requests).toEqual([])

    const { directory } = await makeMachine()
    await writeFile(join(directory, 'file'), '')
    const env = { XDG_CONFIG_HOME: join(directory, 'file') }
    const full = await logIn([], { keyring, env })
    expect(failureOf(full.result)).toEqual({ exit: 1, code: 'storage_unavailable' })
    expect(full.device.requests).toEqual([])
  })

  test('and revokes the key if storing it fails after all', async () => {
    const words = '--json --no-insecure-storage'
    const { result, device, directory } = await logIn([approved], {
      keyring: failingKeyring(3),
      words,
    })
    expect(failureOf(result)).toEqual({ exit: 1, code: 'storage_failed' })
    expect(device.paths()).toEqual([codeRequested, polled, 'POST /oauth/revoke'])
    expect(await readdir(join(directory, 'hctl')).catch(() => [])).not.toContain('credentials')
  })
})

describe('hctl logout', () => {
  test('revokes and deletes the key; offline, deletes it and says that it is still valid', async () => {
    const others: Record<string, Reply> = {}
    const device = await startDeviceServer([approved], others)
    const { hctl, keychain } = await makeMachine({ HCTL_URL: device.server })
    await hctl('login --json --profile one', { hurry: true })
    await hctl('login --json --profile two', { hurry: true })
    expect([...keychain.keys()]).toEqual(['one', 'two'])
    const out = await hctl('logout --profile one --json')
    expect(JSON.parse(out.stdout).items).toMatchObject([{ status: 'signed_out', revoked: true }])

    others['POST /oauth/revoke'] = 'reset'
    const offline = await hctl('logout --all')
    expect(offline).toMatchObject({ code: 0, stderr: '' })
    expect(offline.stdout).toMatch(/profile two.*still valid \(the server could not be reached\)/)
    expect(keychain.size).toBe(0)
    expect((await hctl('logout')).stdout).toBe('Profile default is not signed in.\n')
    await device.close()
  })

  const revocation = 'POST /oauth/revoke'
  const limited = (seconds: number) =>
    problem(429, 'rate_limited', { 'Retry-After': String(seconds) })

  /** A machine with two profiles, at a server whose responses the test sets. */
  async function signInTwice() {
    const others: Record<string, Reply> = {}
    const device = await startDeviceServer([approved], others)
    const machine = await makeMachine({ HCTL_URL: device.server })
    await machine.hctl('login --json --profile one', { hurry: true })
    await machine.hctl('login --json --profile two', { hurry: true })
    machine.sleeps.splice(0)
    return { ...machine, device, others }
  }

  test('waits as long as a rate limit says, and then revokes the key', async () => {
    const { hctl, keychain, sleeps, others, device } = await signInTwice()
    others[revocation] = limited(60)
    const out = await hctl('logout --all', {
      hurry: true,
      whileWaiting: async () => void delete others[revocation],
    })
    expect(out).toMatchObject({ code: 0, stderr: expect.stringContaining('Waiting 60 s') })
    expect(out.stdout).toMatch(
      /profile one. Key \w+ is revoked.\n.*profile two. Key \w+ is revoked/,
    )
    expect(sleeps).toEqual([60_000])
    expect(keychain.size).toBe(0)
    await device.close()
  })

  test.each([
    ['lasts longer than a minute', 61, []],
    ['continues after the wait', 7, [7_000, 7_000]],
  ])('keeps the key if the rate limit %s: exit code 5', async (_how, seconds, waits) => {
    const { hctl, keychain, sleeps, others, device } = await signInTwice()
    others[revocation] = limited(seconds)
    const kept = await hctl('logout --all --json', { hurry: true })
    expect(failureOf(kept)).toEqual({ exit: 5, code: 'rate_limited' })
    expect(JSON.parse(kept.stdout).items).toEqual(
      ['one', 'two'].map((profile) => ({
        profile,
        status: 'kept',
        revoked: false,
        reason: 'rate_limited',
        key_id: expect.any(String),
      })),
    )
    expect(sleeps).toEqual(waits)
    expect([...keychain.keys()]).toEqual(['one', 'two'])

    const one = await hctl('logout --profile one', { hurry: true })
    expect(one.stdout).toMatch(/^Still signed in to profile one\. Key \w+ is not revoked/)
    expect(one.stderr).toContain(`Try again in ${seconds} s.`)
    delete others[revocation]
    expect(JSON.parse((await hctl('logout --all --json')).stdout).items).toMatchObject([
      { profile: 'one', status: 'signed_out', revoked: true },
      { profile: 'two', status: 'signed_out', revoked: true },
    ])
    await device.close()
  })

  test('keeps the key if Ctrl-C ends the wait', async () => {
    const { hctl, keychain, others, device } = await signInTwice()
    others[revocation] = limited(60)
    const { signal, interrupt } = interruptible()
    const out = await hctl('logout --profile one', {
      signal,
      async whileWaiting() {
        interrupt()
        signal.throwIfAborted()
      },
    })
    expect(out.code).toBe(130)
    expect((await hctl('profiles list --json')).stdout).toContain('"one"')
    expect([...keychain.keys()]).toEqual(['one', 'two'])
    await device.close()
  })
})
