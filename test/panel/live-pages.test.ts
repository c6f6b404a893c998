import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { createKeysByKey } from '../support/key-notices.ts'
import { useDeliveries } from './delivery-pages.ts'

const intervalMs = 5_000

describeInBrowser('pages that update in Chromium', () => {
  const { call, endpoints, enter, stack } = useDeliveries()

  const makeKey = async (name: string): Promise<string> =>
    (await call('post', '/api-keys', { body: { name, scopes: ['sites:read'] } })).body.key.id

  /** Opens a page whose clock only advances when the test does so. */
  async function open(path: string): Promise<Page & { complaints: string[] }> {
    const page = await enter('/device')
    await page.clock.install()
    await page.goto(new URL(path, page.url()).href)
    await page.evaluate('document.body.dataset.loaded = "once"')
    return page
  }

  const rename = (description: string) =>
    call('patch', `/webhooks/${endpoints.good}`, { body: { description } })

  test.each([
    {
      name: 'the list of endpoints',
      pathOf: async () => '/webhooks',
      change: () => rename('Reports'),
      text: 'Reports',
    },
    {
      name: 'an endpoint',
      pathOf: async () => `/webhooks/${endpoints.good}/settings`,
      change: () => rename('Accounting'),
      text: 'Accounting',
    },
    {
      name: 'the list of keys',
      pathOf: async () => '/keys',
      change: () => makeKey('Nightly backup'),
      text: 'Nightly backup',
    },
    {
      name: 'the overview',
      pathOf: async () => '/',
      change: () => call('patch', `/webhooks/${endpoints.bad}`, { body: { enabled: false } }),
      text: 'Disabled.',
    },
    {
      name: 'the list of incidents',
      pathOf: async () => `/webhooks/${endpoints.good}/incidents`,
      change: () => call('patch', `/webhooks/${endpoints.good}`, { body: { enabled: false } }),
      text: 'This endpoint is disabled',
    },
  ])('$name shows a change without a reload', async ({ pathOf, change, text }) => {
    const page = await open(await pathOf())
    expect(await page.getByText(text, { exact: true }).count()).toBe(0)
    await change()
    await page.clock.runFor(intervalMs)
    await page.getByText(text, { exact: true }).first().waitFor()
    expect(await page.evaluate('document.body.dataset.loaded')).toBe('once')
    expect(page.complaints).toEqual([])
  })

  test('a key shows a change without a reload, and keeps focus, scroll position and selected text', async () => {
    const id = await makeKey('Importer')
    const page = await open(`/keys/${id}`)
    await page.getByRole('link', { name: 'Rotate', exact: true }).focus()
    const scrolled = await page.evaluate<number>('(scrollTo(0, 30), scrollY)')
    expect(scrolled).toBeGreaterThan(0)
    await call('patch', `/api-keys/${id}`, { body: { name: 'Exporter' } })
    await page.clock.runFor(intervalMs)
    await page.getByRole('heading', { name: 'Exporter' }).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Rotate')
    expect(await page.evaluate('scrollY')).toBe(scrolled)

    await page.evaluate(
      'getSelection().selectAllChildren(document.querySelector("#key-details dl"))',
    )
    const selected = await page.evaluate('String(getSelection())')
    await call('patch', `/api-keys/${id}`, { body: { rate_limit_per_minute: 77 } })
    const updated = page.waitForResponse((response) => response.url().endsWith(id))
    await page.clock.runFor(intervalMs)
    await (await updated).finished()
    expect(await page.evaluate('String(getSelection())')).toBe(selected)
    await page.evaluate('getSelection().removeAllRanges()')
    await page.clock.runFor(intervalMs)
    await page.getByText('77', { exact: true }).waitFor()
  })

  test('new notices appear in the list and in the number of unread notices', async () => {
    const page = await open('/notices')
    const before = await page.locator('.notices li').count()
    await createKeysByKey(stack.api, call, ['Made by a key'])
    await page.clock.runFor(intervalMs)
    await page.getByText('Made by a key').first().waitFor()
    expect(await page.locator('.notices li').count()).toBe(before + 1)
    expect(await page.locator('.bell-count').innerText()).toContain(String(before + 1))
  })

  test('a page shows its age, and does not update while it is paused', async () => {
    const page = await open('/webhooks')
    await page.getByText('Updated just now').waitFor()
    await page.getByRole('button', { name: 'Pause updates' }).click()
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.clock.runFor(65_000)
    await page.getByText('Updated 1 min ago').waitFor()
    expect(requests).toEqual([])
    await page.getByRole('button', { name: 'Resume updates' }).click()
    await page.clock.runFor(intervalMs)
    await page.getByText('Updated just now').waitFor()
  })

  test('without scripts, a page has a link that reloads it', async () => {
    const page = await enter('/webhooks', { javaScriptEnabled: false })
    await rename('Warehouse')
    await page.getByRole('link', { name: 'Refresh' }).click()
    await page.getByText('Warehouse').first().waitFor()
    expect(await page.getByText('Pause updates').isVisible()).toBe(false)
  })
})
