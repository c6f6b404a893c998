import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { BrowserContext, Page } from 'playwright-core'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { createProvider } from '../support/identity-provider.ts'
import { KnownSecrets } from '../support/known-secrets.ts'
import type { ServiceProcess } from '../support/processes.ts'
import { makePerson } from '../support/session.ts'
import { useStack } from '../support/stack.ts'

// A browser signs in by OpenID Connect and by link, with success and in every way that fails. Then the logs, the
// database, the metrics, the pages and the Referer headers are searched for the secrets of these sign-ins.

const [port, providerPort] = [await freePort(), await freePort()]
const panelUrl = `http://127.0.0.1:${port}`
const callbackUrl = `${panelUrl}/sign-in/oidc/callback`
const provider = createProvider(providerPort, panelUrl)
const secrets = new KnownSecrets()

describeInBrowser('the secrets of a sign-in', () => {
  const stack = useStack()
  const browser = useBrowser()
  let api: ServiceProcess
  const pages: string[] = []
  const sent: Promise<string | undefined>[] = []

  beforeAll(async () => {
    await provider.start()
    secrets.note('the client secret', provider.clientSecret)
    api = await stack.startApi({
      PORT: String(port),
      PUBLIC_URL: panelUrl,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'panel',
      OIDC_CLIENT_SECRET: provider.clientSecret,
      LOG_LEVEL: 'trace',
    })
  })
  afterAll(() => provider.stop())

  async function makeOna(claims: Record<string, unknown> = {}): Promise<string> {
    const { id, email } = await makePerson(stack.api, await stack.api.makeTenant(), { name: 'Ona' })
    provider.accounts[id] = { email, email_verified: true, ...claims }
    return id
  }

  let noted = 0

  /** Opens a page of which every secret, Referer and content is recorded. */
  async function openRecorded(context: BrowserContext): Promise<Page> {
    const page = await context.newPage()
    page.on('request', (request) => {
      const url = new URL(request.url())
      for (const name of ['state', 'nonce', 'code', 'code_challenge']) {
        const value = url.searchParams.get(name)
        if (value && value.length > 10) secrets.note(`${name} ${(noted += 1)}`, value)
      }
      sent.push(request.allHeaders().then(({ referer }) => referer))
    })
    page.on('load', async (loaded) => {
      if (loaded.url().startsWith(panelUrl)) pages.push(await loaded.content().catch(() => ''))
    })
    return page
  }

  /** Starts a sign-in and completes it at the provider. Returns the callback that the browser was sent to. */
  async function signIn(account: string) {
    const context = await browser.open()
    const page = await openRecorded(context)
    await page.goto(`${panelUrl}/sign-in?next=/security`)
    await page.getByRole('link', { name: 'Sign in with single sign-on' }).click()
    await page.locator('input[name=account]').fill(account)
    const handover = (await context.cookies(callbackUrl)).find(({ name }) => name === 'handover')!
    secrets.note(`the encrypted cookie ${(noted += 1)}`, handover.value)
    const called = page.waitForRequest((request) => request.url().startsWith(`${callbackUrl}?`))
    await page.getByRole('button', { name: 'Log in' }).click()
    const callback = (await called).url()
    await page.waitForURL((url) => url.href.startsWith(panelUrl) && !url.search.includes('code='))
    return { context, page, callback, handover }
  }

  const hasSession = async (context: BrowserContext) =>
    (await context.cookies(panelUrl)).some(({ name }) => name === 'session')

  test('sign-ins by OpenID Connect that use PKCE, state and nonce succeed', async () => {
    const { context, page } = await signIn(await makeOna())
    expect(await hasSession(context)).toBe(true)
    const kinds = new Set(secrets.kinds.map((kind) => kind.split(' ')[0]))
    expect([...kinds]).toEqual(expect.arrayContaining(['state', 'nonce', 'code', 'code_challenge']))
    const asked = page.waitForRequest(/\/auth\?/)
    await page.goto(`${panelUrl}/sign-in/oidc`)
    const { searchParams } = new URL((await asked).url())
    expect(searchParams.get('code_challenge_method')).toBe('S256')
    expect(searchParams.get('response_type')).toBe('code')
    expect(searchParams.get('scope')).toBe('openid email')
  })

  test('sign-ins with an unverified address, another nonce, a replay, foreign keys or no provider fail', async () => {
    expect(await hasSession((await signIn(await makeOna({ email_verified: false }))).context)).toBe(
      false,
    )
    const id = await makeOna()
    await provider.whileChanging(
      { request: (url) => url.searchParams.set('nonce', 'foreign-nonce-of-an-attacker') },
      async () => expect(await hasSession((await signIn(id)).context)).toBe(false),
    )
    secrets.note('the nonce of an attacker', 'foreign-nonce-of-an-attacker')
    provider.publishForeignKeys()
    expect(await hasSession((await signIn(id)).context)).toBe(false)
    await provider.start()

    const { callback, handover } = await signIn(id)
    const replaying = await browser.open()
    await replaying.addCookies([handover])
    await (await openRecorded(replaying)).goto(callback)
    expect(await hasSession(replaying)).toBe(false)

    await provider.stop()
    const late = await browser.open()
    await late.addCookies([handover])
    await (await openRecorded(late)).goto(callback)
    expect(await hasSession(late)).toBe(false)
    await provider.start()
  })

  test('a sign-in link works once and expires', async () => {
    const id = await makeOna()
    for (const state of ['used', 'expired']) {
      const made = await stack.api.callInternal('post', `/users/${id}/sign-in-links`, {
        return_to: '/security',
      })
      const { pathname } = new URL(made.body.url as string)
      secrets.note(`the token of a link, ${state}`, pathname.split('.')[1]!)
      if (state === 'expired') {
        await stack.database.pool.query('UPDATE sign_in_links SET expires_at = now()')
      }
      const context = await browser.open()
      const page = await openRecorded(context)
      await page.goto(panelUrl + pathname)
      const title = state === 'used' ? 'Security' : 'Sign in'
      await page.getByRole('heading', { name: title, level: 1, exact: true }).waitFor()
      await page.waitForLoadState()
      expect(await hasSession(context)).toBe(state === 'used')
      // A link of the next page, and the link again.
      await page.goto(`${panelUrl}/docs`)
      await page.locator('main a').first().click()
      await (await openRecorded(await browser.open())).goto(panelUrl + pathname)
    }
  })

  describe('are absent', () => {
    const expectNone = (texts: readonly string[]) => {
      expect(texts.length).toBeGreaterThan(0)
      const found = texts.flatMap((text) => secrets.findIn(text).map((what) => `${what}: ${text}`))
      expect(found).toEqual([])
    }

    test('from the logs, which contain the requests', () => {
      expect(secrets.kinds.length).toBeGreaterThan(20)
      expect(api.lines.join('\n')).toContain('/sign-in/oidc/callback')
      expectNone(api.lines)
    })

    test('from the database, which contains the audit log', async () => {
      const { pool } = stack.database
      const tables = await pool.query<{ name: string }>(
        `SELECT quote_ident(table_name) AS name FROM information_schema.tables
         WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
      )
      const texts: string[] = []
      for (const { name } of tables.rows) {
        const { rows } = await pool.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`)
        texts.push(...rows.map(({ text }) => text))
      }
      expect(texts.join('\n')).toContain('session.create')
      expectNone(texts)
    })

    test('from the metrics', async () => {
      const response = await fetch(`http://127.0.0.1:${api.internalPort}/metrics`)
      expectNone([await response.text()])
    })

    test('from the pages', () => expectNone(pages.map((page) => withoutLinkForms(page))))

    test('from the Referer, which the panel does not send', async () => {
      const settled = await Promise.allSettled(sent)
      const referers = settled.flatMap((each) =>
        each.status === 'fulfilled' && each.value !== undefined ? [each.value] : [],
      )
      // The provider sends them, so they are recorded.
      expect(referers.some((referer) => referer.startsWith(provider.issuer))).toBe(true)
      expect(referers.filter((referer) => referer.startsWith(panelUrl))).toEqual([])
      expect(referers.flatMap((referer) => secrets.findIn(referer))).toEqual([])
    })
  })
})

/** The page of a link submits to the path of the link. */
const withoutLinkForms = (html: string): string =>
  html.replaceAll(/action="\/sign-in\/link\/[^"]*"/g, '')
