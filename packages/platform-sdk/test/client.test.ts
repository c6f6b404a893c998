import { expect, test } from '@jest/globals'
import { ApiProblem, createInternalClient } from '@hosting/platform-sdk'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../test/support/api.ts'
import { serviceToken } from '../../../test/support/environment.ts'
import { siteData } from '../../../test/support/events.ts'
import { errorOf, hangUp, json, useServer } from '../../sdk/test/support/server.ts'

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
