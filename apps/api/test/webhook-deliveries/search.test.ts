import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { failure, lastFailure, makeAttempts, startAttempt, success } from '../support/attempts.ts'
import { idsOf, makeSubscriber, type Subscriber } from '../support/delivery-list.ts'
import { buildEvent } from '../support/events.ts'

const api = useApi()

/** Publishes an event about something else than the others; gives the ids of event and delivery. */
async function publishAbout(
  { tenant }: Subscriber,
  type: string,
  data: Record<string, unknown>,
  id?: string,
): Promise<{ event: string; delivery: string }> {
  const event = buildEvent(tenant.id, { type })
  const body = { ...event, ...(id && { id }), data: { ...event.data, ...data } }
  const { status, body: published } = await api.callInternal('post', '/events', body)
  expect(status).toBe(202)
  const { rows } = await api.database.pool.query<{ id: string }>(
    'SELECT id FROM all_deliveries WHERE tenant_id = $1 AND event_id = $2',
    [tenant.id, published.items[0].id],
  )
  return { event: published.items[0].id, delivery: rows[0]!.id }
}

async function find({ token }: Subscriber, query: Record<string, string>): Promise<string[]> {
  const path = `/webhook-deliveries?${new URLSearchParams(query)}`
  const { status, body } = await api.call('get', path, { token })
  expect(status).toBe(200)
  return idsOf(body.items)
}

describe('GET /webhook-deliveries: filter q', () => {
  const [siteId, zoneId, given] = [randomUUID(), 'Zone-4711-abc', randomUUID()]
  let subscriber: Subscriber
  let site: { event: string; delivery: string }
  let zone: typeof site
  let job: typeof site
  const findText = (q: string) => find(subscriber, { q })

  beforeAll(async () => {
    subscriber = await makeSubscriber(api)
    site = await publishAbout(subscriber, 'site.created', {
      object_id: siteId,
      account_id: 'Account-1',
      primary_domain: 'Shop.Acme.example',
    })
    zone = await publishAbout(subscriber, 'dns.zone_created', {
      object_id: zoneId,
      zone: 'acme.example',
    })
    job = await publishAbout(subscriber, 'job.failed', { object_id: 'job-9' }, given)
  })

  test('finds deliveries by the id of their object, whole or its first 8 characters', async () => {
    expect(await findText(siteId)).toEqual([site.delivery])
    expect(await findText(siteId.slice(0, 8))).toEqual([site.delivery])
    expect(await findText('zone-471')).toEqual([zone.delivery])
    expect(await findText('ZONE-4711-ABC')).toEqual([zone.delivery])
    expect(await findText('job-9')).toEqual([job.delivery])
    expect(await findText('zone-47')).toEqual([])
  })

  test('finds deliveries and events by the first characters of their ids', async () => {
    expect(await findText(given.slice(0, 8))).toEqual([job.delivery])
    expect(await findText(given.slice(0, 20).toUpperCase())).toEqual([job.delivery])
    expect(await findText(site.delivery.slice(0, 24))).toEqual([site.delivery])
    expect(await findText(zone.event.slice(0, 24))).toEqual([zone.delivery])
    expect(await findText(site.event.slice(0, 8))).toContain(site.delivery)
  })

  test('finds events by their type or their full name, in any case', async () => {
    expect(await findText('DNS.zone_created')).toEqual([zone.delivery])
    expect(await findText('shop.acme.example')).toEqual([site.delivery])
    expect(await findText('ACME.example')).toEqual([zone.delivery])
    expect(await findText('shop.acme')).toEqual([])
  })

  test('accepts any text', async () => {
    const texts = [
      '%',
      "'",
      '\0',
      'a\0b',
      'a b',
      '----------',
      '999062ec',
      'ﬃ',
      ' ',
      '\u{1F600}'.repeat(20),
    ]
    for (const q of texts) expect(await findText(q)).toEqual([])
  })

  test('ignores the case of every letter, whatever the locale of the database', async () => {
    const data = { object_id: 'Straße-ÄÖ-1', primary_domain: 'MÜNCHEN.Example' }
    const { delivery } = await publishAbout(subscriber, 'site.created', data)
    const texts = ['MÜNCHEN.Example', 'münchen.example', 'Straße-ÄÖ-1', 'straße-äö-1', 'STRAßE-ÄÖ']
    for (const q of texts) expect(await findText(q)).toEqual([delivery])
  })

  test('combines with other filters', async () => {
    expect(await find(subscriber, { q: 'acme.example', event_type: 'site.created' })).toEqual([])
    expect(await find(subscriber, { q: 'acme.example', status: 'queued' })).toEqual([zone.delivery])
    expect(await find(subscriber, { q: siteId, account_id: 'Account-1' })).toEqual([site.delivery])
    expect(await find(subscriber, { q: siteId, webhook_id: randomUUID() })).toEqual([])
  })

  test('finds nothing of other organizations', async () => {
    const stranger = await makeSubscriber(api)
    for (const q of [siteId, given, site.delivery, 'acme.example', 'site.created']) {
      expect(await find(stranger, { q })).toEqual([])
    }
  })

  test('finds one of many objects whose ids begin with the same characters, in pages', async () => {
    const owner = await makeSubscriber(api)
    const made: string[] = []
    for (let each = 0; each < 60; each += 1) {
      const object_id = `website-${each}`
      made.unshift((await publishAbout(owner, 'site.created', { object_id })).delivery)
    }
    expect(await find(owner, { q: 'website-', limit: '100' })).toEqual(made)
    expect(await find(owner, { q: 'website-59' })).toEqual([made[0]])
    const path = `/webhook-deliveries?q=website-&limit=40`
    const { body: first } = await api.call('get', path, { token: owner.token })
    expect(idsOf(first.items)).toEqual(made.slice(0, 40))
    const rest = await find(owner, { q: 'website-', limit: '40', cursor: first.next_cursor })
    expect(rest).toEqual(made.slice(40))
  })
})

describe('GET /webhook-deliveries: filters by subject and last attempt', () => {
  let subscriber: Subscriber
  const made: Record<string, string> = {}
  beforeAll(async () => {
    subscriber = await makeSubscriber(api)
    for (const [index, name] of ['queued', 'retried', 'sent', 'dead', 'again'].entries()) {
      const data = { object_id: `site-${index % 2}`, account_id: `account-${index % 3}` }
      made[name] = (await publishAbout(subscriber, 'site.created', data)).delivery
    }
    await makeAttempts(api, made['retried']!, [failure])
    await makeAttempts(api, made['sent']!, [failure, success])
    await makeAttempts(api, made['dead']!, [failure, lastFailure])
    await makeAttempts(api, made['again']!, [failure])
    await startAttempt(api, made['again']!, 2)
  })

  test.each([
    [{ object_id: 'site-0' }, ['again', 'sent', 'queued']],
    [{ account_id: 'account-1' }, ['again', 'retried']],
    [{ object_id: 'site-0', account_id: 'account-1' }, ['again']],
    [{ object_id: 'SITE-0' }, []],
    [{ status_code: '500' }, ['again', 'retried']],
    [{ status_code: '204' }, ['sent']],
    [{ status_code: '404' }, []],
    [{ error_class: 'http_error' }, ['again', 'retried']],
    [{ error_class: 'timeout' }, ['dead']],
    [{ error_class: 'timeout', status_code: '500' }, []],
    [{ error_class: 'http_error', status: 'waiting_retry' }, ['retried']],
    [{ status_code: '500', object_id: 'site-1' }, ['retried']],
    [{ status: 'dead', object_id: 'site-1' }, ['dead']],
    [{ status: 'waiting_retry', account_id: 'account-1' }, ['retried']],
    [{ event_type: 'site.created', account_id: 'account-1' }, ['again', 'retried']],
    [{ event_type: 'job.failed', error_class: 'timeout' }, []],
  ])('%j', async (query, names) => {
    const expected = names.map((name) => made[name])
    const { webhookId: webhook_id } = subscriber
    const filters = query as unknown as Record<string, string>
    expect(await find(subscriber, filters)).toEqual(expected)
    expect(await find(subscriber, { ...filters, webhook_id })).toEqual(expected)
    expect(await find(subscriber, { ...filters, limit: '1' })).toEqual(expected.slice(0, 1))
  })

  test('200 shows the object of the event', async () => {
    const { token } = subscriber
    const { body } = await api.call('get', `/webhook-deliveries/${made['dead']!}`, { token })
    expect(body.delivery.event).toMatchObject({
      object_type: 'site',
      object_id: 'site-1',
      account_id: 'account-0',
      name: 'a.example',
    })
  })
})
