import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { root } from '../../tools/run.ts'
import { useApi, type TestTenant } from '../support/api.ts'
import { siteData } from '../support/events.ts'
import { runExample } from '../support/run-example.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { needing, succeeds } from '../support/needing.ts'

const api = useApi()
let tenant: TestTenant
let token = ''
let folder = ''

beforeAll(async () => {
  tenant = await api.makeTenant()
  token = (await tenant.makeKey()).token
  folder = mkdtempSync(join(tmpdir(), 'hosting-python-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const packageFolder = `${root}clients/python`

/** Runs an example of the README of the Python client. */
const run = (example: string, environment: Record<string, string> = {}) =>
  runExample(
    ['python3', '-Bu', `${packageFolder}/examples/${example}.py`],
    { PYTHONPATH: packageFolder, HCTL_URL: api.url, HCTL_TOKEN: token, ...environment },
    folder,
  )

const publish = (objectId: string) =>
  api.callInternal('post', '/events', {
    type: 'site.created',
    tenant_id: tenant.id,
    data: { ...siteData, object_id: objectId },
  })

describe('the examples of the Python client', () => {
  test('webhooks.py creates a webhook and lists it', async () => {
    const example = run('webhooks')
    await example.ended
    expect(example.lines).toEqual([
      expect.stringMatching(/^Created [0-9a-f-]{36} with a signing secret of 50 characters$/),
      "https://hooks.example.com/in ['site.*']",
    ])
  })

  test('problems.py prints the rejected fields', async () => {
    const example = run('problems')
    await example.ended
    expect(example.lines).toEqual([
      expect.stringMatching(/^422 validation_failed: .+ \(request [\w-]+\)$/),
      expect.stringMatching(/^ {2}\/events\/0 /),
    ])
  })

  test('device_login.py signs in after the user approved', async () => {
    const example = run('device_login', { HCTL_TOKEN: '' })
    const [, code] = await example.line(/shows (\S+)$/)
    const person = await makeSignedIn(api, tenant)
    const path = `/auth/device/requests/${code}/approve`
    const { status } = await callWith(api, person)('post', path, { body: { access: 'read_only' } })
    expect(status).toBe(200)
    await example.line(/^Signed in as Ana until 20/)
    await example.ended
  })

  test('device_login.py says that the user refused', async () => {
    const example = run('device_login', { HCTL_TOKEN: '' })
    const [, code] = await example.line(/shows (\S+)$/)
    const person = await makeSignedIn(api, tenant)
    const path = `/auth/device/requests/${code}/refuse`
    const { status } = await callWith(api, person)('post', path, { body: {} })
    expect(status).toBe(200)
    await example.ended
    expect(example.lines.at(-1)).toMatch(/denied|refused/)
  })

  test('listen.py forwards events to receive.py, which verifies them', async () => {
    const port = await freePort()
    const listener = run('listen', { HOOK_URL: `http://127.0.0.1:${port}` })
    const [, secret] = await listener.line(/^Events are signed with (whsec_\S+)$/)
    const receiver = run('receive', { PORT: String(port), WEBHOOK_SECRET: secret! })
    while (!(await fetch(`http://127.0.0.1:${port}`).catch(() => undefined)));
    await publish('site-heard')
    await receiver.line(/^site\.created \{/)
    await listener.line(/^site\.created 204$/)
    await Promise.all([listener.stop(), receiver.stop()])
  })

  test('follow.py continues where it stopped', async () => {
    await publish('site-1')
    const first = run('follow')
    await first.line(/'site-1'/)
    await publish('site-2')
    await first.line(/'site-2'/)
    await publish('site-3')
    await first.line(/'site-3'/)
    await first.stop()
    await publish('site-4')
    const second = run('follow')
    await second.line(/'site-4'/)
    await second.stop()
    expect(second.lines.filter((line) => /'site-[12]'/.test(line))).toEqual([])
  })
})

needing('mypy', succeeds(['mypy', '--version'])).test(
  'mypy accepts the client and its examples in strict mode',
  () => {
    const cache = ['--cache-dir', join(folder, 'mypy')]
    const checked = ['--strict', ...cache, 'hosting_sdk', 'examples']
    const { stdout } = spawnSync('mypy', checked, { cwd: packageFolder })
    expect(String(stdout)).toMatch(/^Success: no issues found in \d+ source files/)
  },
)
