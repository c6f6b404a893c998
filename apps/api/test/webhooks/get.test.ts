import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { failure, makeAttempts, startAttempt, success } from '../support/attempts.ts'
import { publish } from '../support/events.ts'
import { notFound, refusalOf } from '../support/refusals.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi()
const request = { verb: 'get', path: `/webhooks/${randomUUID()}` } as const

testAccess(api, request, readsWebhooks)
testSecretsStore(request)

describe('GET /webhooks/{id}', () => {
  test('200 shows the endpoint as created, without its secret', async () => {
    const { token } = await api.makeAdmin()
    const webhook = await makeWebhook(api, token, { description: 'Production', enabled: false })
    const { status, body } = await api.call('get', `/webhooks/${webhook.id}`, { token })
    expect(status).toBe(200)
    expect(body).toEqual({ webhook })
  })

  test('the id is case-insensitive', async () => {
    const { token } = await api.makeAdmin()
    const webhook = await makeWebhook(api, token)
    const path = `/webhooks/${webhook.id.toUpperCase()}`
    expect((await api.call('get', path, { token })).body).toEqual({ webhook })
  })

  test('it shows its latest success, its latest failure and its number of waiting deliveries', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const deliveryIds: string[] = []
    while (deliveryIds.length < 4) {
      deliveryIds.push((await publish(api, tenant.id)).deliveryIds[0]!)
    }
    const succeededAt = new Date('2026-05-01T10:00:00.123Z')
    const failedAt = new Date('2026-05-01T10:00:05.456Z')
    await makeAttempts(api, deliveryIds[0]!, [{ ...success, startedAt: succeededAt }])
    await makeAttempts(api, deliveryIds[1]!, [{ ...failure, startedAt: failedAt }])
    await startAttempt(api, deliveryIds[2]!, 1)
    const { body } = await api.call('get', `/webhooks/${id}`, { token })
    expect(body.webhook).toMatchObject({
      last_success_at: '2026-05-01T10:00:00.123Z',
      last_failure_at: '2026-05-01T10:00:05.456Z',
      waiting_deliveries: 2,
    })
  })

  test('waiting deliveries are counted up to 10,000 in the record, the list and the response to a change', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const fill = (count: number) =>
      api.database.pool.query(
        `INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
         SELECT uuid_v7(), $1, $2, uuid_v7(), now(), 'epoch' FROM generate_series(1, $3::int)`,
        [tenant.id, id, count],
      )
    const path = `/webhooks/${id}`
    const show = async () => (await api.call('get', path, { token })).body.webhook
    await fill(9_999)
    expect(await show()).toMatchObject({ waiting_deliveries: 9_999 })
    await fill(2)
    expect(await show()).toMatchObject({ waiting_deliveries: 10_000 })
    const { items } = (await api.call('get', '/webhooks', { token })).body
    expect(items).toMatchObject([{ id, waiting_deliveries: 10_000 }])
    const changed = await api.call('patch', path, { token, body: { enabled: false } })
    expect(changed.body.webhook).toMatchObject({ waiting_deliveries: 10_000 })
    await api.database.pool.query('DELETE FROM pending_deliveries WHERE endpoint_id = $1', [id])
  })

  test('it shows when an earlier valid secret ends, and omits expired secrets', async () => {
    const { token } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const ends = [new Date(Date.now() + 60_000), new Date(Date.now() - 60_000)]
    await api.database.prisma.webhookSecret.createMany({
      data: ends.map((expiresAt) => ({
        id: randomUUID(),
        endpointId: id,
        encrypted: 'v1:test:x',
        expiresAt,
      })),
    })
    const { body } = await api.call('get', `/webhooks/${id}`, { token })
    expect(body.webhook.previous_secret_expires_at).toBe(ends[0]!.toISOString())
  })
})

describe('GET /webhooks/{id}: not found', () => {
  test("404 is the same for a missing endpoint, a deleted one, another organization's and an invalid id", async () => {
    const { token } = await api.makeAdmin()
    const deleted = await makeWebhook(api, token)
    await api.call('delete', `/webhooks/${deleted.id}`, { token })
    const foreign = await makeWebhook(api, (await api.makeAdmin()).token)
    const ids = [randomUUID(), deleted.id, foreign.id, 'nonsense', '%00', `${foreign.id}'`]
    for (const id of ids) {
      const response = await api.call('get', `/webhooks/${id}`, { token })
      expect(refusalOf(response)).toEqual(notFound)
    }
  })
})
