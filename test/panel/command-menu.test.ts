import { beforeAll, describe, expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { useApi, type TestTenant } from '../support/api.ts'
import { allRules, errorsOf } from '../support/axe.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { makeSignedIn, type TestSession } from '../support/session.ts'
import { siteData } from '../support/events.ts'
import { holdCookie, openPage } from './panel-stack.ts'
import { visitorOf } from './visitor.ts'

const api = useApi()
let tenant: TestTenant
let admin: TestSession
let endpointId: string
let keyId: string
let deliveryId: string

beforeAll(async () => {
  tenant = await api.makeTenant()
  admin = await makeSignedIn(api, tenant)
  const { token } = await tenant.makeKey()
  const made = async (path: string, body: Record<string, unknown>) =>
    (await api.call('post', path, { token, body })).body
  endpointId = (
    await made('/webhooks', {
      url: 'https://hooks.example.com/billing',
      events: ['site.*'],
      description: 'Billing connector',
    })
  ).webhook.id
  keyId = (await made('/api-keys', { name: 'Nightly backup', scopes: ['backups:read'] })).key.id
  await api.callInternal('post', '/events', {
    type: 'site.created',
    tenant_id: tenant.id,
    data: siteData,
  })
  deliveryId = (await api.call('get', '/webhook-deliveries', { token })).body.items[0].id
})

/** The links that the search page shows. */
async function searchAs(session: TestSession, text: string): Promise<string[]> {
  const { text: html } = await visitorOf(api, session).get(
    text === '' ? '/search' : `/search?${new URLSearchParams({ q: text })}`,
  )
  const found = html.slice(html.indexOf('id="found"'))
  return [...found.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href!)
}

describe('the search page', () => {
  test('shows pages and actions without a text', async () => {
    expect(await searchAs(admin, '')).toEqual(
      expect.arrayContaining(['/', '/keys', '/webhooks', '/notices', '/keys/new', '/webhooks/new']),
    )
  })

  test('finds pages and actions by words of their names, in any order and case', async () => {
    expect(await searchAs(admin, 'KEY create')).toContain('/keys/new')
    expect(await searchAs(admin, 'audit')).toContain('/audit')
  })

  test('finds endpoints by description and URL, and keys by name and id', async () => {
    for (const text of ['billing conn', 'hooks.example.com/bill']) {
      expect(await searchAs(admin, text)).toContain(`/webhooks/${endpointId}`)
    }
    for (const text of ['nightly', keyId, keyId.toUpperCase()]) {
      expect(await searchAs(admin, text)).toContain(`/keys/${keyId}`)
    }
  })

  test('finds what can be done with an endpoint, for people who may do it', async () => {
    expect(await searchAs(admin, 'rotate billing')).toEqual(
      expect.arrayContaining([`/webhooks/${endpointId}/rotate`]),
    )
    expect(await searchAs(admin, 'disable billing')).toContain(`/webhooks/${endpointId}/disable`)
    const reader = await makeSignedIn(api, tenant, { roles: ['support'] })
    expect(await searchAs(reader, 'rotate billing')).not.toContain(`/webhooks/${endpointId}/rotate`)
  })

  test('finds deliveries by the beginning of an id, and leads to the search of deliveries', async () => {
    expect(await searchAs(admin, deliveryId)).toContain(`/deliveries/${deliveryId}`)
    expect(await searchAs(admin, deliveryId.slice(0, 18))).toContain(`/deliveries/${deliveryId}`)
    expect(await searchAs(admin, 'shop.example')).toEqual(['/deliveries?q=shop.example'])
  })

  test('shows only what the person may open, and nothing of another organization', async () => {
    const customer = await makeSignedIn(api, tenant, { roles: ['customer'] })
    const paths = await searchAs(customer, '')
    expect(paths).toContain('/keys')
    expect(paths).not.toContain('/webhooks')
    expect(paths).not.toContain('/webhooks/new')
    expect(await searchAs(customer, 'billing')).toEqual([])
    const stranger = await makeSignedIn(api, await api.makeTenant())
    expect(await searchAs(stranger, 'billing')).toEqual(['/deliveries?q=billing'])
    expect(await searchAs(stranger, keyId)).toEqual([`/deliveries?q=${keyId}`])
    expect(await searchAs(stranger, deliveryId)).toEqual([`/deliveries?q=${deliveryId}`])
  })

  test.each([
    ['99 letters and an emoji', 'a'.repeat(99) + '\u{1f600}'],
    ['101 emojis', '\u{1f600}'.repeat(101)],
    ['NUL', '\0'],
    ['a name with NUL', 'Overview\0'],
  ])('finds nothing for %s', async (_, text) => {
    const { status, text: html } = await visitorOf(api, admin).get(
      `/search?q=${encodeURIComponent(text)}`,
    )
    expect(status).toBe(200)
    expect(html).toContain('Nothing matches')
    expect(html).not.toContain('\ufffd')
  })

  test('escapes the text, and finds nothing for what fits nothing', async () => {
    const customer = await makeSignedIn(api, tenant, { roles: ['customer'] })
    const { text } = await visitorOf(api, customer).get('/search?q=%3Cb%3Ex%3C/b%3E')
    expect(text).toContain('Nothing matches “&lt;b>x&lt;/b>”.')
    expect(text).not.toContain('<b>x')
  })
})

describeInBrowser('in Chromium, the command menu', () => {
  const browser = useBrowser()

  async function enter(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.open(options)
    await holdCookie({ api }, context, admin.cookie)
    const page = await openPage(context)
    await page.goto(api.url + path)
    return page
  }

  const menuOf = (page: Page) => page.getByRole('dialog', { name: 'Command menu' })

  test('opens with Ctrl-K, finds while somebody types, and leads on with Enter', async () => {
    const page = await enter('/keys')
    await page.keyboard.press('Control+k')
    const menu = menuOf(page)
    await menu.getByRole('link', { name: 'Overview' }).waitFor()
    await page.keyboard.type('billing')
    await menu.getByRole('link', { name: 'Billing connector' }).waitFor()
    await menu.getByRole('link', { name: 'Overview' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/webhooks/${endpointId}`)
  })

  test('arrow keys choose, and Escape closes it', async () => {
    const page = await enter('/')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('keys')
    const menu = menuOf(page)
    await menu.getByRole('link', { name: 'Search deliveries for “keys”' }).waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.pathname')).not.toBeUndefined()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await errorsOf(page, allRules)).toEqual([])
    }
    await page.keyboard.press('ArrowUp')
    expect(await page.evaluate('document.activeElement.id')).toBe('command-text')
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'hidden' })
    expect(new URL(page.url()).pathname).toBe('/')
  })

  test.each([
    { query: 'e', kept: /^Overview/ },
    { query: 'keys', kept: /^command-text$/ },
  ])('results that arrive late for $query leave the focus in the menu', async ({ query, kept }) => {
    const page = await enter('/')
    const late = Promise.withResolvers<void>()
    await page.route(`**/search?q=${query}`, async (route) => {
      await late.promise
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    const link = menuOf(page).getByRole('link', { name: 'Overview' })
    await link.waitFor()
    const asked = page.waitForRequest(`**/search?q=${query}`)
    await page.keyboard.type(query)
    await asked
    await page.keyboard.press('ArrowDown')
    const shown = page.waitForFunction(
      (found) => !found!.isConnected,
      await page.$('#command-menu #found'),
    )
    late.resolve()
    await shown
    const focus = await page.evaluate(
      'document.activeElement.id || document.activeElement.closest("#found a")?.textContent',
    )
    expect(focus).toMatch(kept)
  })

  test('after the end of the session leads to the sign-in, and then to the search', async () => {
    const session = await makeSignedIn(api, tenant)
    const context = await browser.open()
    await holdCookie({ api }, context, session.cookie)
    const page = await openPage(context)
    await page.goto(`${api.url}/keys`)
    await api.database.prisma.panelSession.deleteMany({ where: { userId: session.userId } })
    await page.keyboard.press('Control+k')
    await page.waitForURL('**/sign-in?**')
  })

  test('without scripts, its link leads to the search page', async () => {
    const page = await enter('/keys', { javaScriptEnabled: false })
    await page.getByRole('link', { name: 'Search' }).click()
    await page.getByLabel('Page, endpoint, key or delivery').fill('billing')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'Billing connector' }).click()
    await page.waitForURL(`**/webhooks/${endpointId}`)
  })
})

describeInBrowser('in Chromium, shortcuts of a single character', () => {
  const browser = useBrowser()
  let page: Page

  beforeAll(async () => {
    const context = await browser.open()
    await holdCookie({ api }, context, admin.cookie)
    page = await openPage(context)
  })

  const focused = () => page.evaluate<string>('document.activeElement.textContent')

  test('/ focuses the search field of a page, and elsewhere opens the command menu', async () => {
    await page.goto(`${api.url}/deliveries`)
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.id')).toBe('filter-q')
    await page.keyboard.type('/j')
    expect(await page.locator('#filter-q').inputValue()).toBe('/j')
    await page.goto(`${api.url}/notices`)
    await page.keyboard.press('/')
    await page.getByRole('dialog', { name: 'Command menu' }).waitFor()
  })

  test('j and k move through a list, and Enter opens the row', async () => {
    await page.goto(`${api.url}/keys`)
    await page.keyboard.press('j')
    const first = await focused()
    await page.keyboard.press('j')
    expect(await focused()).not.toBe(first)
    await page.keyboard.press('k')
    expect(await focused()).toBe(first)
    await page.keyboard.press('k')
    expect(await focused()).toBe(first)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/keys\/[a-z2-7]{12}$/)
    await page.goto(`${api.url}/audit`)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.list details[open]').waitFor()
  })

  test('? lists them, and they can be turned off for the browser', async () => {
    await page.goto(`${api.url}/keys`)
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByLabel('Use shortcuts of a single character').uncheck()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.reload()
    await page.keyboard.press('j')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Command menu' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.me > summary').click()
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    await dialog.getByLabel('Use shortcuts of a single character').check()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.keyboard.press('j')
    expect(await page.evaluate('document.activeElement.className')).toBe('row-link')
  })
})
