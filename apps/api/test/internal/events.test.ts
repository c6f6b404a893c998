import { timeOfUuidv7 } from '@hosting/core/ids'
import { beforeAll, describe, expect, test } from '@jest/globals'
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
import { testServiceAccess } from '../support/service-access.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi()

testServiceAccess(api, { verb: 'post', path: '/events', body: buildEvent(randomUUID()) })

const post = (body: unknown) => api.callInternal('post', '/events', body)

describe('POST /events: single event', () => {
  test('202 returns the generated id and the number of deliveries, all committed', async () => {
    const { tenant, token } = await api.makeAdmin()
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

  test('202 without an endpoint: the event is stored but not delivered', async () => {
    const tenant = await api.makeTenant()
    const { body } = await post(buildEvent(tenant.id))
    expect(body.items).toMatchObject([{ deliveries: 0 }])
    expect(await countEventRows(api, tenant.id)).toEqual({ ...noEventRows, events: 1 })
  })

  test('202 keeps a given id of any version, in lower case', async () => {
    const { id: tenantId } = await api.makeTenant()
    const id = randomUUID()
    const { body } = await post(buildEvent(tenantId, { id: id.toUpperCase() }))
    expect(body).toEqual({ items: [{ id, deliveries: 0 }] })
    expect(JSON.parse(await payloadOf(api, tenantId, id)).id).toBe(id)
  })

  test('ids are case-insensitive', async () => {
    const tenant = await api.makeTenant()
    await makeWebhook(api, (await tenant.makeKey()).token)
    const { status, body } = await post(buildEvent(tenant.id.toUpperCase()))
    expect({ status, deliveries: body.items[0].deliveries }).toEqual({ status: 202, deliveries: 1 })
    const payload = await payloadOf(api, tenant.id, body.items[0].id)
    expect(JSON.parse(payload).tenant_id).toBe(tenant.id)
  })
})

describe('POST /events: envelope', () => {
  test('never changes: its members are in order, and the data is as given', async () => {
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
    expect(await payloadOf(api, tenantId, id)).toBe(
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
    const { tenant, token } = await api.makeAdmin()
    await makeWebhook(api, token)
    const { id, deliveryIds } = await publish(api, tenant.id, { created_at: given })
    expect(JSON.parse(await payloadOf(api, tenant.id, id)).created_at).toBe(normal)
    const shown = await api.call('get', `/webhook-deliveries/${deliveryIds[0]}`, { token })
    expect(shown.body.delivery).toMatchObject({
      event: { created_at: normal },
      payload: { created_at: normal },
    })
  })

  test('created_at defaults to the current time, in milliseconds', async () => {
    const { id: tenantId } = await api.makeTenant()
    const before = Date.now()
    const { id } = await publish(api, tenantId)
    const { created_at } = JSON.parse(await payloadOf(api, tenantId, id))
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now())
  })
})

describe('POST /events: schema of each event type', () => {
  let tenantId = ''
  beforeAll(async () => {
    tenantId = (await api.makeTenant()).id
  })

  const refusalOfData = async (type: string, data: unknown) =>
    refusalOf(await post({ type, tenant_id: tenantId, data }))

  test.each(Object.entries(leastData))('202 accepts the minimal data of %s', async (type, data) => {
    expect((await post({ type, tenant_id: tenantId, data })).status).toBe(202)
  })

  test.each(Object.keys(leastData))('422 for %s without any one of its members', async (type) => {
    const members = Object.entries(leastData[type]!)
    for (const [missing] of members) {
      const data = Object.fromEntries(members.filter(([name]) => name !== missing))
      expect(await refusalOfData(type, data)).toEqual(invalid(`/data/${missing}`))
    }
  })

  test.each(Object.keys(leastData))('422 for %s with a member of another type', async (type) => {
    for (const member of Object.keys(leastData[type]!)) {
      for (const value of [null, 1, {}, '']) {
        const refusal = await refusalOfData(type, { ...leastData[type], [member]: value })
        expect(refusal).toEqual(invalid(`/data/${member}`))
      }
    }
  })

  test.each(Object.keys(leastData))('422 for %s with an additional member', async (type) => {
    const refusal = await refusalOfData(type, { ...leastData[type], email: 'ana@example.com' })
    expect(refusal).toEqual(invalid('/data/email'))
  })

  test.each(['job.succeeded', 'job.failed', 'alert.firing', 'alert.resolved'])(
    '202 accepts the optional account_id of %s',
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
  ])('%s accepts for %s only %j', async (type, member, values) => {
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
    '422 for the type %j, which cannot be published',
    async (type) => {
      const data = { object_type: type.split('.')[0], object_id: '1' }
      expect(await refusalOfData(type, data)).toEqual(invalid('/type'))
    },
  )
})

describe('POST /events: invalid bodies', () => {
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
      'several errors of the data',
      { ...whole, data: { object_type: 'site', more: 1 } },
      ['/data/account_id', '/data/more', '/data/object_id', '/data/primary_domain'],
    ],
    ['no event in the batch', { events: [] }, ['/events']],
    ['a batch that is no list', { events: whole }, ['/events']],
    ['a batch of null', { events: null }, ['/events']],
    ['a batch and an event', { ...whole, events: [whole] }, ['/data', '/tenant_id', '/type']],
    ['a batch with a member of no type', { events: [null] }, ['/events/0']],
  ])('422 validation_failed names the invalid members: %s', async (_what, body, pointers) => {
    const headers = { 'content-type': 'application/json' }
    const response = await api.callInternal('post', '/events', body, headers)
    const { pointers: named, ...refusal } = refusalOf(response)
    expect({ ...refusal, pointers: named?.toSorted() }).toEqual(invalid(...pointers.toSorted()))
  })

  test('422 names an unknown or deleted organization', async () => {
    expect(refusalOf(await post(buildEvent(randomUUID())))).toEqual(invalid('/tenant_id'))
    const deleted = await api.makeTenant()
    await api.callInternal('delete', `/tenants/${deleted.id}`)
    expect(refusalOf(await post(buildEvent(deleted.id)))).toEqual(invalid('/tenant_id'))
    expect(await countEventRows(api, deleted.id)).toEqual(noEventRows)
  })
})
