import { writeExpiryNotices } from '@hosting/postgres/notices'
import { disableFailingEndpoints } from '@hosting/postgres/webhooks'
import { eventTypes } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { randomUUID } from 'node:crypto'
import { makeSubscriber, type Subscriber } from '../support/delivery-list.ts'
import { buildEvent } from '../support/events.ts'
import { api, begin } from '../support/listeners.ts'
import { recordAttempts } from '../support/recorded-attempts.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { makeWebhook } from '../support/webhooks.ts'

interface Envelope {
  readonly id: string
  readonly type: string
  readonly tenant_id: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The operational events of the log, oldest first. */
async function logOf({ token }: Pick<Subscriber, 'token'>): Promise<Envelope[]> {
  const { body } = await api.call('get', '/events?types=endpoint.*,api_key.*', { token })
  return body.items as Envelope[]
}

const typesOf = (events: readonly Envelope[]) => events.map(({ type }) => type)

async function deliveredTo({ token }: Pick<Subscriber, 'token'>, webhookId: string) {
  const { body } = await api.call('get', `/webhooks/${webhookId}/deliveries`, { token })
  const items = body.items as { event: { id: string; type: string } }[]
  return items.map(({ event }) => event).toReversed()
}

const ajv = new Ajv2020({ strict: true })
const isValid = ({ type, data }: Envelope): boolean =>
  ajv.validate(JSON.parse(JSON.stringify(eventTypes.get(type)!.schema)), data)

describe('events about endpoints', () => {
  test('failing and recovered are made once, and go to every other endpoint that subscribes', async () => {
    const subscriber = await makeSubscriber(api)
    const { token, webhookId, tenant } = subscriber
    const about = { ...subscriber, webhookId: '' }
    const described = { url: 'https://Hooks.Example.com:8443/in?x=1', description: 'CRM "sync"' }
    about.webhookId = (await makeWebhook(api, token, described)).id
    const others = [
      await makeWebhook(api, token, { events: ['endpoint.*'] }),
      await makeWebhook(api, token, { events: ['endpoint.failing', 'site.created'] }),
      await makeWebhook(api, token, { events: ['api_key.*'] }),
    ]
    await recordAttempts(api, about, 'FFFF')
    expect(await logOf(subscriber)).toEqual([])
    await recordAttempts(api, about, 'FF')
    await recordAttempts(api, about, 'F')
    await recordAttempts(api, about, 'SS')
    const events = await logOf(subscriber)
    expect(typesOf(events)).toEqual(['endpoint.failing', 'endpoint.recovered'])
    for (const event of events) {
      expect(event).toMatchObject({
        tenant_id: tenant.id,
        data: {
          object_type: 'webhook',
          object_id: about.webhookId,
          url_host: 'hooks.example.com:8443',
          description: 'CRM "sync"',
          last_error_class: 'http_error',
          last_status_code: 503,
        },
      })
      expect(isValid(event)).toBe(true)
    }
    const both = events.map(({ id, type }) => expect.objectContaining({ id, type }))
    expect(await deliveredTo(subscriber, webhookId)).toEqual(both)
    expect(await deliveredTo(subscriber, others[0]!.id)).toEqual(both)
    expect(await deliveredTo(subscriber, others[1]!.id)).toEqual(both.slice(0, 1))
    expect(await deliveredTo(subscriber, others[2]!.id)).toEqual([])
    expect(await deliveredTo(subscriber, about.webhookId)).toEqual([])
  })

  test('flapping makes no more events than notices', async () => {
    const subscriber = await makeSubscriber(api)
    await recordAttempts(api, subscriber, 'FFFFFSFFFFFSFFFFF')
    await recordAttempts(api, subscriber, 'SFFFFFS')
    const types = typesOf(await logOf(subscriber))
    expect(types.toSorted()).toEqual(['endpoint.failing', 'endpoint.recovered'])
  })

  test('disabled is made when the endpoint is disabled for failing, and not by a person', async () => {
    const subscriber = await makeSubscriber(api)
    const { token, webhookId } = subscriber
    const path = `/webhooks/${webhookId}`
    const other = await makeWebhook(api, token, { events: ['endpoint.disabled'] })
    await api.call('patch', path, { token, body: { disable_after_failing_hours: 1 } })
    await recordAttempts(api, subscriber, 'FFFFF')
    const past = `now() - interval '2 hours'`
    await api.database.pool.query(
      `UPDATE webhook_incidents SET opened_at = ${past} WHERE endpoint_id = $1`,
      [webhookId],
    )
    await api.database.pool.query(
      `UPDATE webhook_endpoint_failures SET first_failure_at = ${past} WHERE endpoint_id = $1`,
      [webhookId],
    )
    await disableFailingEndpoints(api.database)
    const events = await logOf(subscriber)
    expect(typesOf(events)).toEqual(['endpoint.failing', 'endpoint.disabled'])
    expect(isValid(events[1]!)).toBe(true)
    expect(events[1]!.data).toMatchObject({ object_id: webhookId, last_status_code: 503 })
    expect(await deliveredTo(subscriber, other.id)).toMatchObject([{ type: 'endpoint.disabled' }])
    await api.call('patch', path, { token, body: { enabled: true } })
    await api.call('patch', path, { token, body: { enabled: false } })
    expect(await logOf(subscriber)).toHaveLength(2)
  })

  test('a backfill sends no event to the endpoint that it is about, and completeness counts none', async () => {
    const subscriber = await makeSubscriber(api, { events: ['endpoint.*'] })
    const { token, webhookId } = subscriber
    const since = new Date(Date.now() - 60_000).toISOString()
    await recordAttempts(api, subscriber, 'FFFFF')
    const recover = async (id: string) => {
      const body = { since, backfill: true }
      const response = await api.call('post', `/webhooks/${id}/recover`, { token, body })
      return response.body.recovery.total as number
    }
    const late = await makeWebhook(api, token, { events: ['endpoint.*'] })
    expect(await recover(webhookId)).toBe(0)
    expect(await recover(late.id)).toBe(1)
    const path = `/webhooks/${webhookId}/completeness?since=${since}`
    expect((await api.call('get', path, { token })).body).toMatchObject({ events: 0 })
  })
})

describe('events about keys', () => {
  test('created and revoked are made by every creation and revocation, with what keys show', async () => {
    const subscriber = await makeSubscriber(api, { events: ['api_key.*'] })
    const { token, webhookId } = subscriber
    const expires_at = new Date(Date.now() + 864e5).toISOString()
    const body = { name: 'CI "x"', scopes: ['sites:read'], kind: 'organization', expires_at }
    const { key } = (await api.call('post', '/api-keys', { token, body })).body
    await api.call('delete', `/api-keys/${key.id}`, { token })
    await api.call('delete', `/api-keys/${key.id}`, { token })
    const events = await logOf(subscriber)
    expect(typesOf(events)).toEqual(['api_key.created', 'api_key.revoked'])
    for (const event of events) {
      expect(event.data).toEqual({
        object_type: 'api_key',
        object_id: key.id,
        name: 'CI "x"',
        kind: 'organization',
        expires_at,
      })
      expect(isValid(event)).toBe(true)
    }
    expect(await deliveredTo(subscriber, webhookId)).toHaveLength(2)
  })

  test('a refused creation makes none', async () => {
    const subscriber = await makeSubscriber(api)
    const body = { name: 'x', scopes: ['sites:read'], accounts: [randomUUID()] }
    const { token } = subscriber
    expect((await api.call('post', '/api-keys', { token, body })).status).toBe(422)
    expect(await logOf(subscriber)).toEqual([])
  })

  test('expiring is made with its notice, once, whoever writes it', async () => {
    const subscriber = await makeSubscriber(api)
    const { id } = await subscriber.tenant.makeKey({ expiresAt: new Date(Date.now() + 10 * 864e5) })
    await api.database.pool.query(
      'UPDATE key_expiry_notices SET due_at = now() WHERE key_id = $1',
      [id],
    )
    const write = () => writeExpiryNotices(api.database, 100)
    await Promise.all(Array.from({ length: 4 }, write))
    const events = await logOf(subscriber)
    expect(events).toMatchObject([{ type: 'api_key.expiring', data: { object_id: id } }])
    expect(isValid(events[0]!)).toBe(true)
  })
})

test('streams get operational events', async () => {
  const { token } = await makeSubscriber(api)
  const stream = await begin(token)
  await api.call('post', '/api-keys', { token, body: { name: 'x', scopes: ['sites:read'] } })
  expect((await stream.next()).headers['Service-Event']).toBe('api_key.created')
})

test.each([...eventTypes.keys()].filter((type) => /^(endpoint|api_key)\./.test(type)))(
  'publishing %s is 422',
  async (type) => {
    const tenant = await api.makeTenant()
    const event = { ...buildEvent(tenant.id), type, data: eventTypes.get(type)!.example }
    expect(refusalOf(await api.callInternal('post', '/events', event))).toEqual(invalid('/type'))
  },
)
