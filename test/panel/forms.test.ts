import { describe, expect, test } from '@jest/globals'
import request, { type Response } from 'supertest'
import { useApi } from '../support/api.ts'
import { makeSession, makeSignedIn } from '../support/session.ts'
import { startLogin } from './panel-stack.ts'
import { headingOf, visitorOf } from './visitor.ts'
import { enterPanel } from './enter.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32', PUBLIC_URL: 'http://panel.test' })

/** A signed-in administrator with a browser. */
const enter = (options?: Parameters<typeof enterPanel>[1]) => enterPanel(api, options)

describe('forms', () => {
  const newKey = { do: 'create', name: 'A key', scopes: '*:read', lifetime: '30' }

  const forged: readonly (readonly [
    name: string,
    fields: Record<string, string>,
    headers: Record<string, string>,
  ])[] = [
    ['without a token', { csrf_token: '' }, {}],
    ['with a wrong token', { csrf_token: 'x'.repeat(43) }, {}],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['from a sister site', {}, { 'sec-fetch-site': 'same-site' }],
    ['from a foreign origin', {}, { origin: 'https://evil.example' }],
  ]

  test.each(forged)('403 with a page and no change %s', async (_name, fields, headers) => {
    const { tenant, visitor } = await enter()
    const response = await visitor.post('/keys/new', { ...newKey, ...fields }, headers)
    expect({ status: response.status, title: headingOf(response) }).toEqual({
      status: 403,
      title: 'Form expired',
    })
    expect(await api.database.prisma.apiKey.count({ where: { tenantId: tenant.id } })).toBe(0)
  })

  test('403 for the CSRF token of another session', async () => {
    const [{ visitor }, other] = [await enter(), await enter()]
    const fields = { ...newKey, csrf_token: other.person.csrfToken }
    expect(await visitor.post('/keys/new', fields)).toMatchObject({ status: 403 })
  })

  test('403 for a cross-site sign-in', async () => {
    const fields = { do: 'sign-in', email: 'a@example.test', password: 'x' }
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect(await visitorOf(api).post('/sign-in', fields, headers)).toMatchObject({ status: 403 })
  })

  test('404 for an unknown action', async () => {
    const { visitor } = await enter()
    for (const action of ['nothing', 'constructor', '__proto__', '']) {
      expect(await visitor.post('/keys/new', { do: action })).toMatchObject({ status: 404 })
    }
  })

  test('a rejected form keeps its values and shows each error next to its field', async () => {
    const { visitor } = await enter()
    const { text } = await visitor.submit('/keys/new', {
      ...newKey,
      name: '',
      ip_allowlist: '203.0.113.7',
      rate_limit_per_minute: '9000',
    })
    expect(text).toContain('role="alert"')
    expect(text).toMatch(/id="field-name"[^>]*aria-invalid="true"[^>]*field-name-error/)
    const link = '<a href="#field-rate_limit_per_minute">Requests per minute</a>'
    expect(text).toContain(`${link} must be at most 600.`)
    const [, error] = text.split('id="field-rate_limit_per_minute-error"')
    expect(error).toContain('Requests per minute must be at most 600.')
    expect(text).toContain('>203.0.113.7</textarea>')
    expect(text).toMatch(/value="\*:read" checked/)
  })

  test('an endpoint with an empty URL is not saved', async () => {
    const { visitor } = await enter()
    const fields = { do: 'create', url: 'https://hooks.example.com/in', events: '*' }
    const { headers } = await visitor.post('/webhooks/new', fields)
    const [shown] = /\/webhooks\/[0-9a-f-]{36}/.exec(headers['location']!)!
    const path = `${shown}/edit`
    const { text } = await visitor.submit(path, { ...fields, do: 'save', url: '' })
    expect(text).toMatch(/id="field-url"[^>]*aria-invalid="true"/)
  })

  test('an unknown time range in the URL of an endpoint shows one day', async () => {
    const { visitor } = await enter()
    const fields = { do: 'create', url: 'https://hooks.example.com/in', events: '*' }
    const { headers } = await visitor.post('/webhooks/new', fields)
    const [path] = /\/webhooks\/[0-9a-f-]{36}/.exec(headers['location']!)!
    const { status, text } = await visitor.get(`${path}?window=nonsense`)
    expect(status).toBe(200)
    expect(text).toContain('aria-label="Copy URL"')
  })

  test('an error in a list names the entry', async () => {
    const { visitor } = await enter()
    const fields = { ...newKey, ip_allowlist: '203.0.113.7\nnonsense' }
    const { text } = await visitor.submit('/keys/new', fields)
    expect(text).toContain('“nonsense”')
    expect(text).not.toContain('“203.0.113.7”')
  })

  test('a notice is shown once, on the next page', async () => {
    const { visitor, tenant, person } = await enter()
    const { key } = await makeKey(visitor)
    const first = await visitor.submit(`/keys/${key}/revoke`, { do: 'revoke' })
    expect(first.text).toContain('Key revoked. Its next request will be rejected.')
    expect((await visitor.get(`/keys/${key}`)).text).not.toContain(
      'Its next request will be rejected.',
    )
    const [event] = await api.database.prisma.auditEvent.findMany({
      where: { tenantId: tenant.id, action: 'api_key.revoke' },
    })
    expect(event).toMatchObject({ actorId: person.userId, outcome: 'success', targetId: key })
  })

  async function makeKey(visitor: ReturnType<typeof visitorOf>) {
    const page = await visitor.submit('/keys/new', newKey)
    const token = /<output[^>]*>([^<]+)<\/output>/.exec(page.text)![1]!
    return { key: token.split('_')[1]!, token }
  }

  test('a token is shown once and to nobody else, and the key has the source `panel`', async () => {
    const { visitor } = await enter()
    const { key, token } = await makeKey(visitor)
    expect(
      await api.call('get', `/api-keys/${key}`, { token: (await admin()).token }),
    ).toMatchObject({ status: 404 })
    const again = await visitor.get(`/keys/${key}/token`)
    expect(again.text).not.toContain(token)
    expect(again.text).toContain('The token is no longer available')
    const { body } = await api.call('get', `/auth/me`, { token })
    expect(body.key).toMatchObject({ id: key, source: 'panel', scopes: ['*:read'] })
  })

  const admin = async () => (await api.makeTenant()).makeKey()
})

describe('sessions', () => {
  test('an ended session is redirected to sign-in with its next request', async () => {
    const { visitor, person } = await enter()
    const elsewhere = await makeSession(api, person.userId)
    const list = await visitor.get('/security')
    expect(list.text).toContain('Current')
    expect(list.text).toContain(`/security/sessions/${elsewhere.id}/end`)
    await visitor.submit('/security', { do: 'end', id: elsewhere.id })
    expect(await visitorOf(api, elsewhere).get('/')).toMatchObject({ status: 303 })
    expect(await visitor.get('/')).toMatchObject({ status: 200 })
  })

  test('all other sessions can be ended; the current one stays', async () => {
    const { visitor, person } = await enter()
    const others = [await makeSession(api, person.userId), await makeSession(api, person.userId)]
    // More than one request ends.
    await api.database.pool.query(
      `INSERT INTO panel_sessions SELECT (r).* FROM (
         SELECT jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid())) AS r
         FROM panel_sessions s, generate_series(1, 1200) WHERE s.id = $1) AS copies`,
      [others[0]!.id],
    )
    expect((await visitor.get('/security/sessions/end')).text).toMatch(/<dd>(99|100)\+/)
    await visitor.submit('/security', { do: 'end-others' })
    const { rows } = await api.database.pool.query(
      'SELECT id FROM panel_sessions WHERE user_id = $1 AND revoked_at IS NULL',
      [person.userId],
    )
    expect(rows).toEqual([{ id: person.sessionId }])
    const where = { action: 'session.revoke', actorId: person.userId, targetType: 'session' }
    expect(await api.database.prisma.auditEvent.count({ where })).toBe(1_202)
    for (const other of others) {
      expect(await visitorOf(api, other).get('/')).toMatchObject({ status: 303 })
    }
    expect(await visitor.get('/security')).toMatchObject({ status: 200 })
  })

  test("another person's session is not found, and stays", async () => {
    const [{ visitor }, other] = [await enter(), await enter()]
    const fields = { do: 'end', id: other.person.sessionId }
    expect((await visitor.submit('/security', fields)).text).toContain('Not found')
    expect(await other.visitor.get('/')).toMatchObject({ status: 200 })
  })
})

describe('flash secrets', () => {
  test('are encrypted, and cannot be opened for another session or page', async () => {
    const { visitor, tenant } = await enter()
    const made = await visitor.post('/keys/new', { do: 'create', name: 'Key', scopes: '*' })
    const cookie = (made.headers['set-cookie'] as unknown as string[]).find((text) =>
      text.startsWith('handover='),
    )!
    const path = made.headers['location']!
    expect(cookie).toContain(`Path=${path};`)
    expect(cookie).toMatch(/Max-Age=60; HttpOnly; SameSite=Lax/)
    expect(cookie).not.toContain('hctl_')
    const colleague = await makeSignedIn(api, tenant)
    const stolen = { cookie: `${colleague.cookie}; ${cookie.split(';')[0]}` }
    const seen = await request(api.url).get(path).set(stolen)
    expect(seen.status).toBe(200)
    expect(seen.text).not.toMatch(/hctl_\w{12}_/)
  })
})

describe('names given by people and programs', () => {
  const evil = `<script>alert("1")</script>&'`

  test('are escaped on every page', async () => {
    const { visitor } = await enter({ name: evil })
    const shown = await visitor.submit('/keys/new', { do: 'create', name: evil, scopes: '*' })
    const pages = [shown, await visitor.get('/keys'), await visitor.get('/audit')]
    for (const { text } of pages) {
      expect(text).not.toContain('<script>alert')
      expect(text).toContain('&lt;script')
    }
  })

  test('do not change the direction of the surrounding text', async () => {
    const { visitor } = await enter()
    const name = 'שלום key'
    await visitor.submit('/keys/new', { do: 'create', name, scopes: '*' })
    expect((await visitor.get('/keys')).text).toContain(`<bdi>${name}</bdi>`)
  })

  test('of programs are escaped and marked as not verified', async () => {
    const { visitor } = await enter()
    const { user_code } = await startLogin(api, '<b>laptop</b> & "co"')
    const { text } = await visitor.submit('/device', { do: 'review', user_code })
    expect(text).toContain('<bdi>&lt;b>laptop&lt;/b> &amp; &quot;co&quot;</bdi>')
    expect(text).toContain('Not verified')
  })

  test.each(['laptop\u202E', 'a\u0000b', 'two\nlines'])(
    'of programs are rejected if invisible or multi-line: %j',
    async (name) => {
      await expect(startLogin(api, name)).rejects.toThrow('validation_failed')
    },
  )
})

describe('creating and widening keys', () => {
  const form = { do: 'create', name: 'A key', scopes: '*:read', lifetime: '30', kind: 'personal' }
  const stale = { confirmedMsAgo: 301_000 }
  const toConfirm = { status: 303, to: '/confirm?next=%2Fkeys%2Fnew' }
  const responseOf = ({ status, headers }: Response) => ({ status, to: headers['location'] })

  const confirm = ({ sessionId }: { sessionId: string }): Promise<unknown> =>
    api.database.pool.query('UPDATE panel_sessions SET confirmed_at = now() WHERE id = $1', [
      sessionId,
    ])

  test('asks for confirmation before showing the form', async () => {
    const { visitor, person } = await enter(stale)
    expect(responseOf(await visitor.get('/keys/new'))).toEqual(toConfirm)
    await confirm(person)
    expect(headingOf(await visitor.get('/keys/new'))).toBe('Create API key')
  })

  test('saves a form that was open too long, for its session and once', async () => {
    const { visitor, person, tenant } = await enter(stale)
    const ip_allowlist = '203.0.113.7'
    expect(responseOf(await visitor.post('/keys/new', { ...form, ip_allowlist }))).toEqual(
      toConfirm,
    )
    expect(await api.database.prisma.apiKey.count({ where: { tenantId: tenant.id } })).toBe(0)
    await confirm(person)
    const kept = await visitor.get('/keys/new')
    expect(kept.status).toBe(200)
    expect(kept.text).toContain('Submit the form again')
    expect(kept.text).toContain('value="A key"')
    expect(kept.text).toContain('>203.0.113.7</textarea>')
    expect(kept.text).toMatch(/value="\*:read" checked/)
    expect(kept.text).not.toContain('role="alert"')
    expect((await visitor.get('/keys/new')).text).not.toContain('value="A key"')
    expect(headingOf(await visitor.submit('/keys/new', form))).toBe('New token')
  })

  test('asks for confirmation when a key is widened, but not when it is renamed', async () => {
    const { visitor, person } = await enter()
    const shown = await visitor.submit('/keys/new', form)
    const keyId = /\/keys\/([a-z2-7]{12})/.exec(shown.text)![1]!
    await api.database.pool.query(
      `UPDATE panel_sessions SET confirmed_at = now() - interval '6 minutes' WHERE id = $1`,
      [person.sessionId],
    )
    const save = { do: 'save', name: 'Renamed', scopes: '*:read' }
    expect(responseOf(await visitor.post(`/keys/${keyId}/edit`, save))).toEqual({
      status: 303,
      to: `/keys/${keyId}`,
    })
    expect(responseOf(await visitor.post(`/keys/${keyId}/edit`, { ...save, scopes: '*' }))).toEqual(
      {
        status: 303,
        to: `/confirm?next=${encodeURIComponent(`/keys/${keyId}/edit`)}`,
      },
    )
    await confirm(person)
    expect((await visitor.get(`/keys/${keyId}/edit`)).text).toMatch(/value="\*" checked/)
  })
})
