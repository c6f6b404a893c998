import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { root } from '../../tools/run.ts'
import { useApi, type TestTenant } from '../support/api.ts'
import { serviceToken } from '../support/environment.ts'

const api = useApi()
let tenant: TestTenant
let server: ChildProcess
let platformUrl = ''

const environment = () => ({
  PATH: process.env['PATH'],
  INTERNAL_URL: api.internalUrl,
  SERVICE_TOKEN: serviceToken,
})

beforeAll(async () => {
  tenant = await api.makeTenant()
  const port = await freePort()
  platformUrl = `http://127.0.0.1:${port}`
  server = spawn(process.execPath, [`${root}docs/integrate/server.ts`], {
    env: { ...environment(), PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(server.stdout!, 'data')
})
afterAll(async () => {
  server.kill()
  await once(server, 'close')
})

/** Runs a module that uses the tutorial's files. */
async function runModule(code: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: `${root}docs/integrate`,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed = Buffer.concat(await child.stdout.toArray()).toString()
  if (child.exitCode === null) await once(child, 'close')
  expect(child.exitCode).toBe(0)
  return printed
}

async function createSite(accountId: string, token?: string) {
  const response = await fetch(`${platformUrl}/accounts/${accountId}/sites`, {
    method: 'POST',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    body: JSON.stringify({ domain: 'shop.example' }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

describe('the code of the integration tutorial', () => {
  test('authorizes a request with a key and publishes an event', async () => {
    const { token } = await tenant.makeKey()
    const url = 'https://hooks.example.com/in'
    await api.call('post', '/webhooks', { token, body: { url, events: ['site.*'] } })
    const accountId = await tenant.makeAccount()
    const { status, body } = await createSite(accountId, token)
    expect(status).toBe(201)
    const list = await api.call('get', '/webhook-deliveries', { token })
    expect(list.body.items).toHaveLength(1)
    expect(list.body.items[0].event).toMatchObject({ id: body['eventId'], type: 'site.created' })
  })

  test('refuses what the service refuses, with the same problem', async () => {
    const accountId = await tenant.makeAccount()
    const reader = await tenant.makeKey({ scopes: ['sites:read'] })
    const own = await tenant.makeKey({ roles: ['customer'], accounts: [] })
    const refused = await Promise.all([
      createSite(accountId),
      createSite(accountId, 'hctl_wrong'),
      createSite(accountId, reader.token),
      createSite(accountId, own.token),
    ])
    expect(refused.map(({ status, body }) => [status, body['code']])).toEqual([
      [401, 'authentication_required'],
      [401, 'invalid_api_key'],
      [403, 'insufficient_scope'],
      [403, 'permission_denied'],
    ])
  })

  test('creates, updates and deletes a customer', async () => {
    const ids = { id: randomUUID(), accountId: randomUUID(), userId: randomUUID() }
    const customer = {
      id: ids.id,
      slug: `t-${ids.id}`,
      name: 'Acme',
      accountId: ids.accountId,
      owner: { id: ids.userId, email: `${ids.userId}@example.test`, name: 'Ana' },
    }
    const save = `import { saveCustomer } from './directory.ts'
await saveCustomer(${JSON.stringify(customer)})
await saveCustomer(${JSON.stringify({ ...customer, name: 'Acme Ltd' })})`
    await runModule(save)
    const body = { slug: customer.slug, name: 'Acme Ltd' }
    expect((await api.callInternal('put', `/tenants/${ids.id}`, body)).status).toBe(200)
    await runModule(`import { deleteCustomer } from './directory.ts'
await deleteCustomer('${ids.id}')`)
    expect((await api.callInternal('delete', `/tenants/${ids.id}`)).status).toBe(404)
  })

  test('publishes an event once, however often it is repeated', async () => {
    const { token } = await tenant.makeKey()
    const site = {
      id: 's-1',
      eventId: randomUUID(),
      tenantId: tenant.id,
      accountId: 'a-1',
      domain: 'shop.example',
    }
    const call = `await publishSiteCreated(${JSON.stringify(site)})`
    await runModule(`import { publishSiteCreated } from './publish.ts'\n${call}\n${call}`)
    const found = await api.call('get', `/webhook-deliveries?event_id=${site.eventId}`, { token })
    expect(found.body.items).toHaveLength(1)
  })

  test('creates a link that signs a person in to the panel', async () => {
    const { userId } = await tenant.makeKey()
    const printed = await runModule(`import { getPanelUrl } from './sign-in-link.ts'
console.log(await getPanelUrl('${userId}', '/webhooks'))`)
    const { pathname, search } = new URL(printed.trim())
    const page = await fetch(api.url + pathname + search)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<form')
  })
})
