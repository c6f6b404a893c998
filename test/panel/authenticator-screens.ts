import type { Page } from 'playwright-core'
import { codeOf } from '../../apps/api/test/support/sign-in.ts'
import type { Stack } from '../support/stack.ts'
import type { Furnished } from './furnished.ts'
import { fill, press, waysIn, type ScreenGroup } from './ways.ts'

/** Pages of people with an authenticator, and the sign-in with one. */
export function authenticatorScreens(
  { api, database }: Stack,
  { people, twoFactor }: Furnished,
): ScreenGroup[] {
  const { open, submit } = waysIn(api.url)
  const credentials = { 'Email address': twoFactor.email, Password: twoFactor.password }
  const signIn = submit('/sign-in?next=/keys', 'Sign in', credentials)
  const enrol = async (page: Page, code: (seed: string) => string): Promise<void> => {
    await database.pool.query('DELETE FROM totp_factors WHERE user_id = $1', [people.nora.id])
    await page.context().clearCookies({ path: '/security/authenticator' })
    await submit('/security/authenticator', 'Show QR code')(page)
    const seed = (await page.locator('code').first().textContent())!.replaceAll(' ', '')
    await fill(page, { Code: code(seed) })
    await press(page, 'Turn on')
  }
  return [
    {
      cookie: undefined,
      screens: {
        'sign-in-code': signIn,
        'sign-in-code-refused': async (page) => {
          await signIn(page)
          await fill(page, { Code: '000000' })
          await press(page, 'Verify')
        },
      },
    },
    {
      cookie: people.theo,
      screens: {
        'security-two-factor': open('/security'),
        'authenticator-remove': open('/security/authenticator/remove'),
        'session-end': async (page) => {
          await open('/security')(page)
          await page.getByRole('link', { name: /^End session of/ }).click()
          await page.waitForLoadState()
        },
      },
    },
    {
      cookie: people.nora.cookie,
      screens: {
        'authenticator-refused': (page) => enrol(page, () => '000000'),
        'recovery-codes': (page) => enrol(page, (seed) => codeOf(seed)),
      },
    },
  ]
}

/** Pages of a panel with an identity provider that does not respond. */
export function identityProviderScreens({ people, providerUrl }: Furnished): ScreenGroup[] {
  const { open } = waysIn(providerUrl)
  return [
    {
      cookie: undefined,
      screens: {
        'sign-in-provider': open('/sign-in'),
        'sign-in-provider-unavailable': open('/sign-in/oidc?next=/keys'),
        'sign-in-provider-unknown': open('/sign-in?reason=oidc_unknown'),
        'sign-in-provider-signed-out': open('/sign-in?signed_out=1'),
      },
    },
    { cookie: people.outsideLater, screens: { 'confirm-provider': open('/confirm') } },
    { cookie: people.unconfirmed, screens: { 'confirm-provider-or-password': open('/confirm') } },
  ]
}
