import { encodeCursor } from '@hosting/core'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { TestApi, TestTenant } from '../../../../test/support/api.ts'
import { failure, lastFailure, makeAttempts, startAttempt, success } from './attempts.ts'
import { publish } from './events.ts'
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
  const tenant = await api.makeTenant()
  const { token } = await tenant.makeKey()
  return { tenant, token, webhookId: (await makeWebhook(api, token, fields)).id }
}

export const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id)

/**
 * The tests of a list of deliveries.
 *
 * @param pathOf - the list of an endpoint's organization, or of the endpoint, with its query.
 */
export function testDeliveryList(
  api: TestApi,
  pathOf: (webhookId: string, query: string) => string,
): void {
  const list = (token: string, webhookId: string, query = '') =>
    api.call('get', pathOf(webhookId, query), { token })

  const listIds = async ({ token, webhookId }: Subscriber, query: string): Promise<string[]> => {
    const { status, body } = await list(token, webhookId, query)
    expect(status).toBe(200)
    return idsOf(body.items as DeliverySummary[])
  }

  describe('statuses', () => {
    let enabled: Subscriber
    let disabled: Subscriber
    const deliveries: Record<string, string> = {}

    beforeAll(async () => {
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
      'the filter status=%s gives the deliveries that show it, and no other',
      async (status) => {
        const subscriber = status === 'waiting_endpoint' ? disabled : enabled
        const { body } = await list(subscriber.token, subscriber.webhookId, `status=${status}`)
        expect(body.items).toEqual([expect.objectContaining({ id: deliveries[status], status })])
      },
    )

    test('a filter that nothing fits gives an empty list', async () => {
      expect(await listIds(disabled, 'status=queued')).toEqual([])
      expect(await listIds(enabled, 'status=waiting_endpoint')).toEqual([])
    })

    test('without a filter every delivery is listed once, with its status', async () => {
      const { body } = await list(enabled.token, enabled.webhookId)
      const shown = (body.items as DeliverySummary[]).map(({ id, status }) => [status, id])
      const { waiting_endpoint: _elsewhere, ...ofEnabled } = deliveries
      expect(Object.fromEntries(shown)).toEqual(ofEnabled)
      expect(shown).toHaveLength(5)
    })
  })

  describe('filters', () => {
    let subscriber: Subscriber
    let site: { id: string; deliveryIds: string[] }
    let zone: typeof site

    beforeAll(async () => {
      subscriber = await makeSubscriber(api)
      site = await publish(api, subscriber.tenant.id, { type: 'site.created' })
      zone = await publish(api, subscriber.tenant.id, { type: 'dns.zone_created' })
    })

    test('event_type', async () => {
      expect(await listIds(subscriber, 'event_type=site.created')).toEqual(site.deliveryIds)
      expect(await listIds(subscriber, 'event_type=dns.zone_created')).toEqual(zone.deliveryIds)
      expect(await listIds(subscriber, 'event_type=webhook.ping')).toEqual([])
    })

    test('event_id, without regard to case', async () => {
      expect(await listIds(subscriber, `event_id=${site.id}`)).toEqual(site.deliveryIds)
      expect(await listIds(subscriber, `event_id=${zone.id.toUpperCase()}`)).toEqual(
        zone.deliveryIds,
      )
      expect(await listIds(subscriber, `event_id=${randomUUID()}`)).toEqual([])
    })

    test('since takes deliveries made at that time or later, until those made before', async () => {
      const { body } = await list(subscriber.token, subscriber.webhookId)
      const [newest, oldest] = body.items as [DeliverySummary, DeliverySummary]
      expect(await listIds(subscriber, `since=${newest.created_at}`)).toEqual([newest.id])
      expect(await listIds(subscriber, `until=${newest.created_at}`)).toEqual([oldest.id])
      const span = `since=${oldest.created_at}&until=${newest.created_at}`
      expect(await listIds(subscriber, span)).toEqual([oldest.id])
    })

    test('times may have an offset, and may be as early as the epoch or before', async () => {
      const all = idsOf((await list(subscriber.token, subscriber.webhookId)).body.items)
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString().replace('Z', '%2B02:00')
      expect(await listIds(subscriber, `since=${tomorrow}`)).toEqual([])
      expect(await listIds(subscriber, `until=${tomorrow}`)).toEqual(all)
      for (const early of ['1970-01-01T00:00:00Z', '1969-07-20T20:17:00Z']) {
        expect(await listIds(subscriber, `since=${early}`)).toEqual(all)
        expect(await listIds(subscriber, `until=${early}`)).toEqual([])
      }
      expect(await listIds(subscriber, 'since=9999-12-31T23:59:59Z')).toEqual([])
    })

    test('several filters hold together', async () => {
      const both = `event_type=site.created&status=queued&event_id=${site.id}`
      expect(await listIds(subscriber, both)).toEqual(site.deliveryIds)
      expect(await listIds(subscriber, `event_type=site.created&event_id=${zone.id}`)).toEqual([])
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
      [`cursor=${encodeCursor('webhooks', randomUUID())}`, '/cursor'],
      [`cursor=${encodeCursor('webhook-deliveries', 'x')}`, '/cursor'],
      ['tenant_id=1', '/tenant_id'],
    ])('422 validation_failed for ?%s', async (query, pointer) => {
      const response = await list(subscriber.token, subscriber.webhookId, query)
      expect(refusalOf(response)).toEqual(invalid(pointer))
    })
  })

  describe('pages', () => {
    test('every delivery is on one page, newest first, whatever is published between', async () => {
      const subscriber = await makeSubscriber(api)
      const made: string[] = []
      while (made.length < 5) {
        made.push(...(await publish(api, subscriber.tenant.id)).deliveryIds)
      }
      const pages: string[][] = []
      let cursor = ''
      for (;;) {
        const query = `limit=2&status=queued${cursor}`
        const { body } = await list(subscriber.token, subscriber.webhookId, query)
        pages.push(idsOf(body.items as DeliverySummary[]))
        if (body.next_cursor === null) break
        cursor = `&cursor=${body.next_cursor}`
        await publish(api, subscriber.tenant.id)
      }
      expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
      expect(pages.flat()).toEqual(made.toSorted().toReversed())
    })

    test('50 are on a page without a limit, at most 100 with one', async () => {
      const subscriber = await makeSubscriber(api)
      const { id } = subscriber.tenant
      const event = {
        type: 'job.failed',
        tenant_id: id,
        data: { object_type: 'job', object_id: '1', job_type: 'x' },
      }
      const events = Array.from({ length: 101 }, () => event)
      expect((await api.callInternal('post', '/events', { events })).status).toBe(202)
      expect(await listIds(subscriber, '')).toHaveLength(50)
      const { body } = await list(subscriber.token, subscriber.webhookId, 'limit=100')
      expect(body.items).toHaveLength(100)
      expect(await listIds(subscriber, `cursor=${body.next_cursor}`)).toHaveLength(1)
    })

    test('a cursor opens nothing of another organization', async () => {
      const owner = await makeSubscriber(api)
      await publish(api, owner.tenant.id)
      await publish(api, owner.tenant.id)
      const page = (await list(owner.token, owner.webhookId, 'limit=1')).body
      const stranger = await makeSubscriber(api)
      expect(await listIds(stranger, `cursor=${page.next_cursor}`)).toEqual([])
    })
  })
}
