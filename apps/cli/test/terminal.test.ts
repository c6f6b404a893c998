import { expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../../tools/run.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { hctlInTerminal } from '../../../test/support/terminal.ts'
import { approved, keyToken, pending, startDeviceServer } from './support/device-server.ts'
import type { Reply } from '../../../test/support/receiver.ts'

const pollsFast = 0.2

async function startLogin(polls: Parameters<typeof startDeviceServer>[0]) {
  const device = await startDeviceServer(polls, {}, pollsFast)
  const directory = makeTemporaryFolder()
  const env = { XDG_CONFIG_HOME: directory, HCTL_URL: device.server, NO_COLOR: '1' }
  const start = (words = '') => hctlInTerminal(`login --insecure-storage ${words}`, env)
  return { start, device, env, file: join(directory, 'hctl', 'credentials', 'default') }
}

test('hctl login shows the code, counts down and shows who is signed in; a second login asks first', async () => {
  const { start, device, file } = await startLogin([pending, pending, approved])
  const first = start('--name laptop --qr')
  await first.shows(/Your code {2}WDJB-MJHT/)
  await first.shows(/\/device\?user_code=WDJB-MJHT/)
  await first.shows(/Waiting for approval\.\.\. (10:00|9:5\d) left {3}\(c copy code · q stop\)/)
  expect(await first.ended).toBe(0)
  expect(first.screen).toContain('✓ Signed in as ana@acme.test · Acme (acme) · read-only')
  expect(first.screen).not.toContain(keyToken)
  expect(await readFile(file, 'utf8')).toBe(`${keyToken}\n`)

  const again = start()
  await again.shows(/Already signed in as ana@acme\.test · Acme\. Sign in again\?/)
  again.type('n')
  expect(await again.ended).toBe(2)
  await device.close()
})

test.each([
  ['q', 'q'],
  ['Ctrl-C', '\u0003'],
])('%s ends the wait of hctl login: exit code 130', async (_name, key) => {
  const { start, device } = await startLogin([pending])
  const login = start()
  await login.shows(/Waiting for approval/)
  login.type(key)
  expect(await login.ended).toBe(130)
  await device.close()
})

test('on a full disk hctl login requests no code and leaves no partial file', async () => {
  const { device, env, file } = await startLogin([approved])
  // With a file size limit of 0 every write fails, as on a full disk.
  const command = `ulimit -f 0; exec "${process.execPath}" "${root}apps/cli/bin/hctl.js" login --json --insecure-storage`
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) =>
    execFile('sh', ['-c', command], { env }, (error, _stdout, text) =>
      resolve({ code: error?.code, stderr: text }),
    ),
  )
  expect(code).toBe(1)
  expect(stderr).toMatch(/"code":"storage_unavailable".*EFBIG/)
  expect(device.requests).toEqual([])
  expect(await readdir(join(file, '..'))).toEqual([])
  await device.close()
})

test.each([
  ['n', 'n', 1, false],
  ['Ctrl-C', '\u0003', 130, false],
  ['y', 'y', 0, true],
])('hctl keys revoke asks first; %s', async (_name, key, code, revokes) => {
  const id = 'a'.repeat(12)
  const path = `DELETE /api/v1/api-keys/${id}`
  const found: Reply = {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ key: { id, name: 'ci' } }),
  }
  const others = { [path]: { status: 204 }, [path.replace('DELETE', 'GET')]: found }
  const device = await startDeviceServer([], others)
  const program = hctlInTerminal(`keys revoke ${id}`, {
    XDG_CONFIG_HOME: makeTemporaryFolder(),
    HCTL_URL: device.server,
    HCTL_TOKEN: keyToken,
    NO_COLOR: '1',
  })
  await program.shows(/Revoke key "ci" \(a{12}\) permanently\?/)
  program.type(key)
  expect(await program.ended).toBe(code)
  const lookedUp = `GET /api-keys/${id}`
  expect(device.paths()).toEqual(revokes ? [lookedUp, `DELETE /api-keys/${id}`] : [lookedUp])
  await device.close()
})
