import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { useApi } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { createProvider } from '../support/identity-provider.ts'
import { makePerson } from '../support/session.ts'

const [port, providerPort] = [await freePort(), await freePort()]
const panelUrl = `http://127.0.0.1:${port}`
const provider = createProvider(providerPort, panelUrl)

describeInBrowser('without OIDC_CLIENT_SECRET', () => {
  const api = useApi({
    PORT: String(port),
    PUBLIC_URL: panelUrl,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'public',
  })
  const browser = useBrowser()
  beforeAll(() => provider.start())
  afterAll(() => provider.stop())

  test('a person signs in to the panel as a public client with PKCE only', async () => {
    const { id, email } = await makePerson(api, await api.makeTenant(), { name: 'Ona' })
    provider.accounts[id] = { email, email_verified: true }
    const page = await (await browser.open()).newPage()
    await page.goto(`${panelUrl}/sign-in/oidc?next=/security`)
    await page.locator('input[name=account]').fill(id)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
  })

  test('two concurrent callbacks of one sign-in open at most one session', async () => {
    const { id, email } = await makePerson(api, await api.makeTenant(), { name: 'Ona' })
    provider.accounts[id] = { email, email_verified: true }
    const context = await browser.open()
    const page = await context.newPage()
    await page.goto(`${panelUrl}/sign-in/oidc`)
    const cookies = await context.cookies(`${panelUrl}/sign-in/oidc/callback`)
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    let callback = ''
    const keepCallback = (url: URL) => {
      callback = url.href
      url.pathname = '/docs'
      url.search = ''
    }
    await provider.whileChanging({ callback: keepCallback }, async () => {
      await page.locator('input[name=account]').fill(id)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.waitForURL(`${panelUrl}/docs`)
    })
    expect(callback).toContain('code=')
    await Promise.all(
      Array.from({ length: 8 }, () => fetch(callback, { headers: { cookie }, redirect: 'manual' })),
    )
    const where = { userId: id, revokedAt: null }
    expect(await api.database.prisma.panelSession.count({ where })).toBeLessThanOrEqual(1)
  })
})
