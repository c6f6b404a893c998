import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { BrowserContext, Page } from 'playwright-core'
import { codeOf } from '../../apps/api/test/support/sign-in.ts'
import type { TestTenant } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { makePerson, makeSignedIn, type TestPerson } from '../support/session.ts'
import { useStack } from '../support/stack.ts'
import { holdCookie, openPage, startLogin } from './panel-stack.ts'

const password = 'a long enough sentence'

describeInBrowser('in Chromium', () => {
  const stack = useStack({ TRUSTED_PROXIES: '127.0.0.1/32' })
  const browser = useBrowser()
  let tenant: TestTenant
  /** Has a password, which is slow to hash. Used only by tests of signing in. */
  let ana: TestPerson
  let receiver: Receiver

  beforeAll(async () => {
    tenant = await stack.api.makeTenant()
    ;[ana, receiver] = await Promise.all([
      makePerson(stack.api, tenant, { password }),
      startReceiver(),
      stack.startWorker(),
    ])
  }, 60_000)
  afterAll(() => receiver?.close())

  const at = (path: string): string => stack.api.url + path
  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click()
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

  async function signIn(page: Page, email: string): Promise<void> {
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(password)
    await press(page, 'Sign in')
  }

  async function poll(device_code: string) {
    const { body } = await stack.api.call('post', '/auth/device/token', { body: { device_code } })
    return body as { token?: string; code?: string; key?: { scopes: string[]; source: string } }
  }

  /** A browser with a signed-in person. */
  async function enter(confirmedMsAgo = 0): Promise<BrowserContext> {
    const context = await browser.open()
    const { cookie } = await makeSignedIn(stack.api, tenant, { confirmedMsAgo })
    await holdCookie(stack, context, cookie)
    return context
  }

  test('sign in and approve a device login: its next poll receives a working key', async () => {
    const { user_code, device_code } = await startLogin(stack.api)
    const page = await openPage(await browser.open())
    await page.goto(at(`/device?user_code=${user_code}`))
    expect(new URL(page.url()).pathname).toBe('/sign-in')
    await signIn(page, ana.email)
    expect(await page.getByLabel('Code').inputValue()).toBe(user_code)
    await press(page, 'Continue')
    expect(await heading(page)).toBe('Authorize this device?')
    const content = await page.getByRole('main').textContent()
    for (const words of [user_code, 'laptop of ana', 'hctl/1.2 (linux)', ana.email]) {
      expect(content).toContain(words)
    }
    await press(page, 'Approve read-only access')
    expect(await heading(page)).toBe('Device authorized')

    const { token, key } = await poll(device_code)
    expect(key).toMatchObject({ scopes: ['*:read'], source: 'device' })
    const me = await stack.api.call('get', '/auth/me', { token: token! })
    expect(me.body.user).toMatchObject({ email: ana.email })
    await page.reload()
    expect(await page.getByRole('main').textContent()).toContain('has received its key')
    expect(page.complaints).toEqual([])
  })

  test('an approval asks for the password, then shows the same request again', async () => {
    const { user_code, device_code } = await startLogin(stack.api)
    const context = await browser.open()
    const page = await openPage(context)
    await page.goto(at('/device'))
    await signIn(page, ana.email)
    await stack.database.pool.query(
      `UPDATE panel_sessions SET confirmed_at = now() - interval '6 minutes' WHERE user_id = $1`,
      [ana.id],
    )
    await page.getByLabel('Code', { exact: true }).fill(user_code)
    await press(page, 'Continue')
    await press(page, 'Approve full access')
    expect(await heading(page)).toBe('Confirm your identity')
    expect((await poll(device_code)).code).toBe('authorization_pending')
    await page.getByLabel('Password').fill(password)
    await press(page, 'Confirm')
    expect(await heading(page)).toBe('Authorize this device?')
    expect(await page.locator('.user-code').textContent()).toContain(user_code)
    await press(page, 'Approve full access')
    expect(await heading(page)).toBe('Device authorized')
    expect((await poll(device_code)).key).toMatchObject({ scopes: ['*'] })
  })

  test('a new token can be copied and is gone after a reload', async () => {
    const context = await enter()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const page = await openPage(context)
    await page.goto(at('/keys'))
    await page.getByRole('link', { name: 'Create key' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Nightly report')
    await page.getByRole('checkbox', { name: 'read sites' }).check()
    await page.getByLabel('Allowed IP addresses (optional)').fill('127.0.0.1\n::1')
    await press(page, 'Create key')
    const token = (await page.getByRole('status', { name: 'Token for' }).textContent())!
    await press(page, 'Copy')
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token)
    const me = await stack.api.call('get', '/auth/me', { token })
    expect(me.body.key).toMatchObject({ name: 'Nightly report', scopes: ['sites:read'] })

    await page.reload()
    expect(await page.content()).not.toContain(token)
    await page.goBack()
    await page.goForward()
    expect(await page.content()).not.toContain(token)
    expect(await page.getByRole('main').textContent()).toContain('The token is no longer available')
    expect(page.complaints).toEqual([])
  })

  test('a test event reaches a new endpoint, and the page updates by itself', async () => {
    const page = await openPage(await enter())
    await page.goto(at('/webhooks/new'))
    await page.getByLabel('URL').fill(`${receiver.url}live`)
    await page.getByLabel('All events *').check()
    await press(page, 'Add endpoint')
    expect(await page.getByRole('status', { name: 'Signing secret' }).textContent()).toMatch(
      /^whsec_/,
    )
    await press(page, 'Send test event')
    const delivered = await receiver.next()
    expect(delivered.headers['service-event']).toBe('webhook.ping')
    await page.getByText('Attempt 1: delivered').waitFor()
    await page.getByText('HTTP 204').waitFor()
    expect(page.complaints).toEqual([])
  })

  test('without JavaScript everything works: sign in, a key, an endpoint, a test event, sign out', async () => {
    const page = await (await browser.open({ javaScriptEnabled: false })).newPage()
    await page.goto(at('/keys/new'))
    await signIn(page, ana.email)
    await page.getByLabel('Name', { exact: true }).fill('Without scripts')
    await page.getByLabel('Full access').first().check()
    await press(page, 'Create key')
    expect(await page.getByRole('status', { name: 'Token for' }).textContent()).toMatch(/^hctl_/)
    expect(await page.getByRole('button', { name: 'Copy' }).isVisible()).toBe(false)
    await page.getByRole('link', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Revoke' }).click()
    await press(page, 'Revoke key')
    expect(await page.getByRole('main').textContent()).toContain('Key revoked.')

    await page.goto(at('/webhooks/new'))
    await page.getByLabel('URL').fill(`${receiver.url}plain`)
    await page.getByText('site', { exact: true }).click()
    await page.getByLabel('site.*').check()
    await press(page, 'Add endpoint')
    await page.getByRole('link', { name: 'Done' }).click()
    await press(page, 'Send test event')
    await receiver.next()
    // The page reloads itself until the delivery is completed.
    await page.getByText('Attempt 1: delivered').waitFor()

    await page.setViewportSize({ width: 320, height: 640 })
    await press(page, 'Menu')
    await page.getByRole('link', { name: 'Security' }).click()
    await press(page, 'Menu')
    await press(page, 'Sign out')
    expect(await heading(page)).toBe('Sign in')
    await page.goBack()
    expect(await heading(page)).toBe('Sign in')
  })

  test('with the keyboard only: sign in, enter a code, deny it', async () => {
    const { user_code, device_code } = await startLogin(stack.api)
    const page = await openPage(await browser.open())
    const { keyboard } = page
    const tabTo = async (name: string): Promise<void> => {
      for (let presses = 0; presses < 40; presses++) {
        const focused = await page.evaluate(
          `(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()`,
        )
        if (focused === name) return
        await keyboard.press('Tab')
      }
      throw new Error(`${name} is not reached by Tab`)
    }
    await page.goto(at('/device'))
    await tabTo('Email address')
    await keyboard.type(ana.email)
    await tabTo('Password')
    await keyboard.type(password)
    await Promise.all([page.waitForURL('**/device'), keyboard.press('Enter')])
    await page.locator('#field-user_code:focus').waitFor()
    await keyboard.type(user_code.toLowerCase().replace('-', ' '))
    await Promise.all([page.waitForURL('**/review'), keyboard.press('Enter')])
    await tabTo('Skip to content')
    await keyboard.press('Enter')
    await tabTo('Deny')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe(
      'solid',
    )
    await Promise.all([page.getByText('No access was granted').waitFor(), keyboard.press('Enter')])
    expect((await poll(device_code)).code).toBe('access_denied')
  })

  test('two-factor authentication is turned on, required at the next sign-in, and turned off', async () => {
    const person = await makePerson(stack.api, tenant, { password })
    const page = await openPage(await browser.open())
    await page.goto(at('/security'))
    await signIn(page, person.email)
    await page.getByRole('link', { name: 'Turn on' }).click()
    await press(page, 'Show QR code')
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    const secret = (await page.locator('code').first().textContent())!.replaceAll(' ', '')
    await page.getByLabel('Code', { exact: true }).fill('000000')
    await press(page, 'Turn on')
    await page.getByRole('alert').waitFor()
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret))
    await press(page, 'Turn on')
    const codes = (await page.locator('#codes').textContent())!.split('\n')
    expect(codes).toHaveLength(10)
    await page.reload()
    expect(await page.content()).not.toContain(codes[0])

    await press(page, 'Sign out')
    await page.goto(at('/keys'))
    await signIn(page, person.email)
    expect(await heading(page)).toBe('Enter your code')
    expect(await page.content()).not.toContain(password)
    await page.getByLabel('Code', { exact: true }).fill('000000')
    await press(page, 'Verify')
    expect(await page.getByRole('alert').textContent()).toContain('Invalid credentials')
    await page.getByLabel('Code', { exact: true }).fill(codes[0]!)
    await press(page, 'Verify')
    expect(await heading(page)).toBe('API keys')
    await page.goto(at('/security/authenticator/remove'))
    await press(page, 'Turn off')
    expect(await page.getByRole('main').textContent()).toContain('Two-factor authentication is off')
  })
})
