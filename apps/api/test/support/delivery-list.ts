import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Response } from 'supertest'
import type { TestApi, TestTenant } from '../../../../test/support/api.ts'
import { failure, lastFailure, makeAttempts, startAttempt, success } from './attempts.ts'
import { buildEvent, publish } from './events.ts'
import { nextMillisecond } from './moments.ts'
import { invalid, refusalOf } from './refusals.ts'
import { makeWebhook } from './webhooks.ts'

/** A delivery as lists show it, in what tests read of it. */
export interface DeliverySummary {
  readonly id: string
  readonly webhook_id: string
  readonly event: { readonly id: string; readonly type: string; readonly created_at: string }
  readonly status: string
  readonly created_at: string
}

/** An organization with an endpoint. */
export interface Subscriber {
  readonly tenant: TestTenant
  readonly token: string
  readonly webhookId: string
}

/** Makes an organization with an endpoint. */
export async function makeSubscriber(
  api: TestApi,
  fields: { events?: readonly string[]; enabled?: boolean } = {},
): Promise<Subscriber> {
  const { tenant, token } = await api.makeAdmin()
  return { tenant, token, webhookId: (await makeWebhook(api, token, fields)).id }
}

export const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id)

/** A list of deliveries as a subscriber reads it. */
class DeliveryList {
  readonly api: TestApi
  readonly #pathOf: (webhookId: string, query: string) => string

  constructor(api: TestApi, pathOf: (webhookId: string, query: string) => string) {
    this.api = api
    this.#pathOf = pathOf
  }

  read({ token, webhookId }: Subscriber, query = ''): Promise<Response> {
    return this.api.call('get', this.#pathOf(webhookId, query), { token })
  }

  async readIds(subscriber: Subscriber, query: string): Promise<string[]> {
    const { status, body } = await this.read(subscriber, query)
    expect(status).toBe(200)
    return idsOf(body.items as DeliverySummary[])
  }
}

/**
 * The tests of a list of deliveries.
 *
 * @param pathOf - the list of an endpoint's organization, or of the endpoint, with its query.
 */
export function testDeliveryList(
  api: TestApi,
  pathOf: (webhookId: string, query: string) => string,
): void {
  const list = new DeliveryList(api, pathOf)
  describe('statuses', () => {
    testStatuses(list)
  })
  describe('filters', () => {
    testFilters(list)
  })
  describe('invalid queries', () => {
    testBadQueries(list)
  })
  describe('pages', () => {
    testPages(list)
  })
}

function testStatuses(list: DeliveryList): void {
  let enabled: Subscriber
  let disabled: Subscriber
  const deliveries: Record<string, string> = {}

  beforeAll(async () => {
    const { api } = list
    enabled = await makeSubscriber(api)
    disabled = await makeSubscriber(api, { enabled: false })
    const deliver = async ({ tenant }: Subscriber) =>
      (await publish(api, tenant.id)).deliveryIds[0]!
    for (const status of ['queued', 'in_flight', 'waiting_retry', 'succeeded', 'dead']) {
      deliveries[status] = await deliver(enabled)
    }
    deliveries['waiting_endpoint'] = await deliver(disabled)
    await startAttempt(api, deliveries['in_flight']!, 1)
    await makeAttempts(api, deliveries['waiting_retry']!, [failure])
    await makeAttempts(api, deliveries['succeeded']!, [failure, success])
    await makeAttempts(api, deliveries['dead']!, [lastFailure])
  })

  test.each(['queued', 'in_flight', 'waiting_retry', 'succeeded', 'dead', 'waiting_endpoint'])(
    'the filter status=%s returns exactly the deliveries with that status',
    async (status) => {
      const subscriber = status === 'waiting_endpoint' ? disabled : enabled
      const { body } = await list.read(subscriber, `status=${status}`)
      expect(body.items).toEqual([expect.objectContaining({ id: deliveries[status], status })])
    },
  )

  test('a filter without matches returns an empty list', async () => {
    expect(await list.readIds(disabled, 'status=queued')).toEqual([])
    expect(await list.readIds(enabled, 'status=waiting_endpoint')).toEqual([])
  })

  test('without a filter every delivery is listed once, with its status', async () => {
    const { body } = await list.read(enabled)
    const shown = (body.items as DeliverySummary[]).map(({ id, status }) => [status, id])
    const { waiting_endpoint: _elsewhere, ...ofEnabled } = deliveries
    expect(Object.fromEntries(shown)).toEqual(ofEnabled)
    expect(shown).toHaveLength(5)
  })
}

function testFilters(list: DeliveryList): void {
  let subscriber: Subscriber
  let site: { id: string; deliveryIds: string[] }
  let zone: typeof site
  const readIds = (query: string) => list.readIds(subscriber, query)

  beforeAll(async () => {
    subscriber = await makeSubscriber(list.api)
    site = await publish(list.api, subscriber.tenant.id, { type: 'site.created' })
    await nextMillisecond()
    zone = await publish(list.api, subscriber.tenant.id, { type: 'dns.zone_created' })
  })

  test('event_type', async () => {
    expect(await readIds('event_type=site.created')).toEqual(site.deliveryIds)
    expect(await readIds('event_type=dns.zone_created')).toEqual(zone.deliveryIds)
    expect(await readIds('event_type=webhook.ping')).toEqual([])
  })

  test('event_id, case-insensitive', async () => {
    expect(await readIds(`event_id=${site.id}`)).toEqual(site.deliveryIds)
    expect(await readIds(`event_id=${zone.id.toUpperCase()}`)).toEqual(zone.deliveryIds)
    expect(await readIds(`event_id=${randomUUID()}`)).toEqual([])
  })

  test('since includes its own time, until excludes it', async () => {
    const { body } = await list.read(subscriber)
    const [newest, oldest] = body.items as [DeliverySummary, DeliverySummary]
    expect(await readIds(`since=${newest.created_at}`)).toEqual([newest.id])
    expect(await readIds(`until=${newest.created_at}`)).toEqual([oldest.id])
    const span = `since=${oldest.created_at}&until=${newest.created_at}`
    expect(await readIds(span)).toEqual([oldest.id])
  })

  test('times may have an offset and may be at or before the epoch', async () => {
    const all = idsOf((await list.read(subscriber)).body.items)
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().replace('Z', '%2B02:00')
    expect(await readIds(`since=${tomorrow}`)).toEqual([])
    expect(await readIds(`until=${tomorrow}`)).toEqual(all)
    for (const early of ['1970-01-01T00:00:00Z', '1969-07-20T20:17:00Z']) {
      expect(await readIds(`since=${early}`)).toEqual(all)
      expect(await readIds(`until=${early}`)).toEqual([])
    }
    expect(await readIds('since=9999-12-31T23:59:59Z')).toEqual([])
  })

  test('several filters combine', async () => {
    const both = `event_type=site.created&status=queued&event_id=${site.id}`
    expect(await readIds(both)).toEqual(site.deliveryIds)
    expect(await readIds(`event_type=site.created&event_id=${zone.id}`)).toEqual([])
  })
}

function testBadQueries(list: DeliveryList): void {
  let subscriber: Subscriber
  beforeAll(async () => {
    subscriber = await makeSubscriber(list.api)
  })

  test.each([
    ['status=waiting', '/status'],
    ['status=', '/status'],
    ['status=dead&status=queued', '/status'],
    ['event_type=site.moved', '/event_type'],
    ['event_type=site.*', '/event_type'],
    ['event_id=nonsense', '/event_id'],
    ['since=yesterday', '/since'],
    ['since=2026-01-01', '/since'],
    ['since=2026-01-01T00:00:00', '/since'],
    ['since=2026-02-30T00:00:00Z', '/since'],
    ['until=2026-01-01T24:00:00Z', '/until'],
    ['until=1700000000', '/until'],
    ['limit=0', '/limit'],
    ['limit=101', '/limit'],
    ['limit=two', '/limit'],
    ['cursor=nonsense', '/cursor'],
    [`cursor=${plainCursor('webhooks', randomUUID())}`, '/cursor'],
    [`cursor=${plainCursor('webhook-deliveries', 'x')}`, '/cursor'],
    ['tenant_id=1', '/tenant_id'],
  ])('422 validation_failed for ?%s', async (query, pointer) => {
    expect(refusalOf(await list.read(subscriber, query))).toEqual(invalid(pointer))
  })
}

function testPages(list: DeliveryList): void {
  test('every delivery is on one page, newest first, even if more are published meanwhile', async () => {
    const subscriber = await makeSubscriber(list.api)
    const made: string[] = []
    while (made.length < 5) {
      made.push(...(await publish(list.api, subscriber.tenant.id)).deliveryIds)
    }
    const pages: string[][] = []
    let cursor = ''
    for (;;) {
      const { body } = await list.read(subscriber, `limit=2&status=queued${cursor}`)
      pages.push(idsOf(body.items as DeliverySummary[]))
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
      await publish(list.api, subscriber.tenant.id)
    }
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(made.toSorted().toReversed())
  })

  test('a page has 50 deliveries by default and 100 at most', async () => {
    const subscriber = await makeSubscriber(list.api)
    const events = Array.from({ length: 101 }, () => buildEvent(subscriber.tenant.id))
    expect((await list.api.callInternal('post', '/events', { events })).status).toBe(202)
    expect(await list.readIds(subscriber, '')).toHaveLength(50)
    const { body } = await list.read(subscriber, 'limit=100')
    expect(body.items).toHaveLength(100)
    expect(await list.readIds(subscriber, `cursor=${body.next_cursor}`)).toHaveLength(1)
  })

  test('a cursor gives no access to another organization', async () => {
    const owner = await makeSubscriber(list.api)
    await publish(list.api, owner.tenant.id)
    await publish(list.api, owner.tenant.id)
    const page = (await list.read(owner, 'limit=1')).body
    const stranger = await makeSubscriber(list.api)
    expect(await list.readIds(stranger, `cursor=${page.next_cursor}`)).toEqual([])
  })
}

/** A cursor of the form that version 1.0.0 made, which anybody can make. */
export const plainCursor = (list: string, position: string): string =>
  Buffer.from(`${list}:${position}`).toString('base64url')
