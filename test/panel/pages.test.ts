import { createUuidv7 } from '@hosting/core/ids'
import { addKeyUses } from '@hosting/postgres/api-keys'
import { describe, expect, test } from '@jest/globals'
import request, { type Response } from 'supertest'
import { useApi } from '../support/api.ts'
import { keyUse } from '../support/key-uses.ts'
import { makeSession, makeSignedIn } from '../support/session.ts'
import { startLogin } from './panel-stack.ts'
import { headingOf, visitorOf } from './visitor.ts'
import { enterPanel } from './enter.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32', PUBLIC_URL: 'http://panel.test' })

/** A signed-in administrator with a browser. */
const enter = (options?: Parameters<typeof enterPanel>[1]) => enterPanel(api, options)

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
  '/organization',
  '/organization/key-policy',
  '/organization/key-policy/violations',
  '/keys/abcdefghijkl',
  '/keys/abcdefghijkl/edit',
  '/keys/abcdefghijkl/history',
  '/keys/abcdefghijkl/token',
  '/keys/abcdefghijkl/rotate',
  '/keys/abcdefghijkl/revoke',
  '/webhooks',
  '/webhooks/new',
  `/webhooks/${id}`,
  `/webhooks/${id}/deliveries`,
  `/webhooks/${id}/history`,
  `/webhooks/${id}/incidents`,
  `/webhooks/${id}/incidents/${id}`,
  `/webhooks/${id}/completeness`,
  `/webhooks/${id}/settings`,
  `/webhooks/${id}/edit`,
  `/webhooks/${id}/secret`,
  `/webhooks/${id}/rotate`,
  `/webhooks/${id}/delete`,
  `/webhooks/${id}/recover`,
  `/webhooks/${id}/recoveries/${id}`,
  '/deliveries',
  `/deliveries/${id}`,
  '/audit',
  '/notices',
  '/security',
  '/security/password',
  '/security/authenticator',
  '/security/authenticator/remove',
  '/security/recovery-codes',
]

describe('signed out', () => {
  test('every page redirects to sign-in and back afterwards', async () => {
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
    const responses = await Promise.all(
      [user_code, 'BCDF-GHJK', '<b>'].map(async (code) => {
        const { status, headers, text } = await visitor.get(
          `/device?user_code=${encodeURIComponent(code)}`,
        )
        const to = headers['location']!.replace(encodeURIComponent(encodeURIComponent(code)), '')
        return { status, to, text }
      }),
    )
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1)
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
  ])('the return path %j is replaced by the overview', async (next) => {
    const { text } = await visitorOf(api).get(`/sign-in?${new URLSearchParams({ next })}`)
    expect(text).toContain('name="next" value="/"')
  })

  test('a page does not accept an API key', async () => {
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
          "font-src 'self'",
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

  test('its assets are cached permanently under their hash, and are 404 under any other', async () => {
    const { text } = await visitorOf(api).get('/sign-in')
    const assets = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!)
    expect(assets).toHaveLength(4)
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
    const { status, headers } = await visitor.post('/search', {})
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
    expect(links).toEqual(['/', '/keys', '/device', '/security', '/docs'])
    const forbidden = await visitor.get('/audit')
    expect({ status: forbidden.status, title: headingOf(forbidden) }).toEqual({
      status: 403,
      title: 'Permission denied',
    })
  })

  test('support can read webhooks, but sees no buttons to change them and gets 403 for a form', async () => {
    const { visitor } = await enter({ roles: ['support'] })
    const { status, text } = await visitor.get('/webhooks')
    expect(status).toBe(200)
    expect(text).not.toContain('/webhooks/new')
    const fields = { do: 'create', url: 'https://example.com/', events: '*' }
    expect(await visitor.post('/webhooks/new', fields)).toMatchObject({ status: 403 })
  })
})

describe('the overview', () => {
  test('ranks all keys by use for administrators, and only their own for others', async () => {
    const tenant = await api.makeTenant()
    const [busy, quiet] = [await tenant.makeKey(), await tenant.makeKey({ roles: ['customer'] })]
    const usage = (
      [
        [busy, 1_234],
        [quiet, 56],
      ] as const
    ).map(([key, requests]) => keyUse(key.id, Date.now(), { requests }))
    await addKeyUses(api.database, usage)
    const seenBy = async (session: Parameters<typeof visitorOf>[1]) => {
      const { text } = await visitorOf(api, session).get('/')
      return [...text.matchAll(/href="\/keys\/([a-z2-7]{12})"/g)].map((match) => match[1])
    }
    expect(await seenBy(await makeSignedIn(api, tenant))).toEqual([busy.id, quiet.id])
    expect(await seenBy(await makeSession(api, quiet.userId))).toEqual([quiet.id])
  })
})

describe('without a secrets store', () => {
  const bare = useApi({ SECRETS_KEYRING: '' })

  test('webhook pages are 503, and all other pages work', async () => {
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
    const enrolment = await visitor.submit('/security/authenticator', { do: 'enrol' })
    expect(enrolment.text).toContain('Service unavailable')
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
    const rowsOf = ({ text }: Response): number => text.split('class="sentence"').length - 1
    expect([rowsOf(first), rowsOf(second)]).toEqual([50, 1])
    expect(second.text).toContain('href="/audit?action=test.many"')
  })

  test('422 with a page for an invalid filter', async () => {
    const { visitor } = await enter()
    for (const path of ['/keys?cursor=x', '/deliveries?cursor=x', '/audit?since=yesterday']) {
      expect(await visitor.get(path)).toMatchObject({ status: 422 })
    }
  })
})
