import { expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { errorsOnScreens, screens } from '../support/screens.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { until } from '../support/until.ts'
import { holdCookie, openPage } from './panel-stack.ts'

describeInBrowser('a rotation whose old token is in use, in Chromium', () => {
  const api = useApi()
  const browser = useBrowser()

  test('says who used it last, offers to end it after a day without uses, and narrows the key', async () => {
    const person = await makeSignedIn(api, await api.makeTenant())
    const body = { name: 'Deploy script', scopes: ['webhooks:read', 'sites:write'] }
    const made = (await callWith(api, person)('post', '/api-keys', { body })).body
    const path = `/keys/${made.key.id}`
    const context = await browser.open()
    await holdCookie({ api }, context, person.cookie)
    const page = await openPage(context)
    const show = async () => {
      await page.setViewportSize(screens[1440])
      await page.goto(api.url + path)
      return (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ')
    }
    const statusOf = async (token: string) => (await api.call('get', '/webhooks', { token })).status

    await page.goto(`${api.url}${path}/rotate`)
    await page.getByLabel('24 hours').check()
    await page.getByRole('button', { name: 'Rotate key' }).click()
    const current = await page.locator('#secret').textContent()
    expect(current).toMatch(/^hctl_/)
    expect(await statusOf(made.token)).toBe(200)
    const inUse =
      /The old token was last used (just now|\d+ s ago) ?, [^]* from (127\.0\.0\.1|::1)\./
    expect(await until(show, (text) => inUse.test(text))).not.toContain('End the old token')
    expect(await errorsOnScreens(page, 'key-old-token-used')).toEqual([])

    await api.database.pool.query(
      `UPDATE api_key_secrets SET last_used_at = now() - interval '25 hours',
         created_at = now() - interval '40 days' WHERE key_id = $1 AND expires_at IS NOT NULL`,
      [made.key.id],
    )
    await api.database.pool.query(
      `UPDATE api_keys SET created_at = now() - interval '40 days',
         uses_counted_from = now() - interval '40 days' WHERE id = $1`,
      [made.key.id],
    )
    expect(await show()).toContain('Nothing has used it for a day, so you can end it now.')
    await page.getByRole('button', { name: 'End the old token' }).click()
    await page.getByText('Old token ended').waitFor()
    expect(await statusOf(made.token)).toBe(401)
    expect(await statusOf(current!)).toBe(200)
    expect(await errorsOnScreens(page, 'key-old-token-ended')).toEqual([])

    await page.setViewportSize(screens[1440])
    await page.getByRole('button', { name: 'Remove unused scope' }).click()
    await page.getByText(/Unused scopes? removed/).waitFor()
    expect(await errorsOnScreens(page, 'key-narrowed')).toEqual([])
    const { key } = (await callWith(api, person)('get', `/api-keys/${made.key.id}`)).body
    expect(key.scopes).toEqual(['webhooks:read'])
    expect(page.complaints).toEqual([])
  })
})
