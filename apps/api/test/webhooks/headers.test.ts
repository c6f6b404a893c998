import { createSecretsStore } from '@hosting/core/secrets-store'
import { customHeadersContext } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { auditOf, makeWebhook, url } from '../support/webhooks.ts'

const api = useApi({ WEBHOOK_ALLOWED_NETWORKS: '' })
const store = createSecretsStore([{ id: 'test', key: Buffer.alloc(32, 7) }])

const create = (token: string, headers: unknown) =>
  api.call('post', '/webhooks', { token, body: { url, events: ['*'], headers } })

const update = (token: string, id: string, body: unknown) =>
  api.call('patch', `/webhooks/${id}`, { token, body })

const show = async (token: string, id: string) =>
  (await api.call('get', `/webhooks/${id}`, { token })).body.webhook

/** The headers that attempts of the endpoint carry. */
async function storedOf(endpointId: string): Promise<unknown> {
  const rows = await api.database.prisma.webhookHeaders.findMany({ where: { endpointId } })
  return rows.map(({ id, encrypted }) =>
    JSON.parse(store.decrypt(encrypted, customHeadersContext(id))),
  )
}

/** Every text of the database that could hold a value. */
async function textsOfDatabase(tenantId: string): Promise<string> {
  const { prisma } = api.database
  const tables = [
    await prisma.webhookEndpoint.findMany({ where: { tenantId } }),
    await prisma.webhookHeaders.findMany(),
    await auditOf(api, tenantId),
    await prisma.idempotencyRecord.findMany(),
  ]
  return JSON.stringify(tables)
}

const value = 'Bearer value-of-a-custom-header'

describe('custom headers', () => {
  test('of a new endpoint are encrypted; the response has only their names, in lower case and sorted', async () => {
    const { token } = await api.makeAdmin()
    const headers = { 'X-Env': 'test', Authorization: value, 'x-B': '!~' }
    const { status, body, text } = await create(token, headers)
    expect(status).toBe(201)
    expect(body.webhook.header_names).toEqual(['authorization', 'x-b', 'x-env'])
    expect(text).not.toContain(value)
    expect(await storedOf(body.webhook.id)).toEqual([headers])
    expect(await show(token, body.webhook.id)).toEqual(body.webhook)
    const list = await api.call('get', '/webhooks', { token })
    expect(list.body.items).toEqual([body.webhook])
    expect(list.text).not.toContain(value)
  })

  test('are replaced as a whole by an update with headers, and kept by one without', async () => {
    const { token } = await api.makeAdmin()
    const { id } = (await create(token, { 'X-A': '1', 'X-B': '2' })).body.webhook
    const replaced = await update(token, id, { headers: { 'X-C': '3' } })
    expect(replaced.body.webhook.header_names).toEqual(['x-c'])
    await update(token, id, { description: 'Second' })
    expect(await storedOf(id)).toEqual([{ 'X-C': '3' }])
    expect((await show(token, id)).header_names).toEqual(['x-c'])
  })

  test.each([[null], [{}]])('are all removed by %j', async (headers) => {
    const { token } = await api.makeAdmin()
    const { id } = (await create(token, { 'X-A': '1' })).body.webhook
    expect((await update(token, id, { headers })).body.webhook.header_names).toEqual([])
    expect(await storedOf(id)).toEqual([])
    expect((await create(token, headers)).body.webhook.header_names).toEqual([])
  })

  test('are erased with their endpoint', async () => {
    const { token } = await api.makeAdmin()
    const { id } = (await create(token, { 'X-A': '1' })).body.webhook
    await api.call('delete', `/webhooks/${id}`, { token })
    expect(await storedOf(id)).toEqual([])
  })

  test('may have the names of built-in object members', async () => {
    const { token } = await api.makeAdmin()
    const headers = { constructor: 'c', tostring: 't' }
    const { body } = await create(token, headers)
    expect(body.webhook.header_names).toEqual(['constructor', 'tostring'])
  })

  test('may number 10, with names of 64 characters and values of 1,000', async () => {
    const { token } = await api.makeAdmin()
    const headers = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`${'x'.repeat(63)}${index}`, '~'.repeat(1_000)]),
    )
    const { status, body } = await create(token, headers)
    expect(status).toBe(201)
    expect(await storedOf(body.webhook.id)).toEqual([headers])
  })

  test('are encrypted in the database, and the audit log contains only their names', async () => {
    const { token, tenant } = await api.makeAdmin()
    const headers = { 'idempotency-key': 'custom-headers' }
    const body = { url, events: ['*'], headers: { 'X-Token': value } }
    const created = await api.call('post', '/webhooks', { token, body, headers })
    const { id } = created.body.webhook
    await update(token, id, { headers: { Authorization: value, 'X-B': '1' } })
    await update(token, id, { headers: null })
    expect(await textsOfDatabase(tenant.id)).not.toContain('value-of-a-custom-header')
    const details = (await auditOf(api, tenant.id)).map((event) => event.details)
    expect(details).toEqual([
      expect.objectContaining({ header_names: ['x-token'] }),
      expect.objectContaining({
        before: { header_names: ['x-token'] },
        after: { header_names: ['authorization', 'x-b'] },
      }),
      expect.objectContaining({
        before: { header_names: ['authorization', 'x-b'] },
        after: { header_names: [] },
      }),
    ])
  })

  test('from concurrent updates are stored as one complete set', async () => {
    const { token } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const sets = Array.from({ length: 6 }, (_, index) => ({ [`x-${index}`]: 'v', 'x-all': 'v' }))
    const responses = await Promise.all(sets.map((headers) => update(token, id, { headers })))
    expect(responses.map(({ status }) => status)).toEqual(sets.map(() => 200))
    const [stored, ...more] = (await storedOf(id)) as object[]
    expect(more).toEqual([])
    expect(sets).toContainEqual(stored)
    expect((await show(token, id)).header_names).toEqual(Object.keys(stored!).toSorted())
  })
})

describe('custom headers that are not allowed', () => {
  test.each<[what: string, headers: unknown, pointers: string[]]>([
    ['a list', [], ['/headers']],
    ['a text', 'X-A: 1', ['/headers']],
    ['a value that is a number', { 'X-A': 1 }, ['/headers/X-A']],
    ['a value of null', { 'X-A': null }, ['/headers/X-A']],
    ['an empty value', { 'X-A': '' }, ['/headers/X-A']],
    ['a value with an outer space', { 'X-A': ' a' }, ['/headers/X-A']],
    ['a value with a tab', { 'X-A': 'a\tb' }, ['/headers/X-A']],
    ['a value with a line break', { 'X-A': 'a\r\nHost: b' }, ['/headers/X-A']],
    ['a value outside ASCII', { 'X-A': 'é' }, ['/headers/X-A']],
    ['a value of 1,001 characters', { 'X-A': 'a'.repeat(1_001) }, ['/headers/X-A']],
    ['an empty name', { '': 'a' }, ['/headers/']],
    ['a name with a slash', { 'a/b': 'a' }, ['/headers/a~1b']],
    ['a name of 65 characters', { ['a'.repeat(65)]: 'a' }, [`/headers/${'a'.repeat(65)}`]],
    ['names that differ in case only', { 'X-A': 'a', 'x-a': 'b' }, ['/headers/x-a']],
    [
      'reserved names',
      { Host: 'a', 'content-md5': 'b', OK: 'c' },
      ['/headers/Host', '/headers/content-md5'],
    ],
    ['a name of Standard Webhooks', { 'Webhook-Id': 'a' }, ['/headers/Webhook-Id']],
    ['a name of the service', { 'service-x': 'a' }, ['/headers/service-x']],
    [
      '11 headers',
      Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`x-${index}`, 'v'])),
      ['/headers'],
    ],
  ])('422 names them, and nothing changes: %s', async (_what, headers, pointers) => {
    const { token, tenant } = await api.makeAdmin()
    expect(refusalOf(await create(token, headers))).toEqual(invalid(...pointers))
    const { id } = (await create(token, { 'X-Old': '1' })).body.webhook
    expect(refusalOf(await update(token, id, { headers }))).toEqual(invalid(...pointers))
    expect(await storedOf(id)).toEqual([{ 'X-Old': '1' }])
    expect(await auditOf(api, tenant.id)).toHaveLength(1)
  })

  test('422 for __proto__, which cannot be sent', async () => {
    const { token } = await api.makeAdmin()
    const body = `{"url":"${url}","events":["*"],"headers":{"__proto__":"p"}}`
    const headers = { 'content-type': 'application/json' }
    const response = await api.call('post', '/webhooks', { token, body, headers })
    expect(refusalOf(response)).toEqual(invalid('/headers/__proto__'))
  })

  test('422 does not quote a value', async () => {
    const { token } = await api.makeAdmin()
    const { text } = await create(token, { Host: value, 'X-A': `${value}\n` })
    expect(text).not.toContain(value)
  })
})
