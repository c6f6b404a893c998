import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { readsWebhooks, testAccess } from '../support/access.ts'
import { failure, makeAttempts } from '../support/attempts.ts'
import { makeSubscriber } from '../support/delivery-list.ts'
import { buildEvent, publish } from '../support/events.ts'
import { notFound, refusalOf } from '../support/refusals.ts'

const api = useApi()

testAccess(api, { verb: 'get', path: `/events/${randomUUID()}` }, readsWebhooks)

describe('GET /events/{id}', () => {
  test.each([
    ['the id that the service gave', undefined],
    ['the id that the publisher gave', randomUUID()],
  ])('200 shows the envelope and the deliveries of the event, by %s', async (_which, given) => {
    const { tenant, token, webhookId } = await makeSubscriber(api)
    const { id, deliveryIds } = await publish(api, tenant.id, given ? { id: given } : {})
    await makeAttempts(api, deliveryIds[0]!, [failure])
    const path = `/webhook-deliveries/${deliveryIds[0]!}/redeliver`
    const { body: again } = await api.call('post', path, { token })
    const { status, body } = await api.call('get', `/events/${id}`, { token })
    expect(status).toBe(200)
    const { data, type } = buildEvent(tenant.id)
    expect(body).toEqual({
      event: { id, type, created_at: expect.any(String), tenant_id: tenant.id, data },
      deliveries: [
        { id: again.delivery.id, webhook_id: webhookId, status: 'queued' },
        { id: deliveryIds[0], webhook_id: webhookId, status: 'waiting_retry' },
      ],
    })
  })

  test('200 shows an event without subscribers, with no deliveries', async () => {
    const { tenant, token } = await api.makeAdmin()
    const { id } = await publish(api, tenant.id)
    const { body } = await api.call('get', `/events/${id.toUpperCase()}`, { token })
    expect(body).toMatchObject({ event: { id }, deliveries: [] })
  })

  test('404 not_found for an event of another organization', async () => {
    const { id } = await publish(api, (await api.makeTenant()).id)
    const { token } = await (await api.makeTenant()).makeKey()
    const response = await api.call('get', `/events/${id}`, { token })
    expect(refusalOf(response)).toEqual(notFound)
  })
})
