import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { BrowserContext, Page } from 'playwright-core'
import { auditEntriesOf } from '../../apps/api/test/support/audit.ts'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { useApi } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { createProvider } from '../support/identity-provider.ts'
import { makePerson, makeSignedIn } from '../support/session.ts'
import { holdCookie } from './panel-stack.ts'
import { headingOf, visitorOf } from './visitor.ts'

const [port, providerPort] = [await freePort(), await freePort()]
const panelUrl = `http://127.0.0.1:${port}`
const callbackUrl = `${panelUrl}/sign-in/oidc/callback`
const provider = createProvider(providerPort, panelUrl)
const oidc = {
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: 'panel',
  OIDC_CLIENT_SECRET: provider.clientSecret,
}
// The provider does not run yet.
const api = useApi({ PORT: String(port), PUBLIC_URL: panelUrl, ...oidc })

afterAll(() => provider.stop())

/** A person of a new organization with an account at the provider, named after the user. */
async function makeOna(claims: Record<string, unknown> = {}) {
  const tenant = await api.makeTenant()
  const person = await makePerson(api, tenant, { name: 'Ona' })
  provider.accounts[person.id] = { email: person.email, email_verified: true, ...claims }
  return { tenant, ...person }
}

describe('while the provider is unavailable', () => {
  test('the service is ready, and the sign-in page says what to do', async () => {
    expect((await fetch(`${api.internalUrl}/readyz`)).status).toBe(200)
    const visitor = visitorOf(api)
    expect((await visitor.get('/sign-in')).text).toContain('Sign in with single sign-on')
    const { status, headers } = await visitor.get('/sign-in/oidc?next=/keys')
    expect({ status, location: headers['location'] }).toEqual({
      status: 303,
      location: '/sign-in?reason=oidc_unavailable&next=%2Fkeys',
    })
    expect((await visitor.get(headers['location']!)).text).toContain('is not available')
    expect((await fetch(`${api.internalUrl}/readyz`)).status).toBe(200)
  })

  test('the password still works', async () => {
    const password = 'correct horse battery staple'
    const { email } = await makePerson(api, await api.makeTenant(), { password })
    const body = { email, password }
    expect((await api.call('post', '/auth/session', { body })).status).toBe(201)
  })
})

describeInBrowser('sign-in by an identity provider', () => {
  beforeAll(() => provider.start())
  const browser = useBrowser()

  const titleOf = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

  /** Follows the link of the sign-in page, and signs in at the provider. */
  async function enter(context: BrowserContext, account: string, next = '/security') {
    const page = await context.newPage()
    await page.goto(`${panelUrl}/sign-in?next=${next}`)
    await page.getByRole('link', { name: 'Sign in with single sign-on' }).click()
    await logIn(page, account)
    return page
  }

  async function logIn(page: Page, account: string) {
    await page.locator('input[name=account]').fill(account)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.waitForURL(`${panelUrl}/**`)
  }

  const hasSession = async (context: BrowserContext) =>
    (await context.cookies(panelUrl)).some(({ name }) => name === 'session')

  async function expectRefused(page: Page, reason: string) {
    await page.getByText(reason).waitFor({ timeout: 10_000 })
    expect(await titleOf(page)).toBe('Sign in')
    expect(await hasSession(page.context())).toBe(false)
  }

  test('opens a confirmed session and returns to the page', async () => {
    const { id, tenant } = await makeOna()
    const context = await browser.open()
    const page = await enter(context, id)
    expect(await titleOf(page)).toBe('Security')
    await page.goto(`${panelUrl}/keys/new`)
    expect(await titleOf(page)).toBe('Create API key')
    expect((await auditEntriesOf(api, tenant.id)).at(-1)).toMatchObject({
      action: 'session.create',
      actorId: id,
      details: { method: 'oidc' },
    })
  })

  test('does not ask a person with an authenticator for a code', async () => {
    const { id } = await makeOna()
    await api.database.pool.query(
      `INSERT INTO totp_factors (user_id, encrypted_seed, activated_at) VALUES ($1, 'x', now())`,
      [id],
    )
    expect(await titleOf(await enter(await browser.open(), id))).toBe('Security')
  })

  test('also reads the email address from the ID token', async () => {
    await provider.start({ claimsInIdToken: true })
    const { id } = await makeOna()
    const before = provider.requests.length
    expect(await titleOf(await enter(await browser.open(), id))).toBe('Security')
    expect(provider.requests.slice(before)).not.toContain('GET /me')
    await provider.start()
  })

  test('never redirects to another site', async () => {
    const { id } = await makeOna()
    const page = await enter(await browser.open(), id, 'https://evil.example/')
    expect(page.url()).toBe(`${panelUrl}/`)
  })

  test.each([
    ['unverified', { email_verified: false }],
    ['of unknown verification', { email_verified: undefined }],
    ['verified only as text', { email_verified: 'true' }],
    ['missing', { email: undefined }],
  ])('refuses an email address that is %s', async (_what, claims) => {
    const { id } = await makeOna(claims)
    await expectRefused(await enter(await browser.open(), id), 'is not verified')
  })

  test('refuses an unknown person', async () => {
    const { id } = await makeOna({ email: 'nobody@example.test' })
    await expectRefused(await enter(await browser.open(), id), 'there is no user for you here')
  })

  test('refuses a deactivated person, with an audit entry', async () => {
    const { id, email, tenant } = await makeOna()
    const person = { tenant_id: tenant.id, email, name: 'Ona', roles: ['admin'], accounts: [] }
    await api.callInternal('put', `/users/${id}`, { ...person, status: 'deactivated' })
    await expectRefused(await enter(await browser.open(), id), 'may no longer sign in')
    expect((await auditEntriesOf(api, tenant.id)).at(-1)).toMatchObject({
      action: 'session.refuse',
      outcome: 'refused',
      targetId: id,
      details: { method: 'oidc' },
    })
  })

  test('says that the person cancelled', async () => {
    await expectRefused(await enter(await browser.open(), ''), 'was cancelled')
  })

  test('refuses an ID token with another nonce', async () => {
    const { id } = await makeOna()
    const context = await browser.open()
    await provider.whileChanging(
      { request: (url) => url.searchParams.set('nonce', 'x'.repeat(43)) },
      async () => expectRefused(await enter(context, id), 'invalid response'),
    )
  })

  test.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43))],
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
    ['no issuer', (url: URL) => url.searchParams.delete('iss')],
    ['another code', (url: URL) => url.searchParams.set('code', 'x'.repeat(43))],
    ['no code', (url: URL) => url.searchParams.delete('code')],
  ])('refuses a callback with %s', async (_what, change) => {
    const { id } = await makeOna()
    const context = await browser.open()
    await provider.whileChanging({ callback: change }, async () =>
      expectRefused(await enter(context, id), 'invalid response'),
    )
  })

  test('refuses a replayed code, in the same browser and in another', async () => {
    const { id } = await makeOna()
    const context = await browser.open()
    const page = await context.newPage()
    await page.goto(`${panelUrl}/sign-in/oidc?next=/security`)
    const kept = (await context.cookies(callbackUrl)).find(({ name }) => name === 'handover')
    const called = page.waitForRequest((request) => request.url().startsWith(`${callbackUrl}?`))
    await logIn(page, id)
    const url = (await called).url()
    expect(await titleOf(page)).toBe('Security')
    for (const cookies of [[], [kept!]]) {
      const other = await browser.open()
      await other.addCookies(cookies)
      const replay = await other.newPage()
      await replay.goto(url)
      await expectRefused(replay, cookies.length > 0 ? 'invalid response' : 'timed out')
    }
  })

  test('accepts new signing keys immediately, and no unknown ones', async () => {
    const { id } = await makeOna()
    expect(await titleOf(await enter(await browser.open(), id))).toBe('Security')
    await provider.start()
    expect(await titleOf(await enter(await browser.open(), id))).toBe('Security')
    provider.publishForeignKeys()
    await expectRefused(await enter(await browser.open(), id), 'invalid response')
    await provider.start()
  })

  describe('step-up', () => {
    /** Signs in, makes the confirmation old, and opens a page that needs one. */
    async function askToConfirm() {
      const ona = await makeOna()
      const context = await browser.open()
      const page = await enter(context, ona.id)
      await api.database.pool.query(
        `UPDATE panel_sessions SET confirmed_at = confirmed_at - interval '1 hour' WHERE user_id = $1`,
        [ona.id],
      )
      await page.goto(`${panelUrl}/keys/new`)
      expect(await titleOf(page)).toBe('Confirm your identity')
      return { ...ona, page, context }
    }

    const confirm = (page: Page) =>
      page.getByRole('link', { name: 'Confirm with single sign-on' }).click()

    test('asks the provider for a new sign-in, confirms the session, and shows no password form', async () => {
      const { id, page, tenant } = await askToConfirm()
      expect(await page.locator('input[type=password]').count()).toBe(0)
      const asked = page.waitForRequest(/\/auth\?/)
      await confirm(page)
      const { searchParams } = new URL((await asked).url())
      expect(Object.fromEntries(searchParams)).toMatchObject({ prompt: 'login', max_age: '0' })
      await logIn(page, id)
      expect(await titleOf(page)).toBe('Create API key')
      expect((await auditEntriesOf(api, tenant.id)).at(-1)).toMatchObject({
        action: 'session.confirm',
        outcome: 'success',
        details: { method: 'oidc' },
      })
    })

    test('refuses another identity, and keeps the session', async () => {
      const { page, tenant, id } = await askToConfirm()
      const other = await makeOna()
      await confirm(page)
      await logIn(page, other.id)
      await page.getByText('A different person signed in').waitFor()
      expect((await auditEntriesOf(api, tenant.id)).at(-1)).toMatchObject({
        action: 'session.confirm',
        outcome: 'refused',
        actorId: id,
      })
      await page.goto(`${panelUrl}/keys/new`)
      expect(await titleOf(page)).toBe('Confirm your identity')
    })

    test('refuses a provider that did not authenticate the person again', async () => {
      const { page, id } = await askToConfirm()
      provider.dateLogins({ secondsAgo: 3_600 })
      await confirm(page)
      await logIn(page, id)
      await page.getByText('invalid response').waitFor()
      expect(await titleOf(page)).toBe('Confirm your identity')
      provider.dateLogins({ secondsAgo: 0 })
    })
  })

  test("sign-out redirects to the provider's sign-out", async () => {
    const { id } = await makeOna()
    const page = await enter(await browser.open(), id)
    await page.goto(`${panelUrl}/sign-out`)
    await page.locator('main').getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign out there as well' }).click()
    await page.waitForURL(`${provider.issuer}/session/end?*`)
    const { searchParams } = new URL(page.url())
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'panel',
      post_logout_redirect_uri: `${panelUrl}/sign-in`,
    })
  })

  test('a person with a password sees a password form beside the provider', async () => {
    const person = await makeSignedIn(api, await api.makeTenant(), { confirmedMsAgo: 3_600_000 })
    const context = await browser.open()
    await holdCookie({ api }, context, person.cookie)
    const page = await context.newPage()
    await page.goto(`${panelUrl}/confirm`)
    expect(await page.locator('input[type=password]').count()).toBe(1)
    expect(await page.getByRole('link', { name: 'Confirm with single sign-on' }).count()).toBe(1)
  })
})

test('a callback without a started sign-in leads to the sign-in page', async () => {
  const { headers } = await visitorOf(api).get('/sign-in/oidc/callback?code=x&state=y')
  expect(headers['location']).toBe('/sign-in?reason=oidc_timed_out')
  expect(headingOf(await visitorOf(api).get(headers['location']!))).toBe('Sign in')
})
