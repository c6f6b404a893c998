import { beforeAll, expect, test } from '@jest/globals'
import { useApi, type TestTenant } from '../../../test/support/api.ts'
import { siteData } from '../../../test/support/events.ts'
import { runExample } from '../../../test/support/run-example.ts'
import { callWith, makeSignedIn } from '../../../test/support/session.ts'
import { freePort } from '../../../tools/local-stack/free-port.ts'
import { root } from '../../../tools/run.ts'

const api = useApi()
let tenant: TestTenant
let token = ''

beforeAll(async () => {
  tenant = await api.makeTenant()
  token = (await tenant.makeKey()).token
})

/** Runs an example of the README. */
const run = (example: string, environment: Record<string, string> = {}) =>
  runExample([process.execPath, `${root}packages/sdk/examples/${example}.ts`], {
    HCTL_URL: api.url,
    HCTL_TOKEN: token,
    ...environment,
  })

test('webhooks.ts creates a webhook and lists it', async () => {
  const example = run('webhooks')
  await example.ended
  expect(example.lines).toEqual([
    expect.stringMatching(/^Created [0-9a-f-]{36} with a signing secret of 50 characters$/),
    "https://hooks.example.com/in [ 'site.*' ]",
  ])
})

test('problems.ts prints the rejected fields', async () => {
  const example = run('problems')
  await example.ended
  expect(example.lines).toEqual([
    expect.stringMatching(/^422 validation_failed: .+ \(request [\w-]+\)$/),
    expect.stringMatching(/^ {2}\/events\/0 /),
  ])
})

test('device-login.ts signs in after the user approved', async () => {
  const example = run('device-login', { HCTL_TOKEN: '' })
  const [, code] = await example.line(/shows (\S+)$/)
  const person = await makeSignedIn(api, tenant)
  const path = `/auth/device/requests/${code}/approve`
  const { status } = await callWith(api, person)('post', path, { body: { access: 'read_only' } })
  expect(status).toBe(200)
  await example.line(/^Signed in as Ana until 20/)
  await example.ended
})

test('listen.ts forwards events to receive.ts, which verifies them', async () => {
  const port = await freePort()
  const listener = run('listen', { HOOK_URL: `http://127.0.0.1:${port}` })
  const [, secret] = await listener.line(/^Events are signed with (whsec_\S+)$/)
  const receiver = run('receive', { PORT: String(port), WEBHOOK_SECRET: secret! })
  const until = async (): Promise<void> => {
    while (!(await fetch(`http://127.0.0.1:${port}`).catch(() => undefined)));
  }
  await until()
  const event = { type: 'site.created', tenant_id: tenant.id, data: siteData }
  await api.callInternal('post', '/events', event)
  await receiver.line(/^site\.created \{/)
  await listener.line(/^site\.created 204$/)
  await Promise.all([listener.stop(), receiver.stop()])
})
