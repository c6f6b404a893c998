import { isSessionOnly, publicRoutes, type Route } from '@hosting/api'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi, type TestTenant } from '../../../../test/support/api.ts'
import { callWith, makeSignedIn, type TestSession } from '../../../../test/support/session.ts'
import { invalid, refusalOf } from '../support/refusals.ts'

const api = useApi()
const securely = useApi({ PUBLIC_URL: 'https://panel.example.test' })
const csrfFailed = { status: 403, code: 'csrf_failed' }
const body = { name: 'x', scopes: ['*'] }

let tenant: TestTenant
let ana: TestSession

beforeAll(async () => {
  tenant = await api.makeTenant()
  ana = await makeSignedIn(api, tenant)
})

const routes = publicRoutes as unknown as readonly Route[]
const bySession = routes.filter(({ auth }) => auth !== 'none' && auth !== 'sign_in')

/** A request of the route that its guard sees; nothing of it need exist. */
const requestOf = ({ method, path }: Route) => {
  const verb = method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete'
  const place = path
    .replace(/:id(?=\/|$)/, path.startsWith('/api-keys') ? 'a'.repeat(12) : randomUUID())
    .replace(/:\w+/g, randomUUID())
  return [verb, place] as const
}

const named = (of: readonly Route[]) => of.map((route) => [route.operationId, route] as const)

describe('all routes that accept sessions', () => {
  test.each(named(bySession))('%s: 401 without credentials', async (_name, route) => {
    const [verb, path] = requestOf(route)
    const response = await api.call(verb, path, { body: undefined })
    expect(refusalOf(response)).toEqual({ status: 401, code: 'authentication_required' })
  })

  test.each(named(bySession.filter(({ method }) => method !== 'GET')))(
    '%s: 403 csrf_failed without the CSRF token, before any other check',
    async (_name, route) => {
      const [verb, path] = requestOf(route)
      const response = await api.call(verb, path, {
        headers: { cookie: ana.cookie, 'idempotency-key': 'é' },
      })
      expect(refusalOf(response)).toEqual(csrfFailed)
    },
  )

  test.each(named(bySession.filter(({ confirmed }) => confirmed)))(
    '%s: 403 reauthentication_required if the confirmation is too old, before the body is read',
    async (_name, route) => {
      const stale = await makeSignedIn(api, tenant, { confirmedMsAgo: 301_000 })
      const [verb, path] = requestOf(route)
      const response = await callWith(api, stale)(verb, path)
      expect(refusalOf(response)).toEqual({ status: 403, code: 'reauthentication_required' })
    },
  )

  test.each(named(bySession.filter((route) => isSessionOnly(route))))(
    '%s: 403 api_key_not_allowed with a key that has every scope, whatever the cookies',
    async (_name, route) => {
      const { token } = await tenant.makeKey()
      const [verb, path] = requestOf(route)
      const headers = { cookie: ana.cookie, 'x-csrf-token': ana.csrfToken }
      const response = await api.call(verb, path, { token, headers })
      expect(refusalOf(response)).toEqual({ status: 403, code: 'api_key_not_allowed' })
    },
  )
})

// docs/specification/sign-in.md#confirmation
test('the listed operations require a confirmation', () => {
  const confirmed = routes.filter((route) => route.confirmed).map(({ operationId }) => operationId)
  expect(confirmed.filter((operationId) => !operationId.startsWith('auth.device'))).toEqual([
    'auth.password',
    'auth.totp.enrol',
    'auth.totp.verify',
    'auth.totp.remove',
    'auth.passkeys.options',
    'auth.passkeys.create',
    'auth.passkeys.remove',
    'auth.impersonation.start',
    'tenant.put-key-policy',
    'tenant.put-security-policy',
    'api-keys.create',
    'api-keys.rotate',
    'webhooks.rotate-secret',
  ])
})

describe('CSRF check', () => {
  const own = () => api.url
  const matrix: readonly (readonly [string, () => Record<string, string>, number])[] = [
    ['no source, as of a program', () => ({}), 201],
    ['Sec-Fetch-Site: same-origin', () => ({ 'sec-fetch-site': 'same-origin' }), 201],
    ['the own Origin', () => ({ origin: own() }), 201],
    [
      'an Origin that a page hides, and Sec-Fetch-Site: same-origin',
      () => ({ origin: 'null', 'sec-fetch-site': 'same-origin' }),
      201,
    ],
    ['Sec-Fetch-Site: same-site', () => ({ 'sec-fetch-site': 'same-site' }), 403],
    ['Sec-Fetch-Site: cross-site', () => ({ 'sec-fetch-site': 'cross-site' }), 403],
    ['Sec-Fetch-Site: none', () => ({ 'sec-fetch-site': 'none' }), 403],
    ['a foreign Origin', () => ({ origin: 'https://evil.example' }), 403],
    [
      'a foreign Origin, whatever Sec-Fetch-Site says',
      () => ({ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }),
      403,
    ],
    ['another scheme', () => ({ origin: own().replace('http:', 'https:') }), 403],
    ['another port', () => ({ origin: 'http://127.0.0.1:1' }), 403],
    ['only a null Origin', () => ({ origin: 'null' }), 403],
    ['the token of another session', () => ({ 'x-csrf-token': 'a'.repeat(43) }), 403],
    ['an empty token', () => ({ 'x-csrf-token': '' }), 403],
  ]

  test.each(matrix)('%s', async (_what, headers, expected) => {
    const response = await callWith(api, ana)('post', '/api-keys', { body, headers: headers() })
    const { status, code } = refusalOf(response)
    expect({ status, code }).toEqual(expected === 403 ? csrfFailed : { status: expected })
  })

  test('if PUBLIC_URL is set, its origin is the only accepted Origin', async () => {
    const cookie = `__Host-${ana.cookie}`
    const send = (origin: string) =>
      callWith(securely, { ...ana, cookie })('post', '/api-keys', { body, headers: { origin } })
    expect((await send('https://panel.example.test')).status).toBe(201)
    expect(refusalOf(await send(securely.url))).toEqual(csrfFailed)
    expect(refusalOf(await send('https://panel.example.test.evil.example'))).toEqual(csrfFailed)
  })

  test('a read needs no CSRF token, even from another site', async () => {
    const headers = { cookie: ana.cookie, 'sec-fetch-site': 'cross-site' }
    expect((await api.call('get', '/api-keys', { headers })).status).toBe(200)
  })
})

describe('sessions on key routes', () => {
  test('the role decides; scopes and rate limits do not apply', async () => {
    const customer = await makeSignedIn(api, tenant, {
      roles: ['customer'],
      accounts: [await tenant.makeAccount()],
    })
    const call = callWith(api, customer)
    const made = await call('post', '/api-keys', { body })
    expect(made.status).toBe(201)
    expect(made.body.key).toMatchObject({ source: 'panel', scopes: ['*'], expires_at: null })
    expect(made.headers['ratelimit']).toBeUndefined()
    expect(refusalOf(await call('get', '/webhooks'))).toEqual({
      status: 403,
      code: 'permission_denied',
    })
    const { id } = made.body.key
    const rotated = await call('post', `/api-keys/${id}/rotate`)
    expect(rotated.status).toBe(200)
    const me = await api.call('get', '/auth/me', { token: rotated.body.token })
    expect(me.body.user.id).toBe(customer.userId)
    expect((await call('delete', `/api-keys/${id}`)).status).toBe(204)
  })

  test('Idempotency-Keys belong to the user across sessions; a refusal by an access check is not stored', async () => {
    const [ben, cay] = [await makeSignedIn(api, tenant), await makeSignedIn(api, tenant)]
    const headers = { 'idempotency-key': 'once' }
    const forged = await callWith(api, { ...ben, csrfToken: 'no' })('post', '/api-keys', {
      body,
      headers,
    })
    expect(refusalOf(forged)).toEqual(csrfFailed)
    const made = await callWith(api, ben)('post', '/api-keys', { body, headers })
    expect(made.status).toBe(201)
    const again = await callWith(api, ben)('post', '/api-keys', { body, headers })
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.body).toEqual({ ...made.body, token: null })
    const others = await callWith(api, cay)('post', '/api-keys', { body, headers })
    expect(others.headers['idempotency-replayed']).toBeUndefined()
    expect(others.body.key.id).not.toBe(made.body.key.id)
  })

  test('an invalid Idempotency-Key is 422, as with a key', async () => {
    const headers = { 'idempotency-key': 'clé' }
    const response = await callWith(api, ana)('post', '/api-keys', { body, headers })
    expect(refusalOf(response)).toEqual(invalid('/Idempotency-Key'))
  })

  test('the audit log names the person and no key', async () => {
    const ben = await makeSignedIn(api, tenant)
    const call = callWith(api, ben)
    const made = await call('post', '/api-keys', { body })
    const log = await call('get', `/audit-log?actor_id=${ben.userId}`)
    expect(log.body.items).toMatchObject([
      {
        action: 'api_key.create',
        actor: { type: 'user', id: ben.userId, name: 'Ana', key_id: null },
        target: { type: 'api_key', id: made.body.key.id },
      },
    ])
  })
})
