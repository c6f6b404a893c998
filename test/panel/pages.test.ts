import { createUuidv7 } from '@hosting/core'
import { addKeyUsage } from '@hosting/postgres'
import { describe, expect, test } from '@jest/globals'
import request, { type Response } from 'supertest'
import { useApi } from '../support/api.ts'
import { makeSession, makeSignedIn } from '../support/session.ts'
import { startLogin } from './panel-stack.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32', PUBLIC_URL: 'http://panel.test' })

/** A signed-in administrator with a browser. */
async function enter(options: Parameters<typeof makeSignedIn>[2] = {}) {
  const tenant = await api.makeTenant()
  const person = await makeSignedIn(api, tenant, options)
  return { tenant, person, visitor: visitorOf(api, person) }
}

const id = createUuidv7()

/** A path of every page for signed-in people. */
const paths = [
  '/',
  '/sign-out',
  '/confirm',
  '/device',
  '/device/review',
  '/keys',
  '/keys/new',
  '/keys/abcdefghijkl',
  '/keys/abcdefghijkl/edit',
  '/keys/abcdefghijkl/token',
  '/keys/abcdefghijkl/rotate',
  '/keys/abcdefghijkl/revoke',
  '/webhooks',
  '/webhooks/new',
  `/webhooks/${id}`,
  `/webhooks/${id}/edit`,
  `/webhooks/${id}/secret`,
  `/webhooks/${id}/rotate`,
  `/webhooks/${id}/delete`,
  `/webhooks/${id}/recover`,
  `/webhooks/${id}/recoveries/${id}`,
  '/deliveries',
  `/deliveries/${id}`,
  '/audit',
  '/security',
  '/security/password',
  '/security/authenticator',
  '/security/authenticator/remove',
  '/security/recovery-codes',
]

const headingOf = ({ text }: Response): string | undefined => /<h1>([^<]*)<\/h1>/.exec(text)?.[1]

describe('signed out', () => {
  test('every page redirects to sign-in and returns afterwards', async () => {
    const visitor = visitorOf(api)
    for (const path of paths) {
      const { status, headers } = await visitor.get(path)
      const to = `/sign-in?${new URLSearchParams({ next: path })}`
      expect({ path, status, to: headers['location'] }).toEqual({ path, status: 303, to })
    }
  })

  test('/device gives the same response for valid and invalid codes', async () => {
    const { user_code } = await startLogin(api)
    const visitor = visitorOf(api)
    const answers = await Promise.all(
      [user_code, 'BCDF-GHJK', '<b>'].map(async (code) => {
        const { status, headers, text } = await visitor.get(
          `/device?user_code=${encodeURIComponent(code)}`,
        )
        const to = headers['location']!.replace(encodeURIComponent(encodeURIComponent(code)), '')
        return { status, to, text }
      }),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    const led = await visitor.get(`/device?user_code=${user_code}`)
    const signIn = await visitor.get(led.headers['location']!)
    expect(signIn.text).toContain(`value="/device?user_code=${user_code}"`)
  })

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    '/sign-out',
    '/confirm',
    '/api/v1/auth/me',
    '/docs',
    '/nothing',
    'javascript:alert(1)',
  ])('the return path %j becomes the overview', async (next) => {
    const { text } = await visitorOf(api).get(`/sign-in?${new URLSearchParams({ next })}`)
    expect(text).toContain('name="next" value="/"')
  })

  test('an API key does not sign in to a page', async () => {
    const { token } = await (await api.makeTenant()).makeKey()
    const { status } = await visitorOf(api).get('/keys', { authorization: `Bearer ${token}` })
    expect(status).toBe(303)
  })
})

describe('every page', () => {
  test('allows only its own script and forbids framing, caching and referrers', async () => {
    const { visitor } = await enter()
    const nonces = new Set<string>()
    for (const path of ['/', '/keys', '/device', '/security', '/nothing', '/sign-in']) {
      const { headers, text } = await visitor.get(path)
      const policy = String(headers['content-security-policy'])
      const nonce = /script-src 'nonce-([\w+/=]{22,})'/.exec(policy)?.[1]
      expect(policy).toBe(
        [
          "default-src 'none'",
          `script-src 'nonce-${nonce}'`,
          "style-src 'self'",
          "img-src 'self'",
          "connect-src 'self'",
          "form-action 'self'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
          "require-trusted-types-for 'script'",
          "trusted-types 'none'",
        ].join('; '),
      )
      nonces.add(nonce!)
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'content-type': 'text/html; charset=utf-8',
      })
      expect(text.match(/<script/g)).toHaveLength(1)
      expect(text).toContain(`nonce="${nonce}"`)
      expect(text).not.toMatch(/\son\w+="|\sstyle="|https?:\/\/(?!www\.w3\.org)/i)
      expect(text.match(/<h1>/g)).toHaveLength(1)
    }
    expect(nonces.size).toBe(6)
  })

  test('its assets are cacheable forever under their hash, and 404 under any other', async () => {
    const { text } = await visitorOf(api).get('/sign-in')
    const assets = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!)
    expect(assets).toHaveLength(3)
    for (const asset of assets) {
      const { status, headers } = await request(api.url).get(asset)
      expect(status).toBe(200)
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
      const other = asset.replace(/[0-9a-f]{16}/, '0'.repeat(16))
      expect((await request(api.url).get(other)).status).toBe(404)
    }
  })

  test('404 is a page for browsers and a problem document for programs', async () => {
    const { visitor } = await enter()
    const page = await visitor.get('/nothing')
    expect({ status: page.status, title: headingOf(page) }).toEqual({
      status: 404,
      title: 'Page not found',
    })
    const program = await request(api.url).get('/nothing')
    expect({ status: program.status, code: program.body.code }).toEqual({
      status: 404,
      code: 'not_found',
    })
    const api404 = await visitor.get('/api/v1/nothing')
    expect(api404.headers['content-type']).toBe('application/problem+json')
  })

  test('404 for records of another organization', async () => {
    const { visitor } = await enter()
    const other = await (await api.makeTenant()).makeKey()
    for (const path of [`/keys/${other.id}`, `/deliveries/${id}`, `/webhooks/${id}`]) {
      expect(await visitor.get(path)).toMatchObject({ status: 404 })
    }
  })

  test('405 for an unsupported method', async () => {
    const { visitor } = await enter()
    const { status, headers } = await visitor.post('/audit', {})
    expect({ status, allow: headers['allow'] }).toEqual({ status: 405, allow: 'GET, HEAD' })
  })

  test('413 for an oversized form', async () => {
    const { visitor } = await enter()
    const { status } = await visitor.post('/keys/new', { do: 'create', name: 'x'.repeat(70_000) })
    expect(status).toBe(413)
  })
})

describe('roles', () => {
  test('the navigation shows only permitted pages, and other pages are 403', async () => {
    const { visitor } = await enter({ roles: ['reseller'] })
    const { text } = await visitor.get('/')
    const links = [...text.matchAll(/<li><a href="(\/[^"]*)"/g)].map((match) => match[1])
    expect(links).toEqual(['/', '/keys', '/device', '/security'])
    const forbidden = await visitor.get('/audit')
    expect({ status: forbidden.status, title: headingOf(forbidden) }).toEqual({
      status: 403,
      title: 'Permission denied',
    })
  })

  test('support can read webhooks, but sees no buttons that change them and gets 403 for a form', async () => {
    const { visitor } = await enter({ roles: ['support'] })
    const { status, text } = await visitor.get('/webhooks')
    expect(status).toBe(200)
    expect(text).not.toContain('/webhooks/new')
    const fields = { do: 'create', url: 'https://example.com/', events: '*' }
    expect(await visitor.post('/webhooks/new', fields)).toMatchObject({ status: 403 })
  })
})

describe('the overview', () => {
  test('ranks all keys by use for an administrator, and only their own for others', async () => {
    const tenant = await api.makeTenant()
    const [busy, quiet] = [await tenant.makeKey(), await tenant.makeKey({ roles: ['customer'] })]
    const usage = (
      [
        [busy, 1_234],
        [quiet, 56],
      ] as const
    ).map(([key, requests]) => ({
      keyId: key.id,
      requests,
      date: new Date().toISOString().slice(0, 10),
      lastUsedAt: new Date(),
      lastUsedIp: '203.0.113.7',
    }))
    await addKeyUsage(api.database, usage)
    const seenBy = async (session: Parameters<typeof visitorOf>[1]) => {
      const { text } = await visitorOf(api, session).get('/')
      return [...text.matchAll(/href="\/keys\/([a-z2-7]{12})"/g)].map((match) => match[1])
    }
    expect(await seenBy(await makeSignedIn(api, tenant))).toEqual([busy.id, quiet.id])
    expect(await seenBy(await makeSession(api, quiet.userId))).toEqual([quiet.id])
  })
})

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
    const { status, text } = await visitor.post('/keys/new', {
      ...newKey,
      name: '',
      ip_allowlist: '203.0.113.7',
      rate_limit_per_minute: '9000',
    })
    expect(status).toBe(422)
    expect(text).toContain('role="alert"')
    expect(text).toMatch(/id="field-name"[^>]*aria-invalid="true"[^>]*field-name-fault/)
    expect(text).toMatch(/id="field-rate_limit_per_minute-fault".*Must be at most 600/s)
    expect(text).toContain('>203.0.113.7</textarea>')
    expect(text).toMatch(/value="\*:read" checked/)
  })

  test('an error in a list names the entry', async () => {
    const { visitor } = await enter()
    const fields = { ...newKey, ip_allowlist: '203.0.113.7\nnonsense' }
    const { status, text } = await visitor.post('/keys/new', fields)
    expect(status).toBe(422)
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
    expect(list.text).toContain(`value="${elsewhere.id}"`)
    await visitor.submit('/security', { do: 'end', id: elsewhere.id })
    expect(await visitorOf(api, elsewhere).get('/')).toMatchObject({ status: 303 })
    expect(await visitor.get('/')).toMatchObject({ status: 200 })
  })

  test('all other sessions can be ended; the current one stays', async () => {
    const { visitor, person } = await enter()
    const others = [await makeSession(api, person.userId), await makeSession(api, person.userId)]
    await visitor.submit('/security', { do: 'end-others' })
    for (const other of others) {
      expect(await visitorOf(api, other).get('/')).toMatchObject({ status: 303 })
    }
    expect(await visitor.get('/security')).toMatchObject({ status: 200 })
  })

  test("404 for another person's session", async () => {
    const [{ visitor }, other] = [await enter(), await enter()]
    const fields = { do: 'end', id: other.person.sessionId }
    expect(await visitor.post('/security', fields)).toMatchObject({ status: 404 })
    expect(await other.visitor.get('/')).toMatchObject({ status: 200 })
  })
})

describe('without a secrets store', () => {
  const bare = useApi({ SECRETS_KEYRING: '' })

  test('webhook pages are 503, and the rest works', async () => {
    const person = await makeSignedIn(bare, await bare.makeTenant())
    const visitor = visitorOf(bare, person)
    const webhooks = await visitor.get('/webhooks')
    expect({ status: webhooks.status, title: headingOf(webhooks) }).toEqual({
      status: 503,
      title: 'Webhooks unavailable',
    })
    for (const path of ['/', '/keys', '/security']) {
      expect(await visitor.get(path)).toMatchObject({ status: 200 })
    }
    const enrolment = await visitor.post('/security/authenticator', { do: 'enrol' })
    expect(enrolment.status).toBe(503)
    expect(enrolment.text).toContain('Service unavailable')
  })
})

describe('flash secrets', () => {
  test('are sealed, and useless for another session or page', async () => {
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

  test('are isolated from the direction of the surrounding text', async () => {
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

describe('a device login', () => {
  test('a code in the URL prefills the field and changes nothing', async () => {
    const { visitor } = await enter()
    const { user_code, device_code } = await startLogin(api)
    const { text } = await visitor.get(`/device?user_code=${user_code}`)
    expect(text).toContain(`value="${user_code}"`)
    for (let wrong = 0; wrong < 7; wrong++) await visitor.get('/device?user_code=BCDF-GHJK')
    await visitor.submit('/device', { do: 'review', user_code })
    const poll = await api.call('post', '/auth/device/token', { body: { device_code } })
    expect(poll.body.code).toBe('authorization_pending')
  })

  test('case, spaces and dashes of a code are ignored', async () => {
    const { visitor } = await enter()
    const { user_code } = await startLogin(api)
    const typed = user_code.toLowerCase().replace('-', '').split('').join(' ')
    const { text } = await visitor.submit('/device', { do: 'review', user_code: typed })
    expect(text).toContain(user_code)
  })

  test('422 explains what is wrong with a code and keeps it in the field', async () => {
    const { visitor } = await enter()
    for (const [code, words] of [
      ['', 'Is required'],
      ['ABCD-1234', 'no digits and no vowels'],
      ['BCDF-GHJK', 'Is unknown or has expired'],
    ] as const) {
      const { status, text } = await visitor.post('/device', { do: 'review', user_code: code })
      expect(status).toBe(422)
      expect(text).toContain(words)
      const field = /<input[^>]*id="field-user_code"[^>]*>/.exec(text)![0]
      expect(/ value="([^"]*)"/.exec(field)?.[1] ?? '').toBe(code)
      expect(field).toContain('aria-invalid="true"')
    }
  })

  test('429 after five wrong codes, even for a valid one', async () => {
    const { visitor } = await enter()
    const { user_code } = await startLogin(api)
    for (let wrong = 0; wrong < 5; wrong++) {
      await visitor.post('/device', { do: 'review', user_code: 'BCDF-GHJK' })
    }
    const { status, text } = await visitor.post('/device', { do: 'review', user_code })
    expect(status).toBe(429)
    expect(text).toMatch(/Wait \d+ minutes, then try again/)
  })

  test('a second decision has no effect', async () => {
    for (const [first, second, title, code] of [
      ['approve_full', 'refuse', 'Device authorized', undefined],
      ['refuse', 'approve_read_only', 'Request denied', 'access_denied'],
      ['refuse', 'refuse', 'Request denied', 'access_denied'],
    ] as const) {
      const { visitor } = await enter()
      const { user_code, device_code } = await startLogin(api)
      await visitor.submit('/device', { do: 'review', user_code })
      const done = await visitor.submit('/device/review', { do: first, user_code })
      expect(headingOf(done)).toBe(title)
      const again = await visitor.post('/device/review', { do: second, user_code })
      expect({ status: again.status, title: headingOf(again) }).toEqual({ status: 409, title })
      expect(again.text).toContain('already decided')
      const poll = await api.call('post', '/auth/device/token', { body: { device_code } })
      expect(poll.body.code).toBe(code)
    }
  })

  test('concurrent decisions take effect once', async () => {
    const { visitor, tenant } = await enter()
    const { user_code } = await startLogin(api)
    await visitor.submit('/device', { do: 'review', user_code })
    const answers = await Promise.all(
      ['approve_full', 'approve_full', 'refuse'].map(async (action) => {
        const { status } = await visitor.post('/device/review', { do: action, user_code })
        return status
      }),
    )
    expect(answers.toSorted()).toEqual([303, 409, 409])
    const decisions = await api.database.prisma.auditEvent.count({
      where: { tenantId: tenant.id, action: { in: ['device.approve', 'device.refuse'] } },
    })
    expect(decisions).toBe(1)
  })

  test('each of two tabs decides the request that it shows', async () => {
    const { visitor } = await enter()
    const [one, two] = [await startLogin(api), await startLogin(api)]
    await visitor.submit('/device', { do: 'review', user_code: one.user_code })
    await visitor.submit('/device', { do: 'review', user_code: two.user_code })
    await visitor.submit('/device/review', { do: 'refuse', user_code: one.user_code })
    const codes = await Promise.all(
      [one, two].map(async ({ device_code }) => {
        const { body } = await api.call('post', '/auth/device/token', { body: { device_code } })
        return body.code as string
      }),
    )
    expect(codes).toEqual(['access_denied', 'authorization_pending'])
  })

  test('approving needs a recent confirmation; denying does not', async () => {
    const { visitor } = await enter({ confirmedMsAgo: 301_000 })
    const { user_code } = await startLogin(api)
    await visitor.submit('/device', { do: 'review', user_code })
    const approval = await visitor.post('/device/review', { do: 'approve_full', user_code })
    expect({ status: approval.status, to: approval.headers['location'] }).toEqual({
      status: 303,
      to: '/confirm?next=%2Fdevice%2Freview',
    })
    const refusal = await visitor.submit('/device/review', { do: 'refuse', user_code })
    expect(headingOf(refusal)).toBe('Request denied')
  })
})

describe('creating and widening keys', () => {
  const form = { do: 'create', name: 'A key', scopes: '*:read', lifetime: '30', kind: 'personal' }
  const stale = { confirmedMsAgo: 301_000 }
  const toConfirm = { status: 303, to: '/confirm?next=%2Fkeys%2Fnew' }
  const answerOf = ({ status, headers }: Response) => ({ status, to: headers['location'] })

  const confirm = ({ sessionId }: { sessionId: string }): Promise<unknown> =>
    api.database.pool.query('UPDATE panel_sessions SET confirmed_at = now() WHERE id = $1', [
      sessionId,
    ])

  test('asks for confirmation before showing the form', async () => {
    const { visitor, person } = await enter(stale)
    expect(answerOf(await visitor.get('/keys/new'))).toEqual(toConfirm)
    await confirm(person)
    expect(headingOf(await visitor.get('/keys/new'))).toBe('Create API key')
  })

  test('saves a form that was open too long, for its session and once', async () => {
    const { visitor, person, tenant } = await enter(stale)
    const ip_allowlist = '203.0.113.7'
    expect(answerOf(await visitor.post('/keys/new', { ...form, ip_allowlist }))).toEqual(toConfirm)
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
    expect(answerOf(await visitor.post(`/keys/${keyId}/edit`, save))).toEqual({
      status: 303,
      to: `/keys/${keyId}`,
    })
    expect(answerOf(await visitor.post(`/keys/${keyId}/edit`, { ...save, scopes: '*' }))).toEqual({
      status: 303,
      to: `/confirm?next=${encodeURIComponent(`/keys/${keyId}/edit`)}`,
    })
    await confirm(person)
    expect((await visitor.get(`/keys/${keyId}/edit`)).text).toMatch(/value="\*" checked/)
  })
})

describe('lists', () => {
  test('have pages whose links keep the filters', async () => {
    const { visitor, tenant, person } = await enter()
    await api.database.prisma.auditEvent.createMany({
      data: Array.from({ length: 51 }, () => ({
        id: createUuidv7(),
        tenantId: tenant.id,
        action: 'test.many',
        outcome: 'success',
        actorType: 'user',
        actorId: person.userId,
      })),
    })
    const first = await visitor.get('/audit?action=test.many')
    const older = /href="([^"]+)" rel="next"/.exec(first.text)![1]!.replaceAll('&amp;', '&')
    const second = await visitor.get(older)
    const rowsOf = ({ text }: Response): number => text.split('>test.many</a>').length - 1
    expect([rowsOf(first), rowsOf(second)]).toEqual([50, 1])
    expect(second.text).toContain('href="/audit?action=test.many"')
  })

  test('422 with a page for an invalid filter', async () => {
    const { visitor } = await enter()
    for (const path of ['/keys?status=odd', '/deliveries?cursor=x', '/audit?since=yesterday']) {
      expect(await visitor.get(path)).toMatchObject({ status: 422 })
    }
  })
})
