import { timeOfUuidv7 } from '@hosting/core/ids'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { managesWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { failure, makeAttempts } from '../support/attempts.ts'
import { countEventRows, noEventRows } from '../support/events.ts'
import { expectSince } from '../support/moments.ts'
import { invalid, notFound, refusalOf } from '../support/refusals.ts'
import { auditOf, makeWebhook, url } from '../support/webhooks.ts'

const api = useApi()
const request = { verb: 'post', path: `/webhooks/${randomUUID()}/ping` } as const

testAccess(api, request, managesWebhooks)
testSecretsStore(request)

const ping = (token: string, id: string, headers: Record<string, string> = {}) =>
  api.call('post', `/webhooks/${id}/ping`, { token, headers })

const showDelivery = async (token: string, id: string) =>
  (await api.call('get', `/webhook-deliveries/${id}`, { token })).body.delivery

const enable = (token: string, id: string, enabled: boolean) =>
  api.call('patch', `/webhooks/${id}`, { token, body: { enabled } })

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const disabled = { status: 409, code: 'webhook_disabled' }

describe('POST /webhooks/{id}/ping', () => {
  test('202 returns the queued delivery of a webhook.ping, as later reads show it', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token, { events: ['site.created'] })
    const before = Date.now()
    const { status, body } = await ping(token, id)
    expect(status).toBe(202)
    const { delivery } = body
    const { id: eventId, created_at } = delivery.event
    expect(body).toEqual({
      delivery: {
        id: expect.any(String),
        webhook_id: id,
        event: {
          id: eventId,
          type: 'webhook.ping',
          created_at: isoTime,
          object_type: 'webhook',
          object_id: id,
          account_id: null,
          name: null,
        },
        status: 'queued',
        attempt_count: 0,
        next_attempt_at: isoTime,
        created_at: isoTime,
        completed_at: null,
        redelivery_of: null,
        webhook: { id, url, description: null, deleted: false },
        last_attempt: null,
        attempts: [],
        payload: {
          id: eventId,
          type: 'webhook.ping',
          created_at,
          tenant_id: tenant.id,
          data: { object_type: 'webhook', object_id: id },
        },
      },
    })
    expectSince(created_at, before)
    expectSince(delivery.created_at, before)
    expect(timeOfUuidv7(delivery.id)).toBe(Date.parse(delivery.created_at))
    expect(await showDelivery(token, delivery.id)).toEqual(delivery)
  })

  test.each([[{}], [undefined]])('202 with the body %j', async (body) => {
    const { token } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    expect((await api.call('post', `/webhooks/${id}/ping`, { token, body })).status).toBe(202)
  })

  test('it is sent only to this endpoint, whatever the patterns of others', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token, { events: ['dns.*'] })
    await makeWebhook(api, token, { events: ['*'] })
    const { body } = await ping(token, id)
    const { items } = (await api.call('get', '/webhook-deliveries', { token })).body
    expect(items).toMatchObject([{ id: body.delivery.id, webhook_id: id }])
    expect(await countEventRows(api, tenant.id)).toEqual({
      ...noEventRows,
      events: 1,
      deliveries: 1,
      pending_deliveries: 1,
    })
  })

  test('every ping is a separate event', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const responses = await Promise.all(Array.from({ length: 5 }, () => ping(token, id)))
    expect(new Set(responses.map(({ body }) => body.delivery.id)).size).toBe(5)
    expect(new Set(responses.map(({ body }) => body.delivery.event.id)).size).toBe(5)
    expect(await countEventRows(api, tenant.id)).toMatchObject({ events: 5, deliveries: 5 })
  })

  test('it is retried and listed like any other delivery', async () => {
    const { token } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const { delivery } = (await ping(token, id)).body
    await makeAttempts(api, delivery.id, [failure])
    const path = `/webhooks/${id}/deliveries?event_type=webhook.ping&status=waiting_retry`
    const { items } = (await api.call('get', path, { token })).body
    expect(items).toMatchObject([{ id: delivery.id, attempt_count: 1 }])
  })

  test('the id is case-insensitive, and returned in lower case', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const { status, body } = await ping(token, id.toUpperCase())
    expect(status).toBe(202)
    expect(body.delivery).toMatchObject({ webhook_id: id, payload: { data: { object_id: id } } })
    expect((await auditOf(api, tenant.id)).at(-1)).toMatchObject({ targetId: id })
  })

  test('the audit log shows who sent it', async () => {
    const { token, admin: key, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const response = await ping(token, id)
    expect((await auditOf(api, tenant.id)).slice(1)).toEqual([
      expect.objectContaining({
        action: 'webhook.ping',
        outcome: 'success',
        actorId: key.userId,
        actorKeyId: key.id,
        targetType: 'webhook',
        targetId: id,
        requestId: response.headers['x-request-id'],
        details: {},
      }),
    ])
  })

  test('the endpoint does not change, except for its number of waiting deliveries', async () => {
    const { token } = await api.makeAdmin()
    const webhook = await makeWebhook(api, token)
    await ping(token, webhook.id)
    const { body } = await api.call('get', `/webhooks/${webhook.id}`, { token })
    expect(body.webhook).toEqual({ ...webhook, waiting_deliveries: 1 })
  })
})

describe('POST /webhooks/{id}/ping: Idempotency-Key', () => {
  test('a repetition returns the same delivery and sends nothing', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const headers = { 'idempotency-key': 'once' }
    const first = await ping(token, id, headers)
    const again = await ping(token, id, headers)
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' })
    expect([again.status, again.body]).toEqual([202, first.body])
    expect(await countEventRows(api, tenant.id)).toMatchObject({ events: 1, deliveries: 1 })
    expect(await auditOf(api, tenant.id)).toHaveLength(2)
  })

  test('a repetition returns the refusal even if the endpoint has been enabled since', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token, { enabled: false })
    const headers = { 'idempotency-key': 'once' }
    await ping(token, id, headers)
    await enable(token, id, true)
    expect(refusalOf(await ping(token, id, headers))).toEqual(disabled)
    expect(await countEventRows(api, tenant.id)).toEqual(noEventRows)
    expect((await ping(token, id)).status).toBe(202)
  })
})

describe('POST /webhooks/{id}/ping: errors', () => {
  test('409 webhook_disabled for a disabled endpoint, and nothing is sent or audited', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token, { enabled: false })
    expect(refusalOf(await ping(token, id))).toEqual(disabled)
    expect(await countEventRows(api, tenant.id)).toEqual(noEventRows)
    expect(await auditOf(api, tenant.id)).toHaveLength(1)
    await enable(token, id, true)
    expect((await ping(token, id)).status).toBe(202)
    await enable(token, id, false)
    expect(refusalOf(await ping(token, id))).toEqual(disabled)
  })

  test.each<[body: unknown, pointer: string]>([
    [{ type: 'site.created' }, '/type'],
    [{ data: {} }, '/data'],
    [[], ''],
    ['null', ''],
    ['"ping"', ''],
  ])(
    '422 validation_failed for the body %j names %j, and nothing is sent',
    async (body, pointer) => {
      const { token, tenant } = await api.makeAdmin()
      const { id } = await makeWebhook(api, token)
      const headers = { 'content-type': 'application/json' }
      const response = await api.call('post', `/webhooks/${id}/ping`, { token, body, headers })
      expect(refusalOf(response)).toEqual(invalid(pointer))
      expect(await countEventRows(api, tenant.id)).toEqual(noEventRows)
      expect(await auditOf(api, tenant.id)).toHaveLength(1)
    },
  )

  test("404 is the same for a missing endpoint, a deleted one, another organization's and an invalid id", async () => {
    const { token, tenant } = await api.makeAdmin()
    const deleted = await makeWebhook(api, token)
    await api.call('delete', `/webhooks/${deleted.id}`, { token })
    const stranger = await api.makeAdmin()
    const foreign = await makeWebhook(api, stranger.token)
    const foreignDisabled = await makeWebhook(api, stranger.token, { enabled: false })
    for (const id of [randomUUID(), deleted.id, foreign.id, foreignDisabled.id, 'nonsense']) {
      expect(refusalOf(await ping(token, id))).toEqual(notFound)
    }
    expect(await countEventRows(api, tenant.id)).toEqual(noEventRows)
    expect(await countEventRows(api, stranger.tenant.id)).toEqual(noEventRows)
    expect(await auditOf(api, tenant.id)).toHaveLength(2)
  })
})
