import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { root } from '../../tools/run.ts'
import { customers } from '../../examples/platform/customers.ts'
import { openPage } from '../panel/panel-stack.ts'
import { errorsOnScreens } from '../support/screens.ts'
import { useApi, type TestTenant } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { serviceToken } from '../support/environment.ts'
import { until } from '../support/until.ts'
import { provoke } from './strangers.ts'

const port = await freePort()
const panelUrl = `http://127.0.0.1:${port}`
const api = useApi({ PORT: String(port), PUBLIC_URL: panelUrl })
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
  const platformPort = await freePort()
  platformUrl = `http://127.0.0.1:${platformPort}`
  server = spawn(process.execPath, [`${root}examples/platform/server.ts`], {
    env: { ...environment(), PORT: String(platformPort) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(server.stdout!, 'data')
})
afterAll(async () => {
  server.kill()
  await once(server, 'close')
})

/** Runs a module that uses the platform's files. */
async function runModule(code: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: `${root}examples/platform`,
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

describe('the code of the integration guide', () => {
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

  test('returns the same problem as the service for a refused request', async () => {
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

  test('publishes an event once, even if it is repeated', async () => {
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
console.log(await getPanelUrl('${userId}', { returnTo: '/webhooks' }))`)
    const { pathname, search } = new URL(printed.trim())
    const page = await fetch(api.url + pathname + search)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<form')
  })
})

describe('whatever strangers send to the code of the integration guide', () => {
  test.each(['server.ts', 'api-server.ts'])(
    '%s answers and lives on',
    async (file) => {
      const ownPort = await freePort()
      const url = `http://127.0.0.1:${ownPort}`
      const program = spawn(process.execPath, [`${root}examples/platform/${file}`], {
        env: { ...environment(), PORT: String(ownPort) },
        stdio: 'ignore',
      })
      const ask = (path: string, init: RequestInit = {}) =>
        fetch(url + path, { method: 'POST', ...init }).then(
          ({ status }) => status,
          () => 0,
        )
      await until(
        () => ask('/accounts/x/sites'),
        (status) => status === 400,
      )
      const statuses = await provoke(ownPort, '/accounts/x/sites')
      expect(statuses.filter(([, status]) => status < 200 || status > 501)).toEqual([])
      const { token } = await tenant.makeKey()
      const accountId = await tenant.makeAccount()
      const headers = { authorization: `Bearer ${token}` }
      const bodies = ['', 'domain=a', '[', 'null', '{"domain":1}', 'x'.repeat(100_000)]
      for (const body of bodies) {
        const status = await ask(`/accounts/${accountId}/sites`, { headers, body })
        expect([400, 413]).toContain(status)
      }
      const body = JSON.stringify({ domain: 'shop.example' })
      expect(await ask(`/accounts/${accountId}/sites`, { headers, body })).toBe(201)
      program.kill()
      await once(program, 'close')
    },
    60_000,
  )
})

describeInBrowser('the example platform', () => {
  const browser = useBrowser()
  const [{ accountId, owner }] = customers as readonly [(typeof customers)[number]]

  /** Signs Bea in to the platform, and to the panel by its button. */
  async function enterPanel() {
    const page = await openPage(await browser.open())
    await page.goto(platformUrl)
    await page.getByRole('button', { name: owner.name }).click()
    await page.getByText(`Signed in as ${owner.name}.`).waitFor()
    await page.getByRole('button', { name: 'Open the panel' }).click()
    await page.locator('.me-name', { hasText: owner.name }).waitFor({ state: 'attached' })
    expect(new URL(page.url()).origin).toBe(api.url)
    return page
  }

  test('signs in a person, who creates a key that the platform uses to authorize a call', async () => {
    const page = await enterPanel()
    await page.goto(`${api.url}/keys/new?name=Deploy&scopes=sites:write,webhooks:write`)
    await page.getByRole('button', { name: 'Create key' }).click()
    const token = (await page.locator('#secret').textContent())!.trim()
    const url = 'https://hooks.example.com/in'
    const body = { url, events: ['site.*'] }
    expect((await api.call('post', '/webhooks', { token, body })).status).toBe(201)

    const made = await createSite(accountId, token)
    expect(made).toMatchObject({ status: 201, body: { domain: 'shop.example' } })
    await page.goto(platformUrl)
    await page.getByLabel('Domain').fill('bread.example')
    await page.getByRole('button', { name: 'Create site' }).click()
    await page.getByRole('listitem').filter({ hasText: 'bread.example' }).waitFor()
    const { rows } = await api.database.pool.query<{ domain: string }>(
      `SELECT payload::json -> 'data' ->> 'primary_domain' AS domain
       FROM events WHERE tenant_id = $1 AND type LIKE 'site.%'`,
      [customers[0]!.id],
    )
    expect(rows.map(({ domain }) => domain).toSorted()).toEqual(['bread.example', 'shop.example'])
    expect(page.complaints).toEqual([])
  })

  test('leads only signed-in people to the panel', async () => {
    const response = await fetch(`${platformUrl}/panel`, { method: 'POST', redirect: 'manual' })
    expect(response.headers.get('location')).toBe('/')
  })

  test('its pages pass axe on a desktop and a phone, in light and dark', async () => {
    const page = await openPage(await browser.open())
    await page.goto(platformUrl)
    const errors = await errorsOnScreens(page, 'platform-sign-in')
    await page.getByRole('button', { name: owner.name }).click()
    await page.getByText(`Signed in as ${owner.name}.`).waitFor()
    errors.push(...(await errorsOnScreens(page, 'platform')))
    expect(errors).toEqual([])
  })
})
