import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { useApi } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { createProvider } from '../support/identity-provider.ts'
import { makePerson } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const without = useApi()

test('without a configured provider its pages do not exist and no page links to them', async () => {
  for (const path of ['', '/callback', '/sign-out']) {
    const page = await visitorOf(without).get(`/sign-in/oidc${path}`)
    expect(page.status).toBe(404)
  }
  expect((await visitorOf(without).get('/sign-in')).text).not.toContain('single sign-on')
})

const claimPort = await freePort()
const claimUrl = `http://127.0.0.1:${claimPort}`
const other = createProvider(await freePort(), claimUrl)
const claiming = useApi({
  PORT: String(claimPort),
  PUBLIC_URL: claimUrl,
  OIDC_ISSUER: other.issuer,
  OIDC_CLIENT_ID: 'panel',
  OIDC_CLIENT_SECRET: other.clientSecret,
  OIDC_USER_CLAIM: 'user_id',
})

describeInBrowser('with OIDC_USER_CLAIM', () => {
  const browser = useBrowser()
  beforeAll(() => other.start())
  afterAll(() => other.stop())

  test.each([
    ['finds the person by the user id only', { email: undefined }, true],
    ['ignores the email address', { user_id: undefined }, false],
    ['refuses an id that is no text', { user_id: 7 }, false],
    ['refuses an id that is no UUID', { user_id: 'ona' }, false],
  ])('%s', async (_what, claims, isAccepted) => {
    const { id, email } = await makePerson(claiming, await claiming.makeTenant(), {})
    other.accounts[id] = { user_id: id, email, email_verified: true, ...claims }
    const context = await browser.open()
    const page = await context.newPage()
    await page.goto(`${claimUrl}/sign-in/oidc?next=/security`)
    await page.locator('input[name=account]').fill(id)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.waitForURL(`${claimUrl}/**`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(
      isAccepted ? 'Security' : 'Sign in',
    )
  })
})
