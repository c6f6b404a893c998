import { describe, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { actionsOf, auditEntriesOf } from '../../apps/api/test/support/audit.ts'
import { useApi, type TestApi } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { makePerson, makeSession, makeSignedIn } from '../support/session.ts'
import { holdCookie, openPage } from './panel-stack.ts'
import { headingOf, visitorOf } from './visitor.ts'

const api = useApi()
const other = useApi()

/** An organization with a person. */
async function makeAna() {
  const tenant = await api.makeTenant()
  return { tenant, ...(await makePerson(api, tenant)) }
}

/** Creates a link. Returns its path. */
async function createLink(userId: string, body: object = {}): Promise<string> {
  const response = await api.callInternal('post', `/users/${userId}/sign-in-links`, body)
  expect(response.status).toBe(201)
  return new URL(response.body.url as string).pathname
}

const hasSession = ({ headers }: Response): boolean =>
  [headers['set-cookie'] ?? []].flat().some((cookie: string) => /^session=[^;]/.test(cookie))

const expire = (userId: string) =>
  api.database.pool.query('UPDATE sign_in_links SET expires_at = now() WHERE user_id = $1', [
    userId,
  ])

/** Expects the sign-in page with this reason, and no session. */
function expectSignInPage(response: Response, reason: string): void {
  expect(response.status).toBe(200)
  expect(headingOf(response)).toBe('Sign in')
  expect(response.text).toContain(reason)
  expect(response.text).toContain('action="/sign-in?')
  expect(hasSession(response)).toBe(false)
}

describe('a sign-in link', () => {
  test('GET does not use the link up, and shows a page with one button', async () => {
    const { id } = await makeAna()
    const path = await createLink(id)
    for (let times = 0; times < 3; times++) {
      const response = await visitorOf(api).get(path)
      expect(response.status).toBe(200)
      expect(response.text.match(/<button/g)).toHaveLength(1)
      expect(response.text).toContain('data-auto-submit')
      expect(hasSession(response)).toBe(false)
      expect(response.headers['referrer-policy']).toBe('no-referrer')
      expect(response.headers['cache-control']).toBe('no-store')
    }
  })

  test('POST opens a session and redirects to the return path', async () => {
    const { id, tenant } = await makeAna()
    const visitor = visitorOf(api)
    const path = await createLink(id, { return_to: '/security?x=a b' })
    const used = await visitor.post(path, { do: 'use' })
    expect({ status: used.status, location: used.headers['location'] }).toEqual({
      status: 303,
      location: '/security?x=a%20b',
    })
    expect(headingOf(await visitor.get('/security'))).toBe('Security')
    const rows = await auditEntriesOf(api, tenant.id)
    expect(rows.at(-1)).toMatchObject({
      action: 'session.create',
      actorId: id,
      details: { method: 'link' },
    })
  })

  test('without a return path it leads to the overview', async () => {
    const { id } = await makeAna()
    const used = await visitorOf(api).post(await createLink(id), {})
    expect(used.headers['location']).toBe('/')
  })

  test('signs in a person with an authenticator without asking for a code', async () => {
    const { id } = await makeAna()
    await api.database.pool.query(
      `INSERT INTO totp_factors (user_id, encrypted_seed, activated_at) VALUES ($1, 'x', now())`,
      [id],
    )
    expect(hasSession(await visitorOf(api).post(await createLink(id), {}))).toBe(true)
  })

  test('20 concurrent uses on two processes open one session', async () => {
    const { id, tenant } = await makeAna()
    const path = await createLink(id)
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => visitorOf(index % 2 ? api : other).post(path, {})),
    )
    expect(responses.filter(hasSession)).toHaveLength(1)
    const locations = responses.filter((one) => !hasSession(one)).map((one) => one.headers)
    expect(new Set(locations.map(({ location }) => location as string))).toEqual(
      new Set(['/sign-in?reason=link_used']),
    )
    const actions = await actionsOf(api, tenant.id)
    expect(actions.filter((action) => action === 'session.create')).toHaveLength(1)
  })

  test('a deactivation during its use leaves no session', async () => {
    const { id, tenant, email } = await makeAna()
    const person = { tenant_id: tenant.id, email, name: 'Ana', roles: ['admin'], accounts: [] }
    for (let round = 0; round < 10; round++) {
      await api.callInternal('put', `/users/${id}`, { ...person, status: 'active' })
      const path = await createLink(id)
      await Promise.all([
        visitorOf(api).post(path, {}),
        other.callInternal('put', `/users/${id}`, { ...person, status: 'deactivated' }),
      ])
      const where = { userId: id, revokedAt: null }
      expect(await api.database.prisma.panelSession.count({ where })).toBe(0)
    }
  })

  test('opens a confirmed session only if the platform says so', async () => {
    const { id } = await makeAna()
    const opened = async (body: object) => {
      const visitor = visitorOf(api)
      await visitor.post(await createLink(id, body), {})
      const page = await visitor.get('/keys/new')
      return { status: page.status, location: page.headers['location'] }
    }
    expect(await opened({ confirmed: true })).toEqual({ status: 200, location: undefined })
    for (const body of [{}, { confirmed: false }]) {
      expect(await opened(body)).toEqual({ status: 303, location: '/confirm?next=%2Fkeys%2Fnew' })
    }
  })

  test('replaces another session of the browser only with its CSRF token', async () => {
    const { id } = await makeAna()
    const ben = await makeSignedIn(api, await api.makeTenant(), { name: 'Ben' })
    const path = await createLink(id)
    const forged = await visitorOf(api, { ...ben, csrfToken: 'x'.repeat(43) }).post(path, {})
    expect(forged.status).toBe(403)
    const visitor = visitorOf(api, ben)
    const page = await visitor.get(path)
    expect(page.text).toContain('You are signed in as Ben')
    expect(page.text).not.toContain('data-auto-submit')
    expect(hasSession(await visitor.post(path, { do: 'use' }))).toBe(true)
    expect((await visitorOf(api, ben).get('/')).headers['location']).toMatch(/^\/sign-in/)
  })

  test('replaces a session of the same person without asking', async () => {
    const { id } = await makeAna()
    const page = await visitorOf(api, await makeSession(api, id)).get(await createLink(id))
    expect(page.text).toContain('data-auto-submit')
  })
})

describe('the sign-in page says why a link does not work', () => {
  test.each([
    ['used', 'already used', (path: string) => visitorOf(api).post(path, {})],
    ['expired', 'has expired', (_path: string, id: string) => expire(id)],
  ])('%s', async (_state, reason, end) => {
    const { id } = await makeAna()
    const path = await createLink(id)
    await end(path, id)
    expectSignInPage(await visitorOf(api).get(path), reason)
    expectSignInPage(await visitorOf(api).submit(path, {}), reason)
  })

  test('unknown: a wrong secret, a wrong id, no token', async () => {
    const { id } = await makeAna()
    const path = await createLink(id)
    const [linkId, secret] = path.split('/').at(-1)!.split('.') as [string, string]
    const foreign = (await createLink(id)).split('/').at(-1)!.split('.')[0]!
    for (const token of [`${linkId}.${'x'.repeat(43)}`, `${foreign}.${secret}`, 'x', linkId]) {
      expectSignInPage(await visitorOf(api).get(`/sign-in/link/${token}`), 'is not valid')
      expectSignInPage(await visitorOf(api).submit(`/sign-in/link/${token}`, {}), 'is not valid')
    }
    expect(hasSession(await visitorOf(api).post(path, {}))).toBe(true)
  })

  test('the user is deactivated or deleted after the link was created', async () => {
    const { id, tenant, email } = await makeAna()
    const person = { tenant_id: tenant.id, email, name: 'Ana', roles: ['admin'], accounts: [] }
    const path = await createLink(id)
    await api.callInternal('put', `/users/${id}`, { ...person, status: 'deactivated' })
    expectSignInPage(await visitorOf(api).get(path), 'is not active')
    expectSignInPage(await visitorOf(api).submit(path, {}), 'is not active')
    await api.callInternal('delete', `/users/${id}`)
    expectSignInPage(await visitorOf(api).get(path), 'is not active')
  })
})

describe('a person without a password', () => {
  const enter = async (options: { confirmedMsAgo?: number } = {}) => {
    const tenant = await api.makeTenant()
    const person = await makeSignedIn(api, tenant, { ...options, withoutPassword: true })
    return visitorOf(api, person)
  }

  test.each(['/security', '/security/password', '/security/authenticator', '/confirm'])(
    'is not asked for a password at %s',
    async (path) => {
      for (const visitor of [await enter(), await enter({ confirmedMsAgo: 3_600_000 })]) {
        const page = await visitor.get(path)
        expect(page.text).not.toMatch(/type="password"|name="totp_code"|Change password<\/a>/)
      }
    },
  )

  test('sees where to confirm', async () => {
    const { text } = await (await enter({ confirmedMsAgo: 3_600_000 })).get('/confirm')
    expect(text).toContain('Go back to where you signed in')
  })

  test('a person with a password is asked for it', async () => {
    const person = await makeSignedIn(api, await api.makeTenant(), { confirmedMsAgo: 3_600_000 })
    expect((await visitorOf(api, person).get('/confirm')).text).toContain('type="password"')
  })
})

describeInBrowser('a sign-in link in a browser', () => {
  const browser = useBrowser()
  const url = (of: TestApi, path: string) => of.url + path

  test('the script submits the form automatically', async () => {
    const { id } = await makeAna()
    const page = await openPage(await browser.open())
    await page.goto(url(api, await createLink(id, { return_to: '/security' })))
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
    expect(page.complaints).toEqual([])
  })

  test('the link works without scripts', async () => {
    const { id } = await makeAna()
    const page = await openPage(await browser.open({ javaScriptEnabled: false }))
    await page.goto(url(api, await createLink(id, { return_to: '/security' })))
    await page.getByRole('button', { name: 'Continue as Ana' }).click()
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
  })

  test('an open session of another person is not replaced without asking', async () => {
    const { id } = await makeAna()
    const ben = await makeSignedIn(api, await api.makeTenant(), { name: 'Ben' })
    const context = await browser.open()
    await holdCookie({ api }, context, ben.cookie)
    const page = await openPage(context)
    await page.goto(url(api, await createLink(id, { return_to: '/security' })))
    await page.getByText('You are signed in as Ben').waitFor()
    await page.getByRole('link', { name: 'Stay signed in as Ben' }).click()
    await page.locator('.me-name', { hasText: 'Ben' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Continue as Ana' }).click()
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
    await page.locator('.me-name', { hasText: 'Ana' }).waitFor({ state: 'attached' })
  })
})
