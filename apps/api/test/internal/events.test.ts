import { timeOfUuidv7 } from '@hosting/core'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { buildEvent, countEventRows, leastData, noEventRows, publish } from '../support/events.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { testServiceAccess } from '../support/service-access.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi()

testServiceAccess(api, { verb: 'post', path: '/events', body: buildEvent(randomUUID()) })

const post = (body: unknown) => api.callInternal('post', '/events', body)

const payloadOf = async (tenantId: string, eventId: string): Promise<string> => {
  const { rows } = await api.database.pool.query<{ payload: string }>(
    'SELECT payload FROM events WHERE tenant_id = $1 AND event_id = $2',
    [tenantId, eventId],
  )
  expect(rows).toHaveLength(1)
  return rows[0]!.payload
}

describe('a single event', () => {
  test('202 gives its minted id and the number of its deliveries, all committed', async () => {
    const tenant = await api.makeTenant()
    const { token } = await tenant.makeKey()
    await makeWebhook(api, token)
    await makeWebhook(api, token)
    const before = Date.now()
    const { status, body } = await post(buildEvent(tenant.id))
    expect(status).toBe(202)
    expect(body).toEqual({ items: [{ id: expect.any(String), deliveries: 2 }] })
    expect(Math.abs(timeOfUuidv7(body.items[0].id) - before)).toBeLessThan(5_000)
    expect(await countEventRows(api, tenant.id)).toEqual({
      events: 1,
      deliveries: 2,
      pending_deliveries: 2,
      published_event_ids: 0,
    })
  })

  test('202 without any endpoint: the event is kept, and delivered to none', async () => {
    const tenant = await api.makeTenant()
    const { body } = await post(buildEvent(tenant.id))
    expect(body.items).toMatchObject([{ deliveries: 0 }])
    expect(await countEventRows(api, tenant.id)).toEqual({ ...noEventRows, events: 1 })
  })

  test('202 keeps a given id, of whatever version, in lower case', async () => {
    const { id: tenantId } = await api.makeTenant()
    const id = randomUUID()
    const { body } = await post(buildEvent(tenantId, { id: id.toUpperCase() }))
    expect(body).toEqual({ items: [{ id, deliveries: 0 }] })
    expect(JSON.parse(await payloadOf(tenantId, id)).id).toBe(id)
  })

  test('ids are read without regard to case', async () => {
    const tenant = await api.makeTenant()
    await makeWebhook(api, (await tenant.makeKey()).token)
    const { status, body } = await post(buildEvent(tenant.id.toUpperCase()))
    expect({ status, deliveries: body.items[0].deliveries }).toEqual({ status: 202, deliveries: 1 })
    const payload = await payloadOf(tenant.id, body.items[0].id)
    expect(JSON.parse(payload).tenant_id).toBe(tenant.id)
  })
})

describe('the envelope', () => {
  test('is frozen: its members in order, the data as given', async () => {
    const { id: tenantId } = await api.makeTenant()
    const data = {
      primary_domain: 'bücher.example \u2028 "quoted" </script>',
      account_id: 'acc-9',
      object_id: 'site-9',
      object_type: 'site',
    }
    const created_at = '2026-03-01T12:00:00.250Z'
    const { body } = await post({ created_at, data, tenant_id: tenantId, type: 'site.created' })
    const { id } = body.items[0]
    expect(await payloadOf(tenantId, id)).toBe(
      JSON.stringify({ id, type: 'site.created', created_at, tenant_id: tenantId, data }),
    )
  })

  test.each([
    ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01T01:30:00+02:00', '2026-02-28T23:30:00.000Z'],
    ['2026-03-01T12:00:00.123456789-05:30', '2026-03-01T17:30:00.123Z'],
    ['2026-03-01t12:00:00.5z', '2026-03-01T12:00:00.500Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ])('created_at %s becomes %s', async (given, normal) => {
    const tenant = await api.makeTenant()
    const { token } = await tenant.makeKey()
    await makeWebhook(api, token)
    const { id, deliveryIds } = await publish(api, tenant.id, { created_at: given })
    expect(JSON.parse(await payloadOf(tenant.id, id)).created_at).toBe(normal)
    const shown = await api.call('get', `/webhook-deliveries/${deliveryIds[0]}`, { token })
    expect(shown.body.delivery).toMatchObject({
      event: { created_at: normal },
      payload: { created_at: normal },
    })
  })

  test('created_at is the present, in milliseconds, if none is given', async () => {
    const { id: tenantId } = await api.makeTenant()
    const before = Date.now()
    const { id } = await publish(api, tenantId)
    const { created_at } = JSON.parse(await payloadOf(tenantId, id))
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now())
  })
})

describe('the schema of each type', () => {
  let tenantId = ''
  beforeAll(async () => {
    tenantId = (await api.makeTenant()).id
  })

  const refusalOfData = async (type: string, data: unknown) =>
    refusalOf(await post({ type, tenant_id: tenantId, data }))

  test.each(Object.entries(leastData))('202 takes the least data of %s', async (type, data) => {
    expect((await post({ type, tenant_id: tenantId, data })).status).toBe(202)
  })

  test.each(Object.keys(leastData))('422 for %s without any one of its members', async (type) => {
    const members = Object.entries(leastData[type]!)
    for (const [missing] of members) {
      const data = Object.fromEntries(members.filter(([name]) => name !== missing))
      expect(await refusalOfData(type, data)).toEqual(invalid(`/data/${missing}`))
    }
  })

  test.each(Object.keys(leastData))('422 for %s with any member of another type', async (type) => {
    for (const member of Object.keys(leastData[type]!)) {
      for (const value of [null, 1, {}, '']) {
        const refusal = await refusalOfData(type, { ...leastData[type], [member]: value })
        expect(refusal).toEqual(invalid(`/data/${member}`))
      }
    }
  })

  test.each(Object.keys(leastData))('422 for %s with a further member', async (type) => {
    const refusal = await refusalOfData(type, { ...leastData[type], email: 'ana@example.com' })
    expect(refusal).toEqual(invalid('/data/email'))
  })

  test.each(['job.succeeded', 'job.failed', 'alert.firing', 'alert.resolved'])(
    '202 takes the optional account_id of %s',
    async (type) => {
      const data = { ...leastData[type], account_id: 'acc-1' }
      expect((await post({ type, tenant_id: tenantId, data })).status).toBe(202)
      const bad = await refusalOfData(type, { ...data, account_id: null })
      expect(bad).toEqual(invalid('/data/account_id'))
    },
  )

  test.each([
    ['account.updated', 'change', ['plan', 'overrides', 'quota', 'limits']],
    ['site.updated', 'change', ['domains', 'php_version', 'security_policy']],
    ['dns.records_changed', 'change', ['created', 'changed', 'deleted', 'imported']],
    ['alert.firing', 'severity', ['info', 'warning', 'critical']],
    ['backup.failed', 'will_retry', [true, false]],
  ])('%s takes for %s only %j', async (type, member, values) => {
    for (const value of values) {
      const data = { ...leastData[type], [member]: value }
      expect((await post({ type, tenant_id: tenantId, data })).status).toBe(202)
    }
    const other = await refusalOfData(type, { ...leastData[type], [member]: 'other' })
    expect(other).toEqual(invalid(`/data/${member}`))
  })

  test.each(Object.keys(leastData))('422 for %s with another object_type', async (type) => {
    const refusal = await refusalOfData(type, { ...leastData[type], object_type: 'invoice' })
    expect(refusal).toEqual(invalid('/data/object_type'))
  })

  test.each(['invoice.ready', 'webhook.ping', 'site.moved', 'site.*', '*', '', '__proto__'])(
    '422 for the type %j, which may not be published',
    async (type) => {
      const data = { object_type: type.split('.')[0], object_id: '1' }
      expect(await refusalOfData(type, data)).toEqual(invalid('/type'))
    },
  )
})

describe('bad bodies', () => {
  const whole = buildEvent(randomUUID())
  const { type: _type, ...withoutType } = whole
  const { tenant_id: _tenant, ...withoutTenant } = whole
  const { data: _data, ...withoutData } = whole

  test.each<[what: string, body: unknown, pointers: string[]]>([
    ['no body', undefined, ['']],
    ['null', 'null', ['']],
    ['a text', '"event"', ['']],
    ['a list', [whole], ['']],
    ['no member', {}, ['/type', '/tenant_id', '/data']],
    ['no type', withoutType, ['/type']],
    ['no tenant_id', withoutTenant, ['/tenant_id']],
    ['no data', withoutData, ['/data']],
    ['a type that is a number', { ...whole, type: 1 }, ['/type']],
    ['a tenant_id that is no UUID', { ...whole, tenant_id: 'acme' }, ['/tenant_id']],
    ['a tenant_id of null', { ...whole, tenant_id: null }, ['/tenant_id']],
    ['an id that is no UUID', { ...whole, id: 'evt-1' }, ['/id']],
    ['an id of null', { ...whole, id: null }, ['/id']],
    ['a created_at that is a number', { ...whole, created_at: 1_700_000_000 }, ['/created_at']],
    [
      'a created_at without an offset',
      { ...whole, created_at: '2026-03-01T12:00:00' },
      ['/created_at'],
    ],
    ['a created_at without a time', { ...whole, created_at: '2026-03-01' }, ['/created_at']],
    [
      'a day that does not exist',
      { ...whole, created_at: '2026-02-30T12:00:00Z' },
      ['/created_at'],
    ],
    [
      'an hour that does not exist',
      { ...whole, created_at: '2026-03-01T24:00:00Z' },
      ['/created_at'],
    ],
    [
      'a year after 9999 in UTC',
      { ...whole, created_at: '9999-12-31T23:59:59-01:00' },
      ['/created_at'],
    ],
    [
      'a year before 0 in UTC',
      { ...whole, created_at: '0000-01-01T00:00:00+01:00' },
      ['/created_at'],
    ],
    ['the year 0', { ...whole, created_at: '0000-12-31T23:59:59Z' }, ['/created_at']],
    ['data of null', { ...whole, data: null }, ['/data']],
    ['data that is a list', { ...whole, data: [] }, ['/data']],
    ['an unknown member', { ...whole, secret: 'x' }, ['/secret']],
    [
      'a NUL character',
      { ...whole, data: { ...whole.data, primary_domain: '\0' } },
      ['/data/primary_domain'],
    ],
    [
      'half a surrogate pair',
      { ...whole, data: { ...whole.data, primary_domain: '\ud800' } },
      ['/data/primary_domain'],
    ],
    [
      'several faults of the data',
      { ...whole, data: { object_type: 'site', more: 1 } },
      ['/data/account_id', '/data/more', '/data/object_id', '/data/primary_domain'],
    ],
    ['no event in the batch', { events: [] }, ['/events']],
    ['a batch that is no list', { events: whole }, ['/events']],
    ['a batch of null', { events: null }, ['/events']],
    ['a batch and an event', { ...whole, events: [whole] }, ['/data', '/tenant_id', '/type']],
    ['a batch with a member of no type', { events: [null] }, ['/events/0']],
  ])('422 validation_failed names the members at fault: %s', async (_what, body, pointers) => {
    const headers = { 'content-type': 'application/json' }
    const response = await api.callInternal('post', '/events', body, headers)
    const { pointers: named, ...refusal } = refusalOf(response)
    expect({ ...refusal, pointers: named?.toSorted() }).toEqual(invalid(...pointers.toSorted()))
  })

  test('422 names an unknown organization, a deleted one too', async () => {
    expect(refusalOf(await post(buildEvent(randomUUID())))).toEqual(invalid('/tenant_id'))
    const deleted = await api.makeTenant()
    await api.callInternal('delete', `/tenants/${deleted.id}`)
    expect(refusalOf(await post(buildEvent(deleted.id)))).toEqual(invalid('/tenant_id'))
    expect(await countEventRows(api, deleted.id)).toEqual(noEventRows)
  })
})

describe('a batch', () => {
  test('202 gives the items in the order given, minted and given ids mixed', async () => {
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
    expect(JSON.parse(await payloadOf(one.id, first.id)).type).toBe('dns.zone_created')
    expect(JSON.parse(await payloadOf(one.id, third.id)).type).toBe('site.created')
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

  test('422 names every bad member of it', async () => {
    const { id } = await api.makeTenant()
    const events = [
      { ...buildEvent(id), type: 'x' },
      buildEvent(id),
      { ...buildEvent(id), id: 'y' },
    ]
    expect(refusalOf(await post({ events }))).toEqual(invalid('/events/0/type', '/events/2/id'))
  })

  test('1,000 events are taken', async () => {
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

  test('1,000 bad events are refused with at most 100 faults named', async () => {
    const events = Array.from({ length: 1_000 }, () => buildEvent(randomUUID()))
    expect(refusalOf(await post({ events })).pointers).toHaveLength(100)
    const untyped = events.map((event) => ({ ...event, type: '' }))
    expect(refusalOf(await post({ events: untyped })).pointers).toHaveLength(100)
  })
})

describe('a given id', () => {
  async function makeSubscribed() {
    const tenant = await api.makeTenant()
    await makeWebhook(api, (await tenant.makeKey()).token)
    return tenant
  }
  const once = { events: 1, deliveries: 1, pending_deliveries: 1, published_event_ids: 1 }

  test('is accepted once: again it gives the same answer and stores nothing', async () => {
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

  test('that the service minted is accepted once too', async () => {
    const tenant = await makeSubscribed()
    const first = await post(buildEvent(tenant.id))
    const { id } = first.body.items[0]
    const again = await post(buildEvent(tenant.id, { id }))
    expect({ status: again.status, body: again.body }).toEqual({ status: 202, body: first.body })
    expect(await countEventRows(api, tenant.id)).toEqual({ ...once, published_event_ids: 0 })
  })

  test('keeps the envelope that was accepted first', async () => {
    const { id: tenantId } = await api.makeTenant()
    const id = randomUUID()
    await publish(api, tenantId, { id, type: 'site.created' })
    const before = await payloadOf(tenantId, id)
    await publish(api, tenantId, { id, type: 'site.deleted' })
    expect(await payloadOf(tenantId, id)).toBe(before)
  })

  test('is accepted once within one batch', async () => {
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
    expect(JSON.parse(await payloadOf(tenant.id, id)).type).toBe('site.created')
  })

  test('is accepted once by 20 requests at the same time, and each gives the same answer', async () => {
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

  test('batches of the same ids in other orders at the same time do not block each other', async () => {
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

  test('beside accepted ones, the new events of a batch are stored', async () => {
    const tenant = await makeSubscribed()
    const known = buildEvent(tenant.id, { id: randomUUID() })
    await post(known)
    const { body } = await post({ events: [known, buildEvent(tenant.id)] })
    expect(body.items).toMatchObject([{ id: known.id, deliveries: 1 }, { deliveries: 1 }])
    expect(await countEventRows(api, tenant.id)).toMatchObject({ events: 2, deliveries: 2 })
  })

  test('of a refused batch is free', async () => {
    const { id: tenantId } = await api.makeTenant()
    const event = buildEvent(tenantId, { id: randomUUID() })
    await post({ events: [event, { ...event, type: 'x' }] })
    await post({ events: [event, buildEvent(randomUUID())] })
    expect((await post(event)).status).toBe(202)
    expect(await countEventRows(api, tenantId)).toMatchObject({ events: 1 })
  })

  test("names another organization's event there", async () => {
    const [one, two] = [await api.makeTenant(), await api.makeTenant()]
    const id = randomUUID()
    await post({ events: [buildEvent(one.id, { id }), buildEvent(two.id, { id })] })
    expect(await countEventRows(api, one.id)).toMatchObject({ events: 1 })
    expect(await countEventRows(api, two.id)).toMatchObject({ events: 1 })
  })
})

describe('fan-out', () => {
  test('an event goes once to each endpoint of which any pattern matches', async () => {
    const tenant = await api.makeTenant()
    const { token } = await tenant.makeKey()
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

  test('every type is matched by *, by its resource and by itself', async () => {
    const tenant = await api.makeTenant()
    const { token } = await tenant.makeKey()
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

  test('a disabled endpoint gets deliveries that wait, a deleted one none', async () => {
    const tenant = await api.makeTenant()
    const { token } = await tenant.makeKey()
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

  test("another organization's endpoints get none", async () => {
    const [owner, stranger] = [await api.makeTenant(), await api.makeTenant()]
    await makeWebhook(api, (await stranger.makeKey()).token)
    expect((await publish(api, owner.id)).deliveryIds).toEqual([])
    expect(await countEventRows(api, stranger.id)).toEqual(noEventRows)
  })
})
