import { beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { failure, makeAttempts } from '../../apps/api/test/support/attempts.ts'
import { makeSubscriber } from '../../apps/api/test/support/delivery-list.ts'
import { publish } from '../../apps/api/test/support/events.ts'
import { useApi } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { errorsOnScreens, screens } from '../support/screens.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { holdCookie, openPage } from './panel-stack.ts'

const large = { width: 1_920, height: 1_080 }

describeInBrowser('the frame of the panel in Chromium', () => {
  const api = useApi()
  const browser = useBrowser()
  let cookie: string
  let paths: Record<'endpoint' | 'delivery' | 'key', string>

  beforeAll(async () => {
    const { tenant, webhookId } = await makeSubscriber(api)
    const person = await makeSignedIn(api, tenant)
    cookie = person.cookie
    const [deliveryId] = (await publish(api, tenant.id)).deliveryIds
    await makeAttempts(api, deliveryId!, [failure])
    const body = { name: 'Deploy script', scopes: ['sites:read'] }
    const { key } = (await callWith(api, person)('post', '/api-keys', { body })).body
    paths = {
      endpoint: `/webhooks/${webhookId}`,
      delivery: `/deliveries/${deliveryId}`,
      key: `/keys/${key.id}`,
    }
  })

  async function enter(viewport: { width: number; height: number }, as = cookie) {
    const context = await browser.open({ viewport })
    await holdCookie({ api }, context, as)
    const page = await openPage(context)
    const open = (path: string) => page.goto(api.url + path)
    return { page, open }
  }

  const boxOf = async (page: Page, selector: string) =>
    (await page.locator(selector).first().boundingBox())!

  test('pages are 1,280 px wide and centred on a large screen, and lists use more of it', async () => {
    const { page, open } = await enter(large)
    const forms = ['/keys/new', '/webhooks/new', '/deliveries/bulk', '/device']
    const records = [...Object.values(paths), `${paths.endpoint}/completeness`]
    for (const path of ['/', ...records, ...forms, '/security', '/organization']) {
      await open(path)
      const [outer, card] = [await boxOf(page, '.page'), await boxOf(page, 'main')]
      const padding = await page.evaluate<number>(
        `parseFloat(getComputedStyle(document.querySelector('main')).paddingLeft)`,
      )
      expect([path, Math.round(card.width - 2 * padding)]).toEqual([path, 1_280])
      const [left, right] = [card.x - outer.x, outer.x + outer.width - card.x - card.width]
      expect(Math.abs(left - right)).toBeLessThanOrEqual(16)
    }
    for (const path of ['/deliveries', '/events', '/keys', '/webhooks', '/audit']) {
      await open(path)
      expect((await boxOf(page, '.list')).width).toBeGreaterThan(1_400)
    }
  })

  test('pages and lists begin at the same place on a desktop, so that nothing jumps', async () => {
    const { page, open } = await enter(screens[1440])
    const starts = new Set<number>()
    for (const path of ['/', '/deliveries', '/keys', '/security', ...Object.values(paths)]) {
      await open(path)
      starts.add(Math.round((await boxOf(page, 'h1')).x))
    }
    expect(starts.size).toBe(1)
  })

  test('the titles of a row of scopes share a baseline', async () => {
    const { page, open } = await enter(screens[1440])
    await open('/keys/new')
    const tops = await page
      .locator('.matrix-row > :first-child')
      .evaluateAll((rows) =>
        (rows as unknown as HasBox[]).map((row) => row.getBoundingClientRect()),
      )
    expect(tops.length).toBeGreaterThan(10)
    const rows = Map.groupBy(tops, ({ top }) => Math.round(top))
    const sizes = new Set([...rows.values()].slice(0, -1).map(({ length }) => length))
    expect(sizes.size).toBe(1)
    expect(Math.max(...sizes)).toBeGreaterThan(2)
  })

  test('a delivery has its attempts beside its payload, and one above the other on a phone', async () => {
    const { page, open } = await enter(screens[1440])
    await open(paths.delivery)
    const titles = async () => [
      await boxOf(page, 'h2:text-is("Attempts")'),
      await boxOf(page, 'h2:text-is("Payload")'),
    ]
    const [attempts, payload] = await titles()
    expect(payload!.y).toBe(attempts!.y)
    expect(payload!.x).toBeGreaterThan(attempts!.x + 500)
    await page.setViewportSize(screens[390])
    const [first, second] = await titles()
    expect(second!.x).toBe(first!.x)
    expect(second!.y).toBeGreaterThan(first!.y)
  })

  test('the menu of the person is closed behind their name', async () => {
    const { page, open } = await enter(screens[1440])
    await open('/keys')
    const settings = page.locator('.me').getByRole('button', { name: /^(Dark|Compact|UTC)$/ })
    const signOut = page.locator('.me').getByRole('button', { name: 'Sign out' })
    expect(await signOut.isVisible()).toBe(false)
    expect((await boxOf(page, '.me')).height).toBeLessThan(70)
    await page.locator('.me > summary').click()
    expect(await settings.count()).toBe(3)
    expect(await signOut.isVisible()).toBe(true)
  })

  test('the first steps, done and open, pass axe and come before the requests', async () => {
    const newcomer = await makeSignedIn(api, await api.makeTenant())
    const call = callWith(api, newcomer)
    await call('post', '/api-keys', { body: { name: 'Deploy', scopes: ['sites:read'] } })
    const body = { url: 'https://example.com/hook', events: ['*'], description: 'Pager' }
    await call('post', '/webhooks', { body })
    const { page, open } = await enter(screens[390], newcomer.cookie)
    await open('/')
    expect(await page.locator('.steps .done').count()).toBe(2)
    await page.getByText('Waiting for the first event of Pager').waitFor()
    const order = [
      await boxOf(page, 'h2:text-is("Get started")'),
      await boxOf(page, 'h2:text-is("Requests by key")'),
    ]
    expect(order[0]!.y).toBeLessThan(order[1]!.y)
    expect(await errorsOnScreens(page, 'overview-first-steps')).toEqual([])
  })
})

interface HasBox {
  getBoundingClientRect(): { readonly top: number }
}
