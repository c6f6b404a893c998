import { errorClassHelp } from '@hosting/core/webhooks'
import { expect, test } from '@jest/globals'
import { describeInBrowser } from '../support/browser.ts'
import { until } from '../support/stack.ts'
import {
  alertOf,
  countRows,
  localTime,
  openFilters,
  rowOf,
  useDeliveries,
} from './delivery-pages.ts'
import { follow } from './ways.ts'

describeInBrowser('deliveries in Chromium', () => {
  const { receivers, endpoints, call, publish, enter, deliveries, newestId, oldestId } =
    useDeliveries()

  test('the list shows endpoint, result, duration, and the time in the zone of the viewer', async () => {
    const page = await enter('/deliveries')
    const failed = rowOf(page, 'Pager').first()
    expect(await failed.textContent()).toMatch(/site\.created.*Pager.*Retrying.*HTTP 500.* m?s/)
    expect(await rowOf(page, 'Data warehouse').first().textContent()).toMatch(/Delivered.*HTTP 2/)
    const time = failed.locator('time')
    const [ago, exact] = (await time.textContent())!.split(', ')
    expect(ago).toMatch(/^(just now|\d+ (s|min) ago)$/)
    expect(exact).toMatch(localTime)
    const [local, utc] = (await time.getAttribute('title'))!.split('\n')
    expect(local!.replace(/\.\d{3}/, '')).toBe(exact)
    expect(utc).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC$/)
    const [localMs, utcMs] = [local!, utc!].map((text) => Date.parse(`${text.slice(0, 23)}Z`))
    expect(localMs! - utcMs!).toBe(5.5 * 3_600_000)
    expect(page.complaints).toEqual([])
  })

  test('one search field finds a delivery, an event, an object or a domain, and offers endpoints', async () => {
    const id = await newestId(`?webhook_id=${endpoints.bad}`)
    const { event } = (await call('get', `/webhook-deliveries/${id}`)).body.delivery
    const page = await enter('/deliveries')
    const search = async (text: string): Promise<void> => {
      await page.getByRole('searchbox', { name: 'Search' }).fill(text)
      await Promise.all([
        page.waitForURL(({ searchParams }) => searchParams.get('q') === text),
        page.keyboard.press('Enter'),
      ])
      await page.waitForLoadState()
    }
    await search(id)
    expect(await countRows(page)).toBe(1)
    await search(event.id)
    expect(await countRows(page)).toBeGreaterThanOrEqual(2)
    for (const text of [event.id.slice(0, 13), event.object_id, event.name, 'SITE.created']) {
      await search(text)
      await rowOf(page, 'Pager').first().waitFor()
    }
    await search('pager')
    await page.getByRole('link', { name: 'Deliveries to Pager' }).click()
    await page.waitForURL(/webhook_id=/)
    expect(await rowOf(page, 'Pager').count()).toBe(await countRows(page))
  })

  test('the status filter offers the names of the states', async () => {
    const page = await enter('/deliveries')
    const words = await page.getByLabel('Status').locator('option').allTextContents()
    expect(words).toEqual([
      'Any status',
      'Queued',
      'Sending',
      'Retrying',
      'Paused',
      'Delivered',
      'Failed',
    ])
  })

  test.each([
    ['status_code=99', 'Last response code: “99” is not an HTTP status (100 to 599).'],
    ['error_class=late', 'Last error: “late” is not one of the choices.'],
    ['since=yesterday', 'From: “yesterday” is not a date and time.'],
    ['webhook_id=Pager', 'Endpoint: “Pager” is not one of the choices.'],
    ['status=broken', 'Status: “broken” is not one of the choices.'],
  ])('an invalid filter keeps the form and explains the error: %s', async (query, message) => {
    const page = await enter(`/deliveries?${query}`)
    expect(await alertOf(page)).toContain(message)
    const name = query.split('=')[0]!
    const field = page.locator(`[name=${name}]`)
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await follow(page.getByRole('link', { name: 'Clear' }))
    expect(await countRows(page)).toBeGreaterThan(0)
  })

  test("time filters use the viewer's zone; the URL contains UTC and only set filters", async () => {
    const page = await enter('/deliveries')
    await openFilters(page)
    await page.getByLabel(/^From \((IST|GMT\+5:30)\)$/).fill('2026-01-01T05:30')
    await page.getByLabel('Status').selectOption('Failed')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.waitForURL(/since=/)
    expect(decodeURIComponent(new URL(page.url()).search)).toBe(
      '?status=dead&since=2026-01-01T00:00:00.000Z',
    )
    expect(await page.locator('[name=since]').inputValue()).toMatch(/^2026-01-01T05:30/)
    await page.getByText('No matching deliveries').waitFor()
  })

  test('the list follows new deliveries without a reload, keeps the selection, and can be paused', async () => {
    const page = await enter('/deliveries')
    await page.evaluate('document.body.dataset.loaded = "once"')
    const before = await countRows(page)
    const box = page.getByRole('checkbox', { name: /^Select site/ }).first()
    await box.check()
    const chosen = await box.getAttribute('value')
    await publish('site.tls_updated')
    await rowOf(page, 'Pager').filter({ hasText: 'site.tls_updated' }).waitFor()
    await rowOf(page, 'Data warehouse')
      .filter({ hasText: /site\.tls_updated.*Delivered/ })
      .waitFor()
    expect(await countRows(page)).toBe(before + 2)
    expect(await page.locator('#live-status').textContent()).toMatch(/new deliver/)
    expect(await page.locator(`input[value="${chosen}"]`).isChecked()).toBe(true)

    await page.getByRole('button', { name: 'Pause updates' }).click()
    await publish('site.deleted')
    const { items } = await until(
      async () => (await call('get', '/webhook-deliveries?event_type=site.deleted')).body,
      ({ items: found }) => found.length === 2,
    )
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.clock.install()
    await page.clock.fastForward(10_000)
    expect(requests).toEqual([])
    expect(
      await page.getByText('site.deleted', { exact: true }).filter({ visible: true }).count(),
    ).toBe(0)
    await page.getByRole('button', { name: 'Resume updates' }).click()
    await page.locator(`#delivery-${items[0].id}`).waitFor()
    expect(await page.evaluate('document.body.dataset.loaded')).toBe('once')
    expect(page.complaints).toEqual([])
  })

  test('a failed delivery shows the cause, a remedy, the request, and the time of the next attempt', async () => {
    const id = await oldestId(`?webhook_id=${endpoints.bad}`)
    const { delivery } = (await call('get', `/webhook-deliveries/${id}`)).body
    const page = await enter(`/deliveries/${id}`)
    const timeline = page.locator('.timeline')
    const text = (await timeline.textContent())!
    const { meaning } = errorClassHelp.http_error
    for (const part of ['Attempt 1: failed', 'HTTP 500', meaning, 'What to do: Check the logs.']) {
      expect(text).toContain(part)
    }
    expect(await timeline.locator('time').first().textContent()).toMatch(/:\d\d\.\d{3} /)
    await timeline.getByText('Request headers').click()
    const headers = (await timeline.locator('.headers').textContent())!
    expect(headers).toContain(`Service-Delivery:${id}`)
    expect(headers).toContain('Service-Signature:hidden')
    expect(headers).not.toContain('v1=')
    const timer = timeline.getByRole('timer')
    const first = await timer.textContent()
    expect(first).toMatch(/^in 5\d min( \d+ s)?$/)
    await until(
      () => timer.textContent(),
      (now) => now !== first,
    )
    expect(await timeline.locator('details').getAttribute('open')).not.toBeNull()
    expect(await page.locator('.facts').textContent()).toContain('Pager')

    const others = page.getByRole('table', { name: 'Deliveries' })
    expect(await others.textContent()).toContain('Data warehouse')
    expect(delivery.event.id).toBe(await page.locator('#event-id').textContent())
    expect(page.complaints).toEqual([])
  })

  test('the raw payload matches the sent one, and can be copied like the ids', async () => {
    const id = await newestId(`?webhook_id=${endpoints.good}`)
    const again = (await call('post', `/webhook-deliveries/${id}/redeliver`)).body.delivery.id
    const sent = await until(
      async () =>
        receivers.good.requests.find(({ headers }) => headers['service-delivery'] === again),
      (request) => request !== undefined,
    )
    const page = await enter(`/deliveries/${id}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByText(/^Raw body/).click()
    expect(JSON.parse((await page.locator('#payload').textContent())!)).toBeInstanceOf(Object)
    await page.getByRole('button', { name: 'Copy raw body' }).click()
    await page.locator('#raw-payload-copied').getByText('Copied').waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(copied).toBe(sent!.body.toString())
    await page.getByRole('button', { name: 'Copy delivery ID' }).click()
    await page.locator('#delivery-id-copied').getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id)
  })

  test('every part of the page of a delivery updates when the delivery ends', async () => {
    await call('patch', `/webhooks/${endpoints.good}`, { body: { enabled: false } })
    const eventId = await publish('site.deleted')
    const id = await newestId(`?event_id=${eventId}&webhook_id=${endpoints.good}`)
    const page = await enter(`/deliveries/${id}`)
    await page.getByText('Paused until the endpoint is enabled.').waitFor()
    await call('patch', `/webhooks/${endpoints.good}`, { body: { enabled: true } })
    await page.getByText('Attempt 1: delivered').waitFor()
    expect(await page.locator('#delivery-header').textContent()).toContain('Delivered')
    const facts = await page.locator('.facts').textContent()
    expect(facts).toMatch(/Completed\d{4}-/)
    expect(facts).not.toContain('wait until it is enabled')
    expect(await page.locator('[data-live]').count()).toBe(0)
  })

  test('the other deliveries of the event update with the page', async () => {
    await call('patch', `/webhooks/${endpoints.good}`, { body: { enabled: false } })
    const eventId = await publish('site.deleted')
    const query = `?event_id=${eventId}&webhook_id=${endpoints.bad}`
    await deliveries(([retried]) => retried?.status === 'waiting_retry', query)
    const page = await enter(`/deliveries/${await newestId(query)}`)
    const other = rowOf(page, 'Data warehouse')
    await other.getByText('Paused').waitFor()
    await call('patch', `/webhooks/${endpoints.good}`, { body: { enabled: true } })
    await other.getByText('Delivered').waitFor()
    expect(page.complaints).toEqual([])
  })

  test('a finished recovery can no longer be cancelled', async () => {
    const path = `/webhooks/${endpoints.bad}/recover`
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const { recovery } = (await call('post', path, { body: { since } })).body
    const page = await enter(`/webhooks/${endpoints.bad}/recoveries/${recovery.id}`)
    await page.locator('#recovery').getByText('Completed').waitFor()
    expect(await page.getByRole('button', { name: 'Cancel recovery' }).count()).toBe(0)
    await page.getByRole('link', { name: 'View deliveries' }).waitFor()
  })

  test('without scripts, times are in UTC and marked, and URLs stay short', async () => {
    const page = await enter('/deliveries', { javaScriptEnabled: false })
    expect(await page.locator('time').first().textContent()).toMatch(
      /^just now, .*:\d\d UTC$|ago, .*:\d\d UTC$/,
    )
    await openFilters(page)
    await page.getByLabel('From (UTC)').fill('2026-01-01T05:30')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    expect(decodeURIComponent(new URL(page.url()).search)).toBe('?since=2026-01-01T05:30')
    expect(await countRows(page)).toBeGreaterThan(0)
    expect(await page.getByRole('button', { name: 'Pause updates' }).isVisible()).toBe(false)
    await follow(page.getByRole('link', { name: 'Refresh' }))
    expect(await countRows(page)).toBeGreaterThan(0)
  })

  test('a list that showed new deliveries continues on the next page without a gap', async () => {
    const page = await enter('/deliveries')
    const idsOf = () =>
      page.locator('.list tbody tr').evaluateAll((rows) => rows.map(({ id }) => id))
    for (let left = 30; left > 0; left--) await publish()
    const all = (await call('get', '/webhook-deliveries?limit=100')).body.items as { id: string }[]
    await page.locator(`#delivery-${all[0]!.id}`).waitFor()
    await page.getByRole('button', { name: 'Pause updates' }).click()
    const shown = await idsOf()
    await page.getByRole('link', { name: 'Older' }).click()
    await page.waitForURL(/cursor=/)
    shown.push(...(await idsOf()))
    expect(shown.length).toBeGreaterThanOrEqual(Math.min(all.length, 100))
    expect(shown).toEqual(expect.arrayContaining(all.map(({ id }) => `delivery-${id}`)))
  })
})
