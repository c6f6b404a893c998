import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import {
  buildEvent,
  countEventRows,
  leastData,
  noEventRows,
  payloadOf,
  publish,
} from '../support/events.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi()

const post = (body: unknown) => api.callInternal('post', '/events', body)

describe('POST /events: batch', () => {
  test('202 returns the items in the given order, with generated and given ids', async () => {
    const [one, two] = [await api.makeTenant(), await api.makeTenant()]
    await makeWebhook(api, (await one.makeKey()).token, { events: ['dns.*'] })
    const id = randomUUID()
    const { status, body } = await post({
      events: [
        buildEvent(one.id, { type: 'dns.zone_created' }),
        buildEvent(two.id, { id }),
        buildEvent(one.id, { type: 'site.created' }),
      ],
    })
    expect(status).toBe(202)
    expect(body.items).toEqual([
      { id: expect.any(String), deliveries: 1 },
      { id, deliveries: 0 },
      { id: expect.any(String), deliveries: 0 },
    ])
    const [first, , third] = body.items
    expect(JSON.parse(await payloadOf(api, one.id, first.id)).type).toBe('dns.zone_created')
    expect(JSON.parse(await payloadOf(api, one.id, third.id)).type).toBe('site.created')
    expect(await countEventRows(api, two.id)).toMatchObject({ events: 1 })
  })

  test.each<[what: string, bad: object, pointer: string]>([
    ['a bad type', { type: 'invoice.ready' }, '/type'],
    ['bad data', { data: { ...leastData['site.created'], more: 1 } }, '/data/more'],
    ['an unknown organization', { tenant_id: randomUUID() }, '/tenant_id'],
    ['a bad time', { created_at: 'now' }, '/created_at'],
    ['a bad id', { id: '1' }, '/id'],
    ['an unknown member', { extra: true }, '/extra'],
  ])('one member with %s stores nothing of it', async (_what, bad, pointer) => {
    const tenant = await api.makeTenant()
    await makeWebhook(api, (await tenant.makeKey()).token)
    const good = () => buildEvent(tenant.id, { id: randomUUID() })
    const events = [good(), buildEvent(tenant.id), { ...buildEvent(tenant.id), ...bad }, good()]
    expect(refusalOf(await post({ events }))).toEqual(invalid(`/events/2${pointer}`))
    expect(await countEventRows(api, tenant.id)).toEqual(noEventRows)

    const rest = events.filter((_event, index) => index !== 2)
    expect((await post({ events: rest })).body.items).toMatchObject([
      { deliveries: 1 },
      { deliveries: 1 },
      { deliveries: 1 },
    ])
  })

  test('422 names every invalid member of the batch', async () => {
    const { id } = await api.makeTenant()
    const events = [
      { ...buildEvent(id), type: 'x' },
      buildEvent(id),
      { ...buildEvent(id), id: 'y' },
    ]
    expect(refusalOf(await post({ events }))).toEqual(invalid('/events/0/type', '/events/2/id'))
  })

  test('1,000 events are accepted', async () => {
    const tenant = await api.makeTenant()
    const events = Array.from({ length: 1_000 }, () => buildEvent(tenant.id))
    const { status, body } = await post({ events })
    expect(status).toBe(202)
    expect(new Set(body.items.map(({ id }: { id: string }) => id)).size).toBe(1_000)
    expect(await countEventRows(api, tenant.id)).toMatchObject({ events: 1_000 })
  })

  test('1,001 events are refused, and none is stored', async () => {
    const tenant = await api.makeTenant()
    const events = Array.from({ length: 1_001 }, () => buildEvent(tenant.id))
    expect(refusalOf(await post({ events }))).toEqual(invalid('/events'))
    expect(await countEventRows(api, tenant.id)).toEqual(noEventRows)
  })

  test('1,000 invalid events are refused with at most 100 errors', async () => {
    const events = Array.from({ length: 1_000 }, () => buildEvent(randomUUID()))
    expect(refusalOf(await post({ events })).pointers).toHaveLength(100)
    const untyped = events.map((event) => ({ ...event, type: '' }))
    expect(refusalOf(await post({ events: untyped })).pointers).toHaveLength(100)
  })
})

describe('POST /events: an event id given by a publisher', () => {
  async function makeSubscribed() {
    const tenant = await api.makeTenant()
    await makeWebhook(api, (await tenant.makeKey()).token)
    return tenant
  }
  const once = { events: 1, deliveries: 1, pending_deliveries: 1, published_event_ids: 1 }

  test('is accepted once: a repetition returns the same response and stores nothing', async () => {
    const tenant = await makeSubscribed()
    const event = buildEvent(tenant.id, { id: randomUUID() })
    const first = await post(event)
    expect(first.body.items).toEqual([{ id: event.id, deliveries: 1 }])
    await makeWebhook(api, (await tenant.makeKey()).token)
    for (const again of [event, { ...event, id: event.id.toUpperCase() }, { events: [event] }]) {
      const { status, body } = await post(again)
      expect({ status, body }).toEqual({ status: 202, body: first.body })
    }
    expect(await countEventRows(api, tenant.id)).toEqual(once)
  })

  test('generated ids are accepted only once too', async () => {
    const tenant = await makeSubscribed()
    const first = await post(buildEvent(tenant.id))
    const { id } = first.body.items[0]
    const again = await post(buildEvent(tenant.id, { id }))
    expect({ status: again.status, body: again.body }).toEqual({ status: 202, body: first.body })
    expect(await countEventRows(api, tenant.id)).toEqual({ ...once, published_event_ids: 0 })
  })

  test('keeps the first envelope', async () => {
    const { id: tenantId } = await api.makeTenant()
    const id = randomUUID()
    await publish(api, tenantId, { id, type: 'site.created' })
    const before = await payloadOf(api, tenantId, id)
    await publish(api, tenantId, { id, type: 'site.deleted' })
    expect(await payloadOf(api, tenantId, id)).toBe(before)
  })

  test('is accepted once if it is repeated within a batch', async () => {
    const tenant = await makeSubscribed()
    const id = randomUUID()
    const events = [
      buildEvent(tenant.id, { id }),
      buildEvent(tenant.id, { id, type: 'site.deleted' }),
      buildEvent(tenant.id, { id: id.toUpperCase() }),
    ]
    const { body } = await post({ events })
    expect(body.items).toEqual(events.map(() => ({ id, deliveries: 1 })))
    expect(await countEventRows(api, tenant.id)).toEqual(once)
    expect(JSON.parse(await payloadOf(api, tenant.id, id)).type).toBe('site.created')
  })

  test('is accepted once by 20 concurrent requests, and each returns the same response', async () => {
    const tenant = await makeSubscribed()
    const event = buildEvent(tenant.id, { id: randomUUID() })
    const responses = await Promise.all(Array.from({ length: 20 }, () => post(event)))
    for (const { status, body } of responses) {
      expect({ status, body }).toEqual({
        status: 202,
        body: { items: [{ id: event.id, deliveries: 1 }] },
      })
    }
    expect(await countEventRows(api, tenant.id)).toEqual(once)
  })

  test('concurrent batches with the same ids in other orders do not block each other', async () => {
    const tenant = await makeSubscribed()
    const events = Array.from({ length: 50 }, () => buildEvent(tenant.id, { id: randomUUID() }))
    const orders = [events, events.toReversed(), [...events.slice(25), ...events.slice(0, 25)]]
    const responses = await Promise.all(orders.map((order) => post({ events: order })))
    expect(responses.map(({ status }) => status)).toEqual([202, 202, 202])
    expect(await countEventRows(api, tenant.id)).toEqual({
      events: 50,
      deliveries: 50,
      pending_deliveries: 50,
      published_event_ids: 50,
    })
  })

  test('does not prevent the new events of the same batch from being stored', async () => {
    const tenant = await makeSubscribed()
    const known = buildEvent(tenant.id, { id: randomUUID() })
    await post(known)
    const { body } = await post({ events: [known, buildEvent(tenant.id)] })
    expect(body.items).toMatchObject([{ id: known.id, deliveries: 1 }, { deliveries: 1 }])
    expect(await countEventRows(api, tenant.id)).toMatchObject({ events: 2, deliveries: 2 })
  })

  test('can be used again after its batch was refused', async () => {
    const { id: tenantId } = await api.makeTenant()
    const event = buildEvent(tenantId, { id: randomUUID() })
    await post({ events: [event, { ...event, type: 'x' }] })
    await post({ events: [event, buildEvent(randomUUID())] })
    expect((await post(event)).status).toBe(202)
    expect(await countEventRows(api, tenantId)).toMatchObject({ events: 1 })
  })

  test('can also be used by another organization', async () => {
    const [one, two] = [await api.makeTenant(), await api.makeTenant()]
    const id = randomUUID()
    await post({ events: [buildEvent(one.id, { id }), buildEvent(two.id, { id })] })
    expect(await countEventRows(api, one.id)).toMatchObject({ events: 1 })
    expect(await countEventRows(api, two.id)).toMatchObject({ events: 1 })
  })
})

describe('POST /events: fan-out', () => {
  test('an event is delivered once to each endpoint with a matching pattern', async () => {
    const { tenant, token } = await api.makeAdmin()
    const subscribed = []
    for (const events of [['*'], ['site.*'], ['site.created'], ['*', 'site.*', 'site.created']]) {
      subscribed.push(await makeWebhook(api, token, { events }))
    }
    for (const events of [['dns.*'], ['site.deleted'], ['site.updated', 'invoice.ready']]) {
      await makeWebhook(api, token, { events })
    }
    const { deliveryIds } = await publish(api, tenant.id, { type: 'site.created' })
    expect(deliveryIds).toHaveLength(4)
    const { body } = await api.call('get', '/webhook-deliveries', { token })
    const reached = body.items.map(({ webhook_id }: { webhook_id: string }) => webhook_id)
    expect(reached.toSorted()).toEqual(subscribed.map(({ id }) => id).toSorted())
  })

  test('every type matches *, its resource pattern and itself', async () => {
    const { tenant, token } = await api.makeAdmin()
    await makeWebhook(api, token, { events: ['*'] })
    for (const type of Object.keys(leastData)) {
      const resource = await makeWebhook(api, token, { events: [`${type.split('.')[0]}.*`] })
      const exact = await makeWebhook(api, token, { events: [type] })
      expect([type, (await publish(api, tenant.id, { type })).deliveryIds.length]).toEqual([
        type,
        3,
      ])
      for (const { id } of [resource, exact]) await api.call('delete', `/webhooks/${id}`, { token })
    }
  })

  test('a disabled endpoint gets waiting deliveries, a deleted one gets none', async () => {
    const { tenant, token } = await api.makeAdmin()
    const disabled = await makeWebhook(api, token, { enabled: false })
    const deleted = await makeWebhook(api, token)
    await api.call('delete', `/webhooks/${deleted.id}`, { token })
    const { body } = await post(buildEvent(tenant.id))
    expect(body.items).toMatchObject([{ deliveries: 1 }])
    const list = await api.call('get', '/webhook-deliveries', { token })
    expect(list.body.items).toMatchObject([
      { webhook_id: disabled.id, status: 'waiting_endpoint', next_attempt_at: null },
    ])
  })

  test('endpoints of another organization get nothing', async () => {
    const [owner, stranger] = [await api.makeTenant(), await api.makeTenant()]
    await makeWebhook(api, (await stranger.makeKey()).token)
    expect((await publish(api, owner.id)).deliveryIds).toEqual([])
    expect(await countEventRows(api, stranger.id)).toEqual(noEventRows)
  })
})
