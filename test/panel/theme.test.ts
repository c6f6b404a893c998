import { describe, expect, test } from '@jest/globals'
import request from 'supertest'
import type { Page } from 'playwright-core'
import { useApi } from '../support/api.ts'
import { colorRules, errorsOf } from '../support/axe.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { makeSignedIn } from '../support/session.ts'
import { holdCookie } from './panel-stack.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32' })

const pagesForAll = ['/sign-in', '/docs', '/docs/api', '/docs/webhooks', '/problems', '/nothing']

describe('the color scheme', () => {
  test.each(['system', 'light', 'dark'])(
    '%s is stored, and the page is shown again',
    async (theme) => {
      const visitor = visitorOf(api, await makeSignedIn(api, await api.makeTenant()))
      const next = '/keys?status=revoked'
      const response = await visitor.post('/theme', { do: theme, next })
      const { status, headers } = response
      expect({ status, to: headers['location'] }).toEqual({ status: 303, to: next })
      const { text } = await visitor.get(next)
      expect(/<html[^>]*data-theme="(\w+)"/.exec(text)?.[1] ?? 'system').toBe(theme)
      expect(text).toMatch(new RegExp(`value="${theme}" aria-pressed="true"`))
      expect(text.match(/aria-pressed="true"/g)).toHaveLength(3)
    },
  )

  test('switching never redirects to another site, and needs the CSRF token', async () => {
    const visitor = visitorOf(api, await makeSignedIn(api, await api.makeTenant()))
    const fields = { do: 'dark', next: 'https://evil.example/' }
    expect((await visitor.post('/theme', fields)).headers['location']).toBe('/')
    expect(await visitor.post('/theme', { ...fields, csrf_token: 'x' })).toMatchObject({
      status: 403,
    })
  })

  test.each(pagesForAll)('applies to %s', async (path) => {
    const get = (cookie: string) =>
      request(api.url).get(path).set({ accept: 'text/html', cookie }).redirects(0)
    expect((await get('theme=dark')).text).toMatch(/^<!doctype html><html data-theme="dark"/)
    expect((await get('theme=other')).text).toMatch(/^<!doctype html><html lang/)
  })
})

describeInBrowser('in Chromium, the color scheme', () => {
  const browser = useBrowser()

  const colorOf = (page: Page) =>
    page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  const dark = 'rgb(13, 15, 19)'
  const light = 'rgb(246, 247, 249)'

  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('can be switched %s, whatever the system prefers', async (_how, javaScriptEnabled) => {
    const context = await browser.open({ javaScriptEnabled, colorScheme: 'light' })
    const person = await makeSignedIn(api, await api.makeTenant())
    await holdCookie({ api }, context, person.cookie)
    const page = await context.newPage()
    await page.goto(`${api.url}/device`)
    expect(await colorOf(page)).toBe(light)
    await page.locator('.me > summary').click()
    await page.getByRole('button', { name: 'Dark', exact: true }).click()
    await page.locator('[data-theme=dark]').waitFor()
    expect(new URL(page.url()).pathname).toBe('/device')
    expect(await colorOf(page)).toBe(dark)
    expect(await errorsOf(page, colorRules)).toEqual([])
    await page.goto(`${api.url}/docs`)
    expect(await colorOf(page)).toBe(dark)
    expect(await errorsOf(page, colorRules)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto(`${api.url}/device`)
    await page.locator('.me > summary').click()
    await page.getByRole('button', { name: 'Light', exact: true }).click()
    await page.locator('[data-theme=light]').waitFor()
    expect(await colorOf(page)).toBe(light)
    expect(await errorsOf(page, colorRules)).toEqual([])
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Connect a device' }).waitFor()
    await page.locator('.me > summary').click()
    await page.getByRole('button', { name: 'System', exact: true }).click()
    await page.locator('html:not([data-theme])').waitFor()
    expect(await colorOf(page)).toBe(dark)
    await context.close()
  })
})
