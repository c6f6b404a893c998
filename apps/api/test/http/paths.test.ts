import { internalBase, internalRoutes, publicBase, publicRoutes, type Route } from '@hosting/api'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { useApi } from '../../../../test/support/api.ts'

const api = useApi()

interface Received {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** Sends a request with exactly this method and target. */
async function send(base: string, method: string, target: string): Promise<Received> {
  const { hostname, port } = new URL(base)
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest({ hostname, port, method, path: target }, resolve).once('error', reject).end()
  })
  return { status: message.statusCode!, headers: message.headers, text: await text(message) }
}

function expectProblem({ status, headers, text: body }: Received, target: string) {
  const isOfOAuth = target === '/api/v1/auth/token'
  expect(headers['content-type']).toBe(`application/${isOfOAuth ? '' : 'problem+'}json`)
  const problem = JSON.parse(body)
  expect(problem).toMatchObject({ status, type: `/problems/${problem.code}` })
  expect(problem.instance).toBe(target.split('?')[0])
  expect(problem.request_id).toBe(headers['x-request-id'])
  expect(headers['cache-control']).toBe('no-store')
  return problem as { code: string; detail: string }
}

describe('unknown paths', () => {
  const targets = [
    '/keys/a/b/c',
    '/favicon.ico',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v1/nothing',
    '/api/v1/auth',
    '/api/v1/auth/me/more',
    '/api/v2/auth/me',
    '/API/V1/auth/me',
    '/api/v1/Auth/Me',
    '/api/v1//auth/me',
    '/api/v1/auth%2Fme',
    '/api/v1/authx/me',
    '/api/v1/webhooks/a/b/c',
    '/api/v1/__proto__',
    '/docs/more',
    '/problems/nothing',
    '/problems/__proto__',
    '/metrics',
    '/nothing?with=a&query=<script>',
    '/<script>alert(1)</script>',
  ]

  test.each(targets)('404 not_found on the public port for %s', async (target) => {
    const received = await send(api.url, 'GET', target)
    expect(received.status).toBe(404)
    expect(expectProblem(received, target).code).toBe('not_found')
  })

  test.each([
    '/',
    '/internal/v1',
    '/internal/v1/nothing',
    '/internal/v2/events',
    '/api/v1/auth/me',
  ])('404 not_found on the internal port for %s', async (target) => {
    const received = await send(api.internalUrl, 'GET', target)
    expect(received.status).toBe(404)
    expect(expectProblem(received, target).code).toBe('not_found')
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    '404 not_found for %s of an unknown path',
    async (method) => {
      expect((await send(api.url, method, '/api/v1/nothing')).status).toBe(404)
    },
  )
})

describe('invalid percent-encoding', () => {
  test.each(['%', '%zz', '%E0%A4%A', '%c0%ae', '%ff'])(
    '404 not_found for %s instead of an id',
    async (part) => {
      const target = `/problems/${part}`
      expect(expectProblem(await send(api.url, 'GET', target), target).code).toBe('not_found')
      const inner = `/internal/v1/tenants/${part}`
      expect(expectProblem(await send(api.internalUrl, 'PUT', inner), inner).code).toBe('not_found')
    },
  )

  test('404 not_found for an invalid encoding in a path without an id', async () => {
    expect((await send(api.url, 'GET', '/api/v1/auth/%zz')).status).toBe(404)
  })
})

describe('unsupported methods', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']
  const tableOf = (base: string, routes: readonly Route<never>[]) =>
    [...Map.groupBy(routes as readonly Route[], ({ path }) => path)].map(
      ([path, ofPath]): [string, string[]] => [
        base + path.replace(/:\w+/g, randomUUID()),
        ofPath.map(({ method }) => method),
      ],
    )
  const allowOf = (allowed: readonly string[]) =>
    allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))

  /** The methods other than these, each with its response. */
  async function sendOthers(base: string, target: string, allowed: readonly string[]) {
    const others = methods.filter((name) => !allowed.includes(name))
    return Promise.all(
      others.map(async (method) => {
        const received = await send(base, method, target)
        const { code, detail } = expectProblem(received, target)
        const allow = received.headers.allow?.split(', ').toSorted()
        return { status: received.status, code, allow, named: detail.includes(method) }
      }),
    )
  }

  /** The response to each. */
  const refusal = (allowed: readonly string[]) => ({
    status: 405,
    code: 'method_not_allowed',
    allow: allowOf(allowed).toSorted(),
    named: true,
  })

  test.each(tableOf(publicBase, publicRoutes))(
    '405 method_not_allowed for %s lists %j in Allow',
    async (target, allowed) => {
      for (const response of await sendOthers(api.url, target, allowed)) {
        expect(response).toEqual(refusal(allowed))
      }
    },
  )

  test.each(tableOf(internalBase, internalRoutes))(
    '405 method_not_allowed for %s lists %j in Allow',
    async (target, allowed) => {
      for (const response of await sendOthers(api.internalUrl, target, allowed)) {
        expect(response).toEqual(refusal(allowed))
      }
    },
  )

  test.each(['/docs', '/problems', '/problems/conflict', '/api/v1/openapi.json'])(
    '405 method_not_allowed for methods of %s other than GET',
    async (target) => {
      for (const response of await sendOthers(api.url, target, ['GET'])) {
        expect(response).toEqual(refusal(['GET']))
      }
    },
  )

  test.each(['/metrics', '/healthz', '/readyz'])(
    '405 method_not_allowed for methods of %s other than GET',
    async (target) => {
      for (const response of await sendOthers(api.internalUrl, target, ['GET'])) {
        expect(response).toEqual(refusal(['GET']))
      }
    },
  )
})

describe('HEAD', () => {
  test.each(['/docs', '/problems/conflict', '/api/v1/openapi.json'])(
    'returns the response of GET %s without the body',
    async (target) => {
      const [head, get] = [await send(api.url, 'HEAD', target), await send(api.url, 'GET', target)]
      expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
    },
  )

  test('requires the same credentials as GET', async () => {
    expect((await send(api.url, 'HEAD', '/api/v1/auth/me')).status).toBe(401)
    const { token } = await (await api.makeTenant()).makeKey({ scopes: ['webhooks:read'] })
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${api.url}/api/v1/webhooks`, { method: 'HEAD', headers })
    expect(response.status).toBe(200)
    const refused = await fetch(`${api.url}/api/v1/webhooks/${randomUUID()}`, {
      method: 'HEAD',
      headers,
    })
    expect(refused.status).toBe(404)
  })
})

test('no response names the web framework', async () => {
  for (const target of ['/docs', '/nothing', '/api/v1/auth/me']) {
    const { headers } = await send(api.url, 'GET', target)
    expect(headers).not.toHaveProperty('x-powered-by')
    expect(headers).not.toHaveProperty('etag')
  }
})
