import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import type { TestTenant } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { startReceiver, type Receiver, type Reply } from '../support/receiver.ts'
import { errorsOnScreens } from '../support/screens.ts'
import { callWith, makeSignedIn, type TestSession } from '../support/session.ts'
import { until, useStack } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'
import { holdCookie, openPage } from './panel-stack.ts'

describeInBrowser('the page of an incident, of an outage with three causes', () => {
  const stack = useStack({ WEBHOOK_RETRY_DELAYS_SECONDS: '3600', WEBHOOK_TIMEOUT_SECONDS: '1' })
  const browser = useBrowser()
  let reply: Reply = { status: 500 }
  let receiver: Receiver
  let tenant: TestTenant
  let ana: TestSession
  let page: Page & { complaints: string[] }
  let path: string
  const events: string[] = []

  const call = (...args: Parameters<ReturnType<typeof callWith>>) =>
    callWith(stack.api, ana)(...args)
  const publish = async (next: Reply): Promise<void> => {
    reply = next
    events.push(await webhookUser(stack).publish(tenant))
    const settled = new Set(['succeeded', 'waiting_retry'])
    await until(
      async () => (await call('get', `${path}/deliveries`)).body.items as { status: string }[],
      (items) => items.length === events.length && items.every((each) => settled.has(each.status)),
    )
  }
  const textOf = async (selector: string) =>
    (await page.locator(selector).innerText()).replaceAll(/\s+/g, ' ')
  const rowsOf = (name: string) =>
    page.getByRole('table', { name }).locator('tbody tr').allInnerTexts()

  beforeAll(async () => {
    receiver = await startReceiver({ respond: () => reply })
    tenant = await stack.api.makeTenant()
    ana = await makeSignedIn(stack.api, tenant, { name: 'Ana' })
    const body = { url: `${receiver.url}in?key=of-ana`, events: ['*'], description: 'Billing' }
    path = `/webhooks/${(await call('post', '/webhooks', { body })).body.webhook.id}`
    await stack.startWorker()
    for (const next of [{ status: 500 }, 'reset', 'hang'] as const) {
      await publish(next)
      await publish(next)
    }
    const context = await browser.open({ timezoneId: 'Asia/Kolkata' })
    await holdCookie(stack, context, ana.cookie)
    page = await openPage(context)
  })
  afterAll(() => receiver?.close())

  test('shows how it runs: a strip by cause, with each cause and its remedy', async () => {
    await page.goto(`${stack.api.url}${path}/incidents`)
    await page.locator('.list .row-link').click()
    await page.waitForURL(/\/incidents\/[\da-f-]{36}$/)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Incident of Billing')
    expect(await textOf('main')).toMatch(/Failing for \d+ s 6 failed attempts/)
    const strip = page.getByRole('img', {
      name: 'Causes over time: HTTP 500, Connection reset, Timeout',
    })
    const classes = (parts: Element[]) => parts.map((part) => part.getAttribute('class'))
    expect(await strip.locator('rect').evaluateAll(classes)).toEqual(['cause1', 'cause2', 'cause3'])
    const causes = await rowsOf('Causes of the incident, in the order of their first attempt')
    expect(causes.map((row) => row.split(/\s*[\t\n]\s*/).slice(0, 2))).toEqual([
      ['HTTP 500', '2'],
      ['Connection reset', '2'],
      ['Timeout', '2'],
    ])
    expect(causes[2]).toContain('Respond first and process the event afterwards.')
  })

  test('shows the first and the last failing event, and how many events are missing', async () => {
    expect(await textOf('#incident')).toMatch(
      /Affected 6 Arrived since 0 Still missing 6 .*First site\.created: HTTP 500 .*Last site\.created: Timeout/,
    )
    const links = await page.locator('#incident a[href^="/deliveries/"]').all()
    for (const [index, event] of [events[0], events.at(-1)].entries()) {
      const id = (await links[index]!.getAttribute('href'))!.split('/').at(-1)
      const { body } = await call('get', `/webhook-deliveries/${id}`)
      expect(body.delivery.event.id).toBe(event)
    }
  })

  test('passes axe and fits on each screen, open and closed', async () => {
    expect(await errorsOnScreens(page, 'incident-open')).toEqual([])
    await publish({ status: 204 })
    await page.setViewportSize({ width: 1_440, height: 900 })
    await page.reload()
    expect(await textOf('main')).toMatch(/Recovered.* Failed for \d+ s/)
    expect(await errorsOnScreens(page, 'incident')).toEqual([])
    await page.goto(`${stack.api.url}${path}/incidents`)
    expect(await errorsOnScreens(page, 'incidents')).toEqual([])
    expect(page.complaints).toEqual([])
  })

  test('sends what is missing, and says when everything has arrived', async () => {
    await page.setViewportSize({ width: 1_440, height: 900 })
    await page.goBack()
    const url = page.url()
    await page.getByRole('button', { name: 'Retry 6 deliveries now' }).click()
    await page.waitForURL(stack.api.url + path)
    await until(
      async () => (await call('get', `${path}/incidents/${url.split('/').at(-1)}`)).body.incident,
      ({ missing }: { missing: number }) => missing === 0,
    )
    await page.goto(url)
    expect(await textOf('#incident')).toContain('Affected 6 Arrived since 6 Still missing 0')
    expect(await page.getByRole('button', { name: /Retry/ }).count()).toBe(0)
  })

  test('has a text to forward, in UTC and without the query of the URL', async () => {
    const text = await page.locator('#incident-text').innerText()
    const utc = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`
    expect(text).toMatch(
      new RegExp(
        `^Incident of the webhook endpoint Billing \\(127.0.0.1:\\d+/in\\)\n\nFailed from ${utc} to ${utc} \\(\\d+ s\\), 6 failed attempts\\.\n`,
      ),
    )
    expect(text).toMatch(new RegExp(`^- ${utc}: HTTP 500, 2 attempts in `, 'm'))
    expect(text).toContain(`First failure: `)
    expect(text).toContain(`event ${events[0]}`)
    expect(text).toContain('Events affected: 6. Arrived since: 6. Still missing: 0.')
    expect(text).toContain('Timeout: Respond first and process the event afterwards.')
    expect(text).toContain(`/incidents/${page.url().split('/').at(-1)}`)
    expect(text).not.toContain('of-ana')
  })

  test('the endpoint is healthy then, with the rate of the day beside it', async () => {
    await page.goto(stack.api.url + path)
    expect(await textOf('#endpoint-health')).toMatch(
      /^Healthy 46% of 13 attempts failed in 24 hours/,
    )
    expect(await textOf('main')).not.toContain('Unstable')
    await publish({ status: 500 })
    await page.reload()
    expect(await textOf('#endpoint-health')).toMatch(/^Unstable/)
    await publish({ status: 204 })
    await page.reload()
    expect(await textOf('#endpoint-health')).toMatch(/^Unstable/)
    expect(await textOf('main')).not.toContain('has recovered')
  })
})
