import { describe, expect, test } from '@jest/globals'
import { ApiProblem, createInternalClient, type InternalClient } from '@hosting/platform-sdk'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../test/support/api.ts'
import { serviceToken } from '../../../test/support/environment.ts'
import { siteData } from '../../../test/support/events.ts'
import { errorOf, hangUp, json, problem, useServer } from '../../sdk/test/support/server.ts'

const api = useApi()
const server = useServer()

const connect = (baseUrl = api.internalUrl, token = serviceToken) =>
  createInternalClient({ baseUrl, token })

test('creates a record of the directory and deletes it', async () => {
  const id = randomUUID()
  const params = { path: { id } }
  const { tenant } = await connect().PUT('/tenants/{id}', {
    params,
    body: { slug: `t-${id}`, name: 'Acme' },
  })
  expect(tenant).toMatchObject({ id, name: 'Acme', edition: 'standard' })
  expect(await connect().DELETE('/tenants/{id}', { params })).toBeUndefined()
})

test('authorizes a request, and throws the problem of a refusal', async () => {
  const { token, userId } = await (await api.makeTenant()).makeKey()
  const body = { ip: '203.0.113.7', method: 'GET', permission: 'sites.read' } as const
  const caller = await connect().POST('/authorize', {
    body: { ...body, authorization: `Bearer ${token}` },
  })
  expect(caller.user.id).toBe(userId)
  const refused = await errorOf(
    connect().POST('/authorize', { body: { ...body, authorization: 'Bearer hctl_wrong' } }),
  )
  expect(refused).toBeInstanceOf(ApiProblem)
  expect(refused).toMatchObject({ status: 401, code: 'invalid_api_key' })
})

test('publishes events with given or generated ids', async () => {
  const { id } = await api.makeTenant()
  const event = { type: 'site.created', tenant_id: id, data: siteData }
  const given = randomUUID()
  const published = await connect().publish([event, { ...event, id: given }])
  expect(published).toEqual([
    { id: expect.stringMatching(/^[0-9a-f-]{36}$/), deliveries: 0 },
    { id: given, deliveries: 0 },
  ])
})

test('a retry publishes the same ids', async () => {
  server.responders.push(hangUp, json(202, { items: [] }))
  await connect(server.baseUrl).publish([{ type: 'site.created', tenant_id: 't', data: {} }])
  expect(server.requests).toHaveLength(2)
  const [first, second] = server.requests
  expect(first!.body).toBe(second!.body)
  expect(JSON.parse(first!.body).events[0].id).toMatch(/^[0-9a-f-]{36}$/)
  expect(first!.url).toBe('/internal/v1/events')
})

describe('a call that would do its work twice is sent once', () => {
  const calls: Readonly<Record<string, (client: InternalClient) => Promise<unknown>>> = {
    '/authorize': ({ POST }) =>
      POST('/authorize', {
        body: { authorization: null, ip: '203.0.113.7', method: 'GET', permission: 'sites.read' },
      }),
    '/users/{id}/sign-in-links': ({ POST }) =>
      POST('/users/{id}/sign-in-links', { params: { path: { id: 'u' } }, body: {} }),
  }

  test.each(Object.entries(calls))('POST %s', async (_path, call) => {
    for (const responder of [hangUp, problem(429, 'rate_limited', { 'retry-after': '0' })]) {
      server.responders = [responder, json(200, {})]
      expect(await errorOf(call(connect(server.baseUrl)))).toBeInstanceOf(Error)
      expect(server.requests.splice(0).map(({ headers }) => headers['idempotency-key'])).toEqual([
        undefined,
      ])
    }
  })

  test('every POST of the internal API is one of them, or publishes events', async () => {
    const document = await fetch(`${api.internalUrl}/internal/v1/openapi.json`)
    const { paths } = (await document.json()) as { paths: Readonly<Record<string, object>> }
    const posts = Object.keys(paths).filter((path) => 'post' in paths[path]!)
    expect(posts.toSorted()).toEqual(['/events', ...Object.keys(calls)].toSorted())
  })
})
