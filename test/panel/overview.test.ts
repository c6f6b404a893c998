import { errorClassHelp } from '@hosting/core/webhooks'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import type { TestTenant } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { callWith, makeSignedIn, type TestSession } from '../support/session.ts'
import { until, useStack } from '../support/stack.ts'
import { endDeliveries } from '../support/stored-deliveries.ts'
import { webhookUser } from '../support/webhook-user.ts'
import { holdCookie, openPage } from './panel-stack.ts'
import { visitorOf } from './visitor.ts'

describeInBrowser('the overview in Chromium', () => {
  const stack = useStack({ WEBHOOK_RETRY_DELAYS_SECONDS: '3600' })
  const browser = useBrowser()
  let tenant: TestTenant
  let ana: TestSession
  let good: Receiver
  let bad: Receiver

  const call = (...[verb, path, options]: Parameters<ReturnType<typeof callWith>>) =>
    callWith(stack.api, ana)(verb, path, options)
  const add = async (url: string, description: string, event = 'site.created') =>
    (await call('post', '/webhooks', { body: { url, events: [event], description } })).body.webhook
      .id as string

  beforeAll(async () => {
    tenant = await stack.api.makeTenant()
    ana = await makeSignedIn(stack.api, tenant)
    ;[good, bad] = await Promise.all([
      startReceiver(),
      startReceiver({ respond: () => ({ status: 500 }) }),
    ])
    const closed = await startReceiver()
    await closed.close()
    await add(`${good.url}ok`, 'Warehouse')
    await add(`${bad.url}a`, 'Pager')
    await add(`${bad.url}b`, 'Chat')
    await add(`${closed.url}c`, 'Gone', 'site.deleted')
    const paused = await add(`${good.url}paused`, 'Holiday')
    await call('patch', `/webhooks/${paused}`, { body: { enabled: false } })
    const { publish } = webhookUser(stack)
    await publish(tenant, 'site.deleted')
    for (let left = 5; left > 0; left--) await publish(tenant)
    await stack.startWorker()
    await until(
      async () => (await call('get', '/webhook-deliveries')).body.items as { status: string }[],
      (items) =>
        items.length === 21 &&
        items.every(({ status }) => !['queued', 'in_flight'].includes(status)),
    )
  })
  afterAll(() => Promise.all([good?.close(), bad?.close()]))

  async function enter(path: string, javaScriptEnabled = true) {
    const context = await browser.open({ javaScriptEnabled, timezoneId: 'Asia/Kolkata' })
    await holdCookie(stack, context, ana.cookie)
    const page = await openPage(context)
    await page.goto(stack.api.url + path)
    return page
  }

  test('starts with the numbers, then the charts, then one table of problems', async () => {
    const { text } = await visitorOf(stack.api, ana).get('/')
    const places = ['Success rate', 'Attempts by outcome', 'Needs attention', 'Requests by key']
    const found = places.map((place) => text.indexOf(place))
    expect(found.toSorted((one, other) => one - other)).toEqual(found)
    expect(Math.min(...found)).toBeGreaterThan(0)
    expect(text.match(/<table class="table attention"/g)).toHaveLength(1)
  })

  test('lists each problem with its cause, count, start, a small chart and one action', async () => {
    const page = await enter('/')
    const rowOf = (name: string) => page.locator('.attention tbody tr').filter({ hasText: name })
    for (const name of ['Pager', 'Chat']) {
      const text = (await rowOf(name).textContent())!
      expect(text).toContain('Failing: HTTP 500. Check the logs.')
      expect(text).toMatch(
        /5 failed attempts(just now|\d+ \w+ ago), \d{4}-\d\d-\d\d \d\d:\d\d:\d\d (GMT\+5:30|IST)/,
      )
      // The attempts may have begun in one bar and ended in the next.
      expect([1, 2]).toContain(await rowOf(name).locator('svg.spark rect.c2').count())
    }
    const gone = (await rowOf('Gone').textContent())!
    expect(gone).toContain('Last attempt failed: Connection refused.')
    expect(gone).toContain(errorClassHelp.connection_refused.advice)
    expect(gone).toMatch(/1 failed attempt(just now|\d+ \w+ ago), /)
    expect(await rowOf('Holiday').textContent()).toMatch(
      /Disabled\..*5 waiting deliveries(just now|\d+ \w+ ago), /,
    )
    expect(await page.locator('.attention').textContent()).not.toContain('Warehouse')
    expect(await page.locator('.attention tbody :is(button, .button)').count()).toBe(4)
    expect(page.complaints).toEqual([])
  })

  test('a bar of a chart leads to the deliveries of its time', async () => {
    const page = await enter('/')
    const lastBar = (shown: Page) =>
      shown.locator('.chart').first().locator('a:has(rect.c2)').last()
    const title = lastBar(await enter('/', false)).locator('title')
    expect(await title.textContent()).toMatch(/\d\d:\d\d.*: \d+ delivered, \d+ failed$/)
    await lastBar(page).click()
    await page.waitForURL(/\/deliveries\?since=/)
    const { searchParams } = new URL(page.url())
    const [start, end] = ['since', 'until'].map((name) => searchParams.get(name)!)
    expect(Date.parse(end!) - Date.parse(start!)).toBe(60_000)
    // The deliveries of the set-up may lie on both sides of a minute.
    const query = new URLSearchParams({ since: start!, until: end! })
    const { items } = (await call('get', `/webhook-deliveries?${query}`)).body
    expect(await page.locator('.list tbody tr').count()).toBe(items.length)
    await page.goto(stack.api.url)
    await page.getByText('Show data').first().click()
    const link = page.locator('.chart table a').last()
    expect(await link.getAttribute('href')).toContain('/deliveries?since=')
  })

  test("charts show hours in the viewer's zone, and in UTC without scripts", async () => {
    const clockOf = async (hasScripts: boolean) => {
      const label = (await enter('/', hasScripts)).locator('[data-clock]').first()
      const text = (await label.textContent())!.slice(0, 5)
      return { text, at: new Date((await label.getAttribute('data-clock'))!) }
    }
    const hours = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
    for (const [hasScripts, timeZone] of [
      [true, 'Asia/Kolkata'],
      [false, 'UTC'],
    ] as const) {
      const { text, at } = await clockOf(hasScripts)
      expect(text).toBe(at.toLocaleTimeString('en', { ...hours, timeZone }))
    }
  })

  test('the worker writes the notices of endpoints that fail', async () => {
    const titles = await until(
      async () => {
        const { items } = (await call('get', '/notices')).body as { items: { title: string }[] }
        return items.map(({ title }) => title).filter((title) => title.includes('is failing'))
      },
      (failing) => failing.length >= 2,
    )
    expect(titles.join()).toMatch(/Pager.*Chat|Chat.*Pager/)
  })

  test('a failing endpoint links to its deliveries, even without scripts', async () => {
    const page = await enter('/', false)
    const item = page.locator('.attention tbody tr').filter({ hasText: 'Gone' })
    expect(await item.locator('time').textContent()).toMatch(/ UTC$/)
    await item.getByRole('link', { name: '1 failed attempt' }).click()
    expect(await page.locator('.list tbody tr').count()).toBe(1)
    expect(await page.locator('.list tbody').textContent()).toContain('Connection refused')
  })

  test('dead deliveries link to recovery until they are redelivered', async () => {
    const { rows } = await stack.database.pool.query<{ id: string }>(
      `SELECT max(d.id::text) AS id FROM all_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
       WHERE e.description = 'Chat' AND d.tenant_id = $1`,
      [tenant.id],
    )
    await endDeliveries(stack.database, [rows[0]!.id], { outcome: 'dead', statusCode: 500 })
    const page = await enter('/')
    const lost = page
      .locator('.attention tbody tr')
      .filter({ hasText: 'Deliveries failed for good' })
    expect(await lost.textContent()).toMatch(/Chat.*HTTP 500.*1 failed delivery/)
    await lost.getByRole('link', { name: 'Recover' }).click()
    await page.waitForURL(/\/recover\?range=7d$/)
    await call('post', `/webhook-deliveries/${rows[0]!.id}/redeliver`)
    await page.goto(`${stack.api.url}/`)
    expect(await page.getByText('Deliveries failed for good').count()).toBe(0)
  })

  test('a disabled endpoint can be enabled with its button', async () => {
    const page = await enter('/')
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByText('Endpoint enabled.').waitFor()
    await page.goto(`${stack.api.url}/`)
    expect(await page.getByRole('button', { name: 'Enable' }).count()).toBe(0)
  })

  test('the waiting deliveries of a failing endpoint are retried with its button', async () => {
    const page = await enter('/')
    const row = page.locator('.attention tbody tr').filter({ hasText: 'Pager' })
    await row.getByRole('button', { name: 'Retry 5 deliveries now' }).click()
    await page.getByText('5 deliveries are due now').waitFor()
    expect(page.url()).toMatch(/\/webhooks\/[\da-f-]{36}$/)
    const list = `/webhook-deliveries?webhook_id=${page.url().split('/').at(-1)}`
    await until(
      async () => (await call('get', list)).body.items as { attempt_count: number }[],
      (items) => items.every((delivery) => delivery.attempt_count === 2),
    )
  })

  test('attempts of deleted endpoints stay counted in the numbers and the charts', async () => {
    const numbers = async () => {
      const { text } = await visitorOf(stack.api, ana).get('/')
      return [/Failed attempts<\/dt><dd>([\d,]+)/, /Total: (Delivered: \d+, Failed: \d+)/].map(
        (pattern) => pattern.exec(text)?.[1],
      )
    }
    const settled = await until(
      async () => (await call('get', '/webhook-deliveries')).body.items as { status: string }[],
      (items) => items.every(({ status }) => !['queued', 'in_flight'].includes(status)),
    )
    expect(settled.length).toBeGreaterThan(4)
    const before = await numbers()
    expect(Number(before[0])).toBeGreaterThanOrEqual(4)
    const { items } = (await call('get', '/webhooks')).body
    for (const { id } of items) await call('delete', `/webhooks/${id}`)
    expect(await numbers()).toEqual(before)
  })
})

describe('an overview without attempts', () => {
  const stack = useStack()

  test('says that there is no data', async () => {
    const tenant = await stack.api.makeTenant()
    const ana = await makeSignedIn(stack.api, tenant)
    const body = { url: 'https://example.com/', events: ['*'] }
    await callWith(stack.api, ana)('post', '/webhooks', { body })
    const { text } = await visitorOf(stack.api, ana).get('/')
    expect(text.split('No data').length - 1).toBe(3)
    expect(text).not.toContain('class="axis"')
    expect(text).toContain('Nothing needs attention')
  })
})
