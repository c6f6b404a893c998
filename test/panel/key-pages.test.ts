import { beforeAll, expect, test } from '@jest/globals'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { useApi, type TestTenant } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { holdCookie, openPage } from './panel-stack.ts'

describeInBrowser('the pages of keys and their policy, in Chromium', () => {
  const api = useApi()
  const browser = useBrowser()
  let tenant: TestTenant

  beforeAll(async () => {
    tenant = await api.makeTenant()
    const call = callWith(api, await makeSignedIn(api, tenant))
    const policy = { max_lifetime_days: 90, ip_allowlist_required: true }
    await call('put', '/tenant/key-policy', { body: { ...policy, personal_keys_allowed: true } })
  })

  /** A browser with a signed-in administrator. */
  async function enter(options?: BrowserContextOptions): Promise<BrowserContext> {
    const context = await browser.open(options)
    const { cookie } = await makeSignedIn(api, tenant)
    await holdCookie({ api }, context, cookie)
    return context
  }

  const at = (path: string): string => api.url + path
  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click()
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()
  const box = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true })

  test('Back after a rejected and a corrected form never resubmits anything', async () => {
    const page = await openPage(await enter())
    await page.goto(at('/keys'))
    await page.goto(at('/keys/new'))
    await box(page, 'read sites').check()
    await page.getByLabel('Allowed IP addresses').fill('203.0.113.7')
    await press(page, 'Create key')
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('Allowed IP addresses').inputValue()).toBe('203.0.113.7')
    expect(await box(page, 'read sites').isChecked()).toBe(true)
    await page.getByLabel('Name', { exact: true }).fill('Corrected')
    await press(page, 'Create key')
    await page.getByRole('status', { name: 'Token for' }).waitFor()
    const countKeys = () => api.database.prisma.apiKey.count({ where: { name: 'Corrected' } })
    expect(await countKeys()).toBe(1)
    const response = await page.goBack()
    expect(response?.request().method() ?? 'GET').toBe('GET')
    expect(await heading(page)).toBe('Create API key')
    await page.reload()
    expect(await heading(page)).toBe('Create API key')
    expect(await countKeys()).toBe(1)
  })

  test('a token that the browser does not allow to be copied is selected, and the page says so', async () => {
    const page = await openPage(await enter())
    await page.addInitScript(
      "navigator.clipboard.writeText = () => Promise.reject(new Error('no'))",
    )
    await page.goto(at('/keys/new'))
    await page.getByLabel('Name', { exact: true }).fill('Copied by hand')
    await page.getByLabel('Allowed IP addresses').fill('203.0.113.7')
    await box(page, 'read sites').check()
    await press(page, 'Create key')
    await press(page, 'Copy')
    await page.getByRole('status').filter({ hasText: 'did not allow' }).waitFor()
    const selected = String(await page.evaluate('String(getSelection())'))
    expect(selected.trim()).toBe((await page.locator('#secret').textContent())!.trim())
    expect(page.complaints).toEqual([])
  })

  test('the scope picker shows implied scopes as checked and disabled, and restores the others', async () => {
    const page = await openPage(await enter())
    await page.goto(at('/keys/new'))
    await box(page, 'write dns').check()
    expect(await box(page, 'read dns').isDisabled()).toBe(true)
    expect(await box(page, 'read dns').isChecked()).toBe(true)
    await page.getByRole('checkbox', { name: 'Full access' }).check()
    expect(await page.locator('.matrix input:checked:disabled').count()).toBe(44)
    await page.getByRole('checkbox', { name: 'Full access' }).uncheck()
    expect(await page.locator('.matrix input:checked').count()).toBe(2)
    expect(await page.locator('.matrix input:disabled').count()).toBe(1)
    expect(await box(page, 'write dns').isChecked()).toBe(true)
  })

  test('a preset fills in the scopes and leaves the rest of the form', async () => {
    const page = await openPage(await enter())
    await page.goto(at('/keys/new'))
    await page.getByLabel('Name', { exact: true }).fill('CI')
    await box(page, 'write mail').check()
    await page.getByRole('link', { name: 'Deploy' }).click()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('CI')
    expect(await box(page, 'write sites').isChecked()).toBe(true)
    expect(await box(page, 'write mail').isChecked()).toBe(false)
    await page.getByLabel('Allowed IP addresses').fill('127.0.0.1')
    await press(page, 'Create key')
    const token = (await page.getByRole('status', { name: 'Token for' }).textContent())!
    const me = await api.call('get', '/auth/me', { token })
    expect(me.body.key.scopes.toSorted()).toEqual([
      'databases:write',
      'jobs:read',
      'runtime:write',
      'sites:write',
    ])
    expect(page.complaints).toEqual([])
  })

  test('presets, rejected forms, keys and the search work without JavaScript', async () => {
    const page = await (await enter({ javaScriptEnabled: false })).newPage()
    await page.goto(at('/keys/new'))
    await page.getByRole('link', { name: 'DNS' }).click()
    expect(await box(page, 'write dns').isChecked()).toBe(true)
    await page.getByLabel('Name', { exact: true }).fill('Zone sync')
    await press(page, 'Create key')
    expect(await page.getByRole('alert').textContent()).toContain('Allowed IP addresses')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Zone sync')
    await page.getByLabel('Allowed IP addresses').fill('203.0.113.9')
    await press(page, 'Create key')
    expect(await page.getByRole('status', { name: 'Token for' }).textContent()).toMatch(/^hctl_/)
    await page.goto(at('/keys'))
    await page.getByLabel('Name contains').fill('zone')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=zone/)
    expect(await page.getByRole('row').count()).toBe(2)
    expect(await page.getByRole('main').textContent()).toContain('dns:write')
  })
})
