import { afterAll, beforeAll } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { TestTenant } from '../support/api.ts'
import { useBrowser, type TestBrowser } from '../support/browser.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { callWith, makeSignedIn, type TestSession } from '../support/session.ts'
import { until, useStack, type Stack } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'
import { holdCookie, openPage } from './panel-stack.ts'

const zone = { timezoneId: 'Asia/Kolkata', locale: 'en-IN' }
/** How an exact time is shown in that zone. */
export const localTime = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (IST|GMT\+5:30)$/

export const rowOf = (page: Page, endpoint: string) =>
  page.getByRole('row').filter({ has: page.getByText(endpoint, { exact: true }) })
/** Opens the menu of filters. */
export const openFilters = (page: Page) => page.locator('.filters .filter-menu > summary').click()
export const countRows = (page: Page) => page.locator('.list tbody tr').count()
export const alertOf = (page: Page) => page.getByRole('alert').textContent()

/** An organization with an endpoint that accepts deliveries and one that does not, and a delivery to each. */
export function useDeliveries() {
  // Less than an hour away with the permitted delay, so that the time left is shown in seconds.
  const stack = useStack({ WEBHOOK_RETRY_DELAYS_SECONDS: '3500' })
  const browser = useBrowser()
  const receivers = {} as Record<'good' | 'bad', Receiver>
  const endpoints = {} as Record<'good' | 'bad', string>
  let tenant: TestTenant
  let ana: TestSession

  const call = (...[verb, path, options]: Parameters<ReturnType<typeof callWith>>) =>
    callWith(stack.api, ana)(verb, path, options)
  const publish = (type?: string) => webhookUser(stack).publish(tenant, type)
  const lists = deliveryLists(call)
  const add = async (url: string, description: string): Promise<string> =>
    (await call('post', '/webhooks', { body: { url, events: ['*'], description } })).body.webhook.id

  beforeAll(async () => {
    tenant = await stack.api.makeTenant()
    ana = await makeSignedIn(stack.api, tenant, { name: 'Ana' })
    const [good, bad] = await Promise.all([
      startReceiver(),
      startReceiver({ respond: () => ({ status: 500 }) }),
    ])
    Object.assign(receivers, { good, bad })
    endpoints.good = await add(`${good.url}ok`, 'Data warehouse')
    endpoints.bad = await add(`${bad.url}down`, 'Pager')
    await stack.startWorker()
    await publish('site.created')
    await lists.deliveries((items) =>
      items.every(({ status }) => ['succeeded', 'waiting_retry'].includes(status)),
    )
  })
  afterAll(() => Promise.all(Object.values(receivers).map((receiver) => receiver.close())))

  const enter = (path: string, options: BrowserContextOptions = {}) =>
    enterAs(ana.cookie, { stack, browser, path, options })
  return { stack, receivers, endpoints, call, publish, enter, ...lists }
}

function deliveryLists(call: ReturnType<typeof callWith>) {
  /** The deliveries of the organization, newest first, once they fulfill the condition. */
  const deliveries = (
    isReady: (items: { id: string; status: string; webhook_id: string }[]) => boolean,
    query = '',
  ) => until(async () => (await call('get', `/webhook-deliveries${query}`)).body.items, isReady)

  const newestId = async (query: string): Promise<string> =>
    (await deliveries((items) => items.length > 0, query))[0]!.id
  const oldestId = async (query: string): Promise<string> =>
    (await deliveries((items) => items.length > 0, query)).at(-1)!.id
  return { deliveries, newestId, oldestId }
}

interface Entry {
  readonly stack: Stack
  readonly browser: TestBrowser
  readonly path: string
  readonly options: BrowserContextOptions
}

async function enterAs(cookie: string, { stack, browser, path, options }: Entry) {
  const context = await browser.open({ ...zone, ...options })
  await holdCookie(stack, context, cookie)
  const page = await openPage(context)
  await page.goto(stack.api.url + path)
  return page
}
