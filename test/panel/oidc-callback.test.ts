import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { addressGroup } from '@hosting/core/network'
import { addressTryLimit } from '@hosting/core/sessions'
import { behindProxy, signInFrom, stretchDelays } from '../../apps/api/test/support/sign-in.ts'
import { freshAddress } from '../../apps/api/test/support/addresses.ts'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { useApi, type TestApi } from '../support/api.ts'
import { createProvider, logInAt } from '../support/identity-provider.ts'
import { makePerson } from '../support/session.ts'
import { headingOf, visitorOf } from './visitor.ts'

const [port, providerPort] = [await freePort(), await freePort()]
const panelUrl = `http://127.0.0.1:${port}`
const provider = createProvider(providerPort, panelUrl)
const settings = {
  ...behindProxy,
  LOG_LEVEL: 'silent',
  PUBLIC_URL: panelUrl,
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: 'panel',
  OIDC_CLIENT_SECRET: provider.clientSecret,
}
const api = useApi({ ...settings, PORT: String(port) })
const other = useApi(settings)

beforeAll(() => provider.start())
beforeEach(() => api.database.prisma.failedTries.deleteMany())
afterAll(() => provider.stop())

async function makeOna(claims: Record<string, unknown> = {}): Promise<string> {
  const { id, email } = await makePerson(api, await api.makeTenant(), { name: 'Ona' })
  provider.accounts[id] = { email, email_verified: true, ...claims }
  return id
}

/** Starts a sign-in. Returns the URL of the provider, and the cookie that the callback needs. */
async function start(ip = freshAddress()) {
  const visitor = visitorOf(api)
  const { headers } = await visitor.get('/sign-in/oidc?next=/security', { 'x-forwarded-for': ip })
  const [cookie] = headers['set-cookie'] as unknown as string[]
  return { visitor, url: headers['location']!, cookie: cookie!.split(';')[0]!, ip }
}

/** The path of a callback at the panel. */
const pathOf = (callback: string): string => callback.slice(panelUrl.length)

/** The callback of a code that the provider never issued. */
function invented({ url }: { url: string }): string {
  const state = new URL(url).searchParams.get('state')!
  const query = new URLSearchParams({ code: 'invented', state, iss: provider.issuer })
  return `/sign-in/oidc/callback?${query}`
}

const codesAsked = (): number =>
  provider.requests.filter((request) => request === 'POST /token').length

const locationOf = ({ headers }: { headers: Record<string, string> }) => headers['location']

const failuresOf = async (ip: string): Promise<number | undefined> =>
  (
    await api.database.prisma.failedTries.findUnique({
      where: { name: `address:${addressGroup(ip)}` },
    })
  )?.failures

describe('the callback of the identity provider', () => {
  test('is limited by address like passwords, before the provider is contacted', async () => {
    const ip = freshAddress()
    for (let times = 0; times < addressTryLimit.free; times++) {
      const flow = await start(ip)
      const refused = await flow.visitor.get(invented(flow), { 'x-forwarded-for': ip })
      expect(locationOf(refused)).toBe('/sign-in?reason=oidc_failed&next=%2Fsecurity')
    }
    await stretchDelays(api)
    const asked = codesAsked()
    const flow = await start(ip)
    const late = await flow.visitor.get(invented(flow), { 'x-forwarded-for': ip })
    expect(late.status).toBe(429)
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)
    expect(codesAsked()).toBe(asked)
    const byPassword = await signInFrom(other, ip, { email: 'a@b.test', password: 'x' })
    expect(byPassword.status).toBe(429)
    const elsewhere = await start()
    await elsewhere.visitor.get(invented(elsewhere), { 'x-forwarded-for': elsewhere.ip })
    expect(codesAsked()).toBe(asked + 1)
  })

  test('does not count successes', async () => {
    const { visitor, url, ip } = await start()
    const callback = pathOf(await logInAt(url, await makeOna()))
    expect(locationOf(await visitor.get(callback, { 'x-forwarded-for': ip }))).toBe('/security')
    expect(await failuresOf(ip)).toBe(0)
  })

  test('counts unknown people as failures', async () => {
    const { visitor, url, ip } = await start()
    const callback = pathOf(await logInAt(url, await makeOna({ email: 'nobody@example.test' })))
    expect(locationOf(await visitor.get(callback, { 'x-forwarded-for': ip }))).toContain('unknown')
    expect(await failuresOf(ip)).toBe(1)
  })

  test('accepts a `state` once: of 10 concurrent copies on two processes, one contacts the provider', async () => {
    const { url, cookie } = await start()
    const callback = pathOf(await logInAt(url, await makeOna()))
    const asked = codesAsked()
    const send = (at: TestApi) =>
      visitorOf(at).get(callback, { cookie, 'x-forwarded-for': freshAddress() })
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => send(index % 2 ? api : other)),
    )
    expect(codesAsked()).toBe(asked + 1)
    expect(responses.filter((one) => locationOf(one) === '/security')).toHaveLength(1)
  })

  test('does not consume a `state` if the request has another one', async () => {
    const { visitor, url, cookie, ip } = await start()
    const callback = pathOf(await logInAt(url, await makeOna()))
    await visitor.get('/sign-in/oidc/callback?code=x&state=y', { cookie, 'x-forwarded-for': ip })
    const mine = await visitorOf(api).get(callback, { cookie, 'x-forwarded-for': ip })
    expect(locationOf(mine)).toBe('/security')
  })

  test('does not report a database error as a provider error', async () => {
    const { visitor, url, ip } = await start()
    const callback = pathOf(await logInAt(url, await makeOna()))
    const { pool } = api.database
    await pool.query('ALTER TABLE panel_sessions RENAME TO panel_sessions_away')
    try {
      const { status } = await visitor.get(callback, { 'x-forwarded-for': ip })
      expect(status).toBeGreaterThanOrEqual(500)
    } finally {
      await pool.query('ALTER TABLE panel_sessions_away RENAME TO panel_sessions')
    }
  })

  test('treats an email address with U+0000 as an invalid response of the provider', async () => {
    const { visitor, url, ip } = await start()
    const callback = pathOf(await logInAt(url, await makeOna({ email: 'ona\0@example.test' })))
    const refused = await visitor.get(callback, { 'x-forwarded-for': ip })
    expect(locationOf(refused)).toBe('/sign-in?reason=oidc_failed&next=%2Fsecurity')
  })
})

describe('the confirmation time of a sign-in is the time at which the person authenticated', () => {
  async function enter() {
    const { visitor, url, ip } = await start()
    const callback = pathOf(await logInAt(url, await makeOna()))
    await visitor.get(callback, { 'x-forwarded-for': ip })
    return { url, page: await visitor.get('/keys/new') }
  }

  test('just now: the session is confirmed', async () => {
    const { page } = await enter()
    expect(headingOf(page)).toBe('Create API key')
  })

  test('an hour ago: the session is not confirmed, so that a silent sign-in is no step-up', async () => {
    provider.dateLogins({ secondsAgo: 3_600 })
    const { url, page } = await enter()
    provider.dateLogins({ secondsAgo: 0 })
    expect(locationOf(page)).toBe('/confirm?next=%2Fkeys%2Fnew')
    // Asked for this, a provider has to tell the time.
    expect(new URL(url).searchParams.get('max_age')).toBe('604800')
  })

  test('unknown, because the provider omits it: the session is confirmed', async () => {
    provider.dateLogins({ secondsAgo: 3_600 })
    await provider.whileChanging(
      { request: (url) => url.searchParams.delete('max_age') },
      async () => expect(headingOf((await enter()).page)).toBe('Create API key'),
    )
    provider.dateLogins({ secondsAgo: 0 })
  })
})
