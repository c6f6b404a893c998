import { publishableTypes } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { managesWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { countEventRows, noEventRows } from '../support/events.ts'
import { invalid, notFound, refusalOf } from '../support/refusals.ts'
import { auditOf, makeWebhook } from '../support/webhooks.ts'

const api = useApi()
const request = {
  verb: 'post',
  path: `/webhooks/${randomUUID()}/test`,
  body: { event_type: 'site.created' },
} as const

testAccess(api, request, managesWebhooks)
testSecretsStore(request)

const sendTest = (token: string, id: string, body: unknown) =>
  api.call('post', `/webhooks/${id}/test`, { token, body })

const exampleOf = async (token: string, type: string) => {
  const { body } = await api.call('get', '/webhooks/event-types', { token })
  const items = body.items as { type: string; example: Record<string, unknown> | null }[]
  return items.find((item) => item.type === type)!.example
}

describe('POST /webhooks/{id}/test', () => {
  test.each(publishableTypes)('202 sends the example of %s', async (type) => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const { status, body } = await sendTest(token, id, { event_type: type })
    expect(status).toBe(202)
    expect(body.delivery).toMatchObject({
      webhook_id: id,
      event: { type },
      status: 'queued',
      redelivery_of: null,
      payload: { type, tenant_id: tenant.id, data: await exampleOf(token, type) },
    })
    const shown = await api.call('get', `/webhook-deliveries/${body.delivery.id}`, { token })
    expect(shown.body.delivery.payload).toEqual(body.delivery.payload)
  })

  test('only this endpoint gets it, even if only others subscribe to the type', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token, { events: ['dns.*'] })
    await makeWebhook(api, token, { events: ['*'] })
    const { body } = await sendTest(token, id, { event_type: 'site.created' })
    const { items } = (await api.call('get', '/webhook-deliveries', { token })).body
    expect(items).toMatchObject([{ id: body.delivery.id, webhook_id: id }])
    expect(await countEventRows(api, tenant.id)).toMatchObject({ events: 1, deliveries: 1 })
  })

  test('the audit log names the type', async () => {
    const { token, admin: key, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    await sendTest(token, id, { event_type: 'backup.failed' })
    expect((await auditOf(api, tenant.id)).at(-1)).toMatchObject({
      action: 'webhook.test',
      actorKeyId: key.id,
      targetId: id,
      details: { event_type: 'backup.failed' },
    })
  })

  test('409 webhook_disabled for a disabled endpoint, and nothing is sent or audited', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token, { enabled: false })
    const response = await sendTest(token, id, { event_type: 'site.created' })
    expect(refusalOf(response)).toEqual({ status: 409, code: 'webhook_disabled' })
    expect(await countEventRows(api, tenant.id)).toEqual(noEventRows)
    expect(await auditOf(api, tenant.id)).toHaveLength(1)
  })

  test.each<[body: unknown, pointer: string]>([
    [{ event_type: 'webhook.ping' }, '/event_type'],
    [{ event_type: 'invoice.ready' }, '/event_type'],
    [{ event_type: 'site.exploded' }, '/event_type'],
    [{ event_type: 'site.*' }, '/event_type'],
    [{ event_type: 7 }, '/event_type'],
    [{}, '/event_type'],
    [{ event_type: 'site.created', data: {} }, '/data'],
  ])('422 validation_failed for the body %j names %j, and nothing is sent', async (body, at) => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    expect(refusalOf(await sendTest(token, id, body))).toEqual(invalid(at))
    expect(await countEventRows(api, tenant.id)).toEqual(noEventRows)
  })

  test("404 for a missing endpoint and for another organization's", async () => {
    const { token } = await api.makeAdmin()
    const stranger = await api.makeAdmin()
    const foreign = await makeWebhook(api, stranger.token)
    for (const id of [randomUUID(), foreign.id]) {
      expect(refusalOf(await sendTest(token, id, { event_type: 'site.created' }))).toEqual(notFound)
    }
    expect(await countEventRows(api, stranger.tenant.id)).toEqual(noEventRows)
  })
})
