import { beforeAll, expect, test } from '@jest/globals'
import type { CDPSession, Page } from 'playwright-core'
import { freshAddress } from '../../apps/api/test/support/addresses.ts'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import type { TestTenant } from '../support/api.ts'
import { errorsOnScreens, screens } from '../support/screens.ts'
import { makePerson, type TestPerson } from '../support/session.ts'
import { useStack } from '../support/stack.ts'
import { openPage } from './panel-stack.ts'
import { managerAnswers, managerScript } from './password-managers.ts'
import { fill, press } from './ways.ts'

const password = 'a long enough sentence'

/** An authenticator of Chromium (https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/). */
async function addAuthenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}

describeInBrowser('passkeys in Chromium', () => {
  const stack = useStack({ TRUSTED_PROXIES: '127.0.0.1/32' })
  const browser = useBrowser()
  let url: string
  let tenant: TestTenant

  beforeAll(async () => {
    const port = await freePort()
    url = `http://localhost:${port}`
    await stack.startApi({ PORT: String(port), PUBLIC_URL: url })
    tenant = await stack.api.makeTenant()
  })

  /** Opens a browser, by default one that offers no passkeys by autofill. */
  async function open(
    width: keyof typeof screens,
    { javaScriptEnabled = true, hasAutofill = false, script = '' } = {},
  ) {
    // Challenges are counted by address.
    const extraHTTPHeaders = { 'x-forwarded-for': freshAddress() }
    const context = await browser.open({
      viewport: screens[width],
      javaScriptEnabled,
      extraHTTPHeaders,
    })
    if (!hasAutofill) {
      await context.addInitScript(
        'if (globalThis.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = undefined',
      )
    }
    if (script !== '') await context.addInitScript(script)
    return openPage(context)
  }

  async function signIn(page: Page, { email }: TestPerson): Promise<void> {
    await page.goto(`${url}/sign-in?next=/security`)
    await fill(page, { 'Email address': email, Password: password })
    await press(page, 'Sign in')
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
  }

  async function addPasskey(page: Page, name: string): Promise<void> {
    await page.getByRole('link', { name: 'Add a passkey' }).click()
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByRole('button', { name: 'Create passkey' }).click()
    await page.getByText('Passkey added.').waitFor()
  }

  const signOut = async (page: Page): Promise<void> => {
    await page.goto(`${url}/sign-out`)
    await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }

  const heading = (page: Page, name: string) =>
    page.getByRole('heading', { name, level: 1 }).waitFor()

  /** Refusals of the API are expected; everything else that the browser reports is a defect. */
  const defectsOf = (complaints: readonly string[]) =>
    complaints.filter((text) => !/status of 4\d\d/.test(text))

  test.each([1440, 390] as const)(
    'a person adds a passkey, signs in and confirms with it, and removes it, at %d px',
    async (width) => {
      const person = await makePerson(stack.api, tenant, { password, name: 'Ana' })
      const page = await open(width)
      await addAuthenticator(page)
      await signIn(page, person)
      await addPasskey(page, 'Laptop')
      await page.getByRole('cell', { name: 'Laptop', exact: true }).waitFor()

      await signOut(page)
      await page.goto(`${url}/keys`)
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await heading(page, 'API keys')

      await stack.database.pool.query(
        `UPDATE panel_sessions SET confirmed_at = now() - interval '6 minutes' WHERE user_id = $1`,
        [person.id],
      )
      await page.goto(`${url}/security`)
      await page.getByRole('link', { name: 'Remove Laptop' }).click()
      await heading(page, 'Confirm your identity')
      await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
      await heading(page, 'Remove this passkey?')
      await press(page, 'Remove passkey')
      await page.getByText('Passkey removed.').waitFor()
      await page.getByText('No passkeys yet.').waitFor()
      expect(defectsOf(page.complaints)).toEqual([])
      await page.context().close()
    },
  )

  test.each(Object.entries(managerAnswers))(
    'a passkey is added, signs in and confirms if a password manager returns %s',
    async (_what, answer) => {
      const person = await makePerson(stack.api, tenant, { password })
      const page = await open(1440, { script: managerScript(answer) })
      await addAuthenticator(page)
      await signIn(page, person)
      await addPasskey(page, 'Manager')
      await page.context().clearCookies()
      await page.goto(`${url}/keys`)
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await heading(page, 'API keys')
      await page.goto(`${url}/confirm?next=/security`)
      await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
      await heading(page, 'Security')
      expect(defectsOf(page.complaints)).toEqual([])
      await page.context().close()
    },
  )

  test('the pages that offer passkeys pass axe at 1,440 and 390 px in light and dark, and fit', async () => {
    const person = await makePerson(stack.api, tenant, { password })
    const page = await open(1440)
    await page.goto(`${url}/sign-in`)
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(
      true,
    )
    const errors = await errorsOnScreens(page, 'sign-in-passkey')
    await signIn(page, person)
    for (const [name, path] of [
      ['confirm-passkey', '/confirm'],
      ['passkey-new-offered', '/security/passkeys/new'],
    ] as const) {
      await page.goto(url + path)
      errors.push(...(await errorsOnScreens(page, name)))
    }
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('the browser offers the passkey by autofill without a click', async () => {
    const person = await makePerson(stack.api, tenant, { password })
    const page = await open(1440, { hasAutofill: true })
    await addAuthenticator(page)
    await signIn(page, person)
    await addPasskey(page, 'Phone')
    await page.context().clearCookies()
    await page.goto(`${url}/keys`)
    await heading(page, 'API keys')
    expect(defectsOf(page.complaints)).toEqual([])
    await page.context().close()
  })

  test('a copied passkey is refused, and the person gets a notice', async () => {
    const person = await makePerson(stack.api, tenant, { password })
    const page = await open(1440)
    const { cdp, authenticatorId } = await addAuthenticator(page)
    await signIn(page, person)
    await addPasskey(page, 'Laptop')
    await stack.database.pool.query('UPDATE passkeys SET sign_count = 1000 WHERE user_id = $1', [
      person.id,
    ])
    await signOut(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('alert').getByText('Invalid credentials').first().waitFor()
    await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    await signIn(page, person)
    await page.goto(`${url}/notices`)
    await page.getByText('A copy of one of your passkeys was refused').first().waitFor()
    await page.context().close()
  })

  test('a cancelled passkey is explained, and the password still works', async () => {
    const person = await makePerson(stack.api, tenant, { password })
    const page = await open(390)
    const { cdp, authenticatorId } = await addAuthenticator(page)
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.goto(`${url}/sign-in`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('alert').getByText('The browser did not use a passkey').waitFor()
    await signIn(page, person)
    await page.context().close()
  })

  test.each([1440, 390] as const)(
    'without scripts, passkeys are not offered and the password works, at %d px',
    async (width) => {
      const person = await makePerson(stack.api, tenant, { password })
      const page = await open(width, { javaScriptEnabled: false })
      await page.goto(`${url}/sign-in`)
      const button = page.getByRole('button', { name: 'Sign in with a passkey' })
      expect(await button.isVisible()).toBe(false)
      await signIn(page, person)
      await page.goto(`${url}/security/passkeys/new`)
      expect(await page.getByRole('main').textContent()).toContain('cannot create a passkey here')
      expect(await page.getByRole('button', { name: 'Create passkey' }).isVisible()).toBe(false)
      await page.context().close()
    },
  )

  test('if PUBLIC_URL has an IP address, passkeys are not offered', async () => {
    const page = await open(1440)
    await page.goto(`${url.replace('localhost', '127.0.0.1')}/sign-in`)
    const button = page.getByRole('button', { name: 'Sign in with a passkey' })
    expect(await button.isVisible()).toBe(false)
    expect(defectsOf(page.complaints)).toEqual([])
    await page.context().close()
  })
})
