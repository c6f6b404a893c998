import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { TestTenant } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { callWith, makeSignedIn, type TestSession } from '../support/session.ts'
import { until, useStack } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'
import { holdCookie, openPage } from './panel-stack.ts'

describeInBrowser('endpoints in Chromium', () => {
  // Two attempts, then a delivery is dead.
  const stack = useStack({ WEBHOOK_RETRY_DELAYS_SECONDS: '0.1' })
  const browser = useBrowser()
  let tenant: TestTenant
  let ana: TestSession
  let good: Receiver
  let bad: Receiver
  let failingId: string

  const call = (...[verb, path, options]: Parameters<ReturnType<typeof callWith>>) =>
    callWith(stack.api, ana)(verb, path, options)

  beforeAll(async () => {
    tenant = await stack.api.makeTenant()
    ana = await makeSignedIn(stack.api, tenant, { name: 'Ana' })
    ;[good, bad] = await Promise.all([
      startReceiver(),
      startReceiver({ respond: () => ({ status: 503 }) }),
    ])
    const body = { url: `${bad.url}down`, events: ['site.*'], description: 'Pager' }
    failingId = (await call('post', '/webhooks', { body })).body.webhook.id
    await stack.startWorker()
    for (let left = 3; left > 0; left--) await webhookUser(stack).publish(tenant)
    const path = `/webhooks/${failingId}/deliveries?status=dead`
    await until(
      async () => (await call('get', path)).body.items,
      (items: unknown[]) => items.length === 3,
    )
  })
  afterAll(async () => {
    await Promise.all([good?.close(), bad?.close()])
  })

  /** A page of a new browser with Ana signed in. */
  async function open(
    path: string,
    options: BrowserContextOptions = {},
  ): Promise<Page & { complaints: string[] }> {
    const context = await browser.open(options)
    await holdCookie(stack, context, ana.cookie)
    const page = await openPage(context)
    await page.goto(stack.api.url + path)
    return page
  }

  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click()
  const textOf = async (page: Page) => (await page.getByRole('main').textContent())!

  test('the event picker counts the selected types, offers no reserved ones and has no gaps', async () => {
    const page = await open('/webhooks/new')
    const selected = async () => (await page.locator('[data-events] [role=status]').textContent())!
    expect(await selected()).toBe('0 of 27 event types selected')
    expect(await textOf(page)).not.toContain('invoice')
    await page.getByText('Sites', { exact: true }).click()
    await page.getByLabel('site.created').check()
    expect(await selected()).toBe('1 of 27 event types selected')
    await page.getByLabel('site.*').check()
    expect(await selected()).toBe('4 of 27 event types selected')
    await page.getByLabel('All events *').check()
    expect(await selected()).toBe('27 of 27 event types selected')
    const gaps = await page.evaluate<number[]>(`
      [...document.querySelectorAll('.patterns details')].map((group) => group.getBoundingClientRect())
        .map(({ left, top }, index, all) => all[index - 1]?.left === left ? top - all[index - 1].bottom : 0)
    `)
    expect(Math.max(...gaps)).toBeLessThan(30)
    expect(page.complaints).toEqual([])
  })

  test('a new endpoint shows verification code, waits for the first event and shows that it arrived', async () => {
    const page = await open('/webhooks/new')
    await page.getByLabel('URL').fill(`${good.url}first`)
    await page.getByLabel('All events *').check()
    await press(page, 'Add endpoint')
    await page.getByText('Python', { exact: true }).click()
    await page.getByText('def verify_webhook').waitFor()
    expect(await page.getByText('export async function receive').isVisible()).toBe(false)
    const guide = page.getByRole('link', { name: 'Webhook guide' })
    expect(await guide.getAttribute('href')).toBe('/docs/webhooks')
    await page.getByRole('link', { name: 'Done' }).click()
    await page.getByText('Waiting for your first event').waitFor()

    const id = new URL(page.url()).pathname.split('/')[2]!
    await call('post', `/webhooks/${id}/ping`)
    await page.getByText('Your endpoint has received its first event').waitFor()
    await page.getByText('1 attempt, none failed').waitFor()
    expect(await page.locator('#endpoint-health').textContent()).toContain('Healthy')
    expect(await page.locator('#latest-deliveries tbody tr').count()).toBe(1)
    expect(await page.locator('[data-live]:not([data-live="5000"])').count()).toBe(0)
    await page.getByRole('link', { name: 'Settings' }).click()
    expect(await page.locator('#endpoint-settings').textContent()).toMatch(/Last success\d{4}-/)
    expect(page.complaints).toEqual([])
  })

  test('the health of an endpoint shows the failed share, the cause and the start', async () => {
    const page = await open('/webhooks')
    const row = page.getByRole('row').filter({ hasText: 'Pager' })
    const health = (await row.textContent())!
    expect(health).toMatch(/Failing(less than 1 s|\d+ (s|min))100%of 6HTTP 503/)
    expect(await row.locator('.share').getAttribute('title')).toBe(
      '100% of 6 attempts failed in 24 hours',
    )
    expect(await row.locator('span:has(> svg.spark)').getAttribute('title')).toBe('Last 30 minutes')
    await page.goto(`${stack.api.url}/webhooks/${failingId}?window=1h`)
    const header = await page.locator('.record-head').textContent()
    expect(header).toContain('100% of 6 attempts failed in 24 hours')
    expect(header).not.toMatch(/HTTP 503|Failing for/)
    expect(await page.locator('#endpoint-alerts').textContent()).toContain('Last failure: HTTP 503')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('4 event types').click()
    const settings = page.locator('#endpoint-settings')
    await settings.getByText('A site was created (installation job running)').waitFor()
    expect(page.complaints).toEqual([])
  })

  test.each([true, false])(
    'an example of any event type can be sent from the menu (scripts: %p)',
    async (javaScriptEnabled) => {
      const page = await open(`/webhooks/${failingId}`, { javaScriptEnabled })
      const before = bad.requests.length
      await press(page, 'Choose the type of the test event')
      await page.getByRole('button', { name: /^backup\.failed/ }).click()
      await until(
        () => Promise.resolve(bad.requests.slice(before)),
        (requests) => requests.some(({ headers }) => headers['service-event'] === 'backup.failed'),
      )
    },
  )

  test("a recovery uses a time range in the viewer's zone", async () => {
    const page = await open(`/webhooks/${failingId}/recover`, { timezoneId: 'Asia/Kolkata' })
    const start = new Date(Date.now() - 600_000).toISOString().slice(0, 19)
    const offsetMs = 5.5 * 3_600_000
    const typed = new Date(Date.parse(`${start}Z`) + offsetMs).toISOString().slice(0, 19)
    await page.getByLabel('Another range').check()
    await page.getByLabel('From', { exact: true }).fill(typed)
    await press(page, 'Count events')
    await page.waitForURL((url) => url.searchParams.get('from') === `${start}.000Z`)
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(typed)
    expect(await textOf(page)).toMatch(/[3-9] failed for good/)
  })

  test('a recovery shows its number of deliveries before it starts, for any range', async () => {
    const page = await open(`/webhooks/${failingId}/recover?range=1h`)
    const counted = Number(/(\d+) failed for good/.exec(await textOf(page))![1])
    expect(counted).toBeGreaterThanOrEqual(3)
    await page.getByLabel('Another range').check()
    await page.getByLabel('From', { exact: true }).fill('2026-01-01T00:00')
    await press(page, 'Count events')
    const from = page.getByLabel('From', { exact: true })
    expect(await from.getAttribute('aria-invalid')).toBe('true')
    const described = `#${(await from.getAttribute('aria-describedby'))!.split(' ').at(-1)}`
    expect(await page.locator(described).textContent()).toBe(
      'The start must be at most 30 days ago.',
    )
    await page.getByLabel('Last 24 hours').check()
    await press(page, 'Count events')
    await page.getByRole('button', { name: /^Recover \d+ failed deliveries$/ }).click()
    expect(new URL(page.url()).pathname).toMatch(/\/recoveries\//)
    expect(page.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([])
  })
})
