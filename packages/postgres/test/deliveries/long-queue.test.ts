import { listDeliveries, type DeliveryFilter } from '@hosting/postgres/deliveries'
import { describe, expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import { makeEndpoint, makeSubscriber, succeed } from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

/** Longer than what a page examines of it (`queuedMax`), and by how many pages it is examined. */
const queued = 3_500
const pagesMax = 5

/** An organization whose queue is long: every 500th delivery is about something rare. Gives the ids of these, newest first. */
async function makeLongQueue() {
  const { tenantId, endpointId } = await makeSubscriber(database)
  const endpoints = [endpointId, await makeEndpoint(database, tenantId)]
  const { rows } = await database.pool.query<{ id: string }>(
    `WITH made AS (
       INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, object_id, account_id,
         name, position)
       SELECT id, id, $1, CASE WHEN rare THEN 'dns.zone_deleted' ELSE 'site.updated' END, now(), '{}', 1,
         CASE WHEN rare THEN 'rare-object' ELSE 'site-1' END, CASE WHEN rare THEN 'rare-account' ELSE 'account-1' END,
         CASE WHEN rare THEN 'rare.example' ELSE 'shop.example' END, nextval('event_positions')
       FROM (SELECT n % 500 = 1 AS rare, uuid_v7() AS id FROM generate_series(1, $3::int) AS n) AS numbered
       RETURNING id, type, position
     ), waiting AS (
       INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
       SELECT uuid_v7(), $1, ($2::uuid[])[(1 + made.position % 2)::int], id, now(), 'epoch' FROM made ORDER BY id
       RETURNING delivery_id, event_ref
     )
     SELECT delivery_id AS id FROM waiting JOIN made ON made.id = event_ref AND type = 'dns.zone_deleted'
     ORDER BY 1 DESC`,
    [tenantId, endpoints, queued],
  )
  return { tenantId, rare: rows.map(({ id }) => id) }
}

const searchFor = (text: string, members: { eventType?: string; isPrefix?: boolean } = {}) => ({
  search: { text, ids: undefined, eventType: undefined, isPrefix: false, ...members },
})

const filters: [string, Partial<DeliveryFilter>][] = [
  ['its event type', { eventType: 'dns.zone_deleted' }],
  ['its object', { objectId: 'rare-object' }],
  ['its account', { accountId: 'rare-account' }],
  ['a search for its event type', searchFor('dns.zone_deleted', { eventType: 'dns.zone_deleted' })],
  ['a search for its name', searchFor('rare.example')],
  ['a search for its object', searchFor('rare-object')],
  ['a search for the first characters of its object', searchFor('rare-obj', { isPrefix: true })],
]

/** Follows a list to its end. Between two pages, something happens. */
async function follow(
  filter: DeliveryFilter,
  take: number,
  between: () => Promise<void> = () => Promise.resolve(),
) {
  const ids: string[] = []
  for (let pages = 1, beforeId: string | undefined; ; pages++) {
    const { rows, examinedTo } = await listDeliveries(database, filter, { take, beforeId })
    ids.push(...rows.map(({ id }) => id))
    beforeId = rows.length === take ? rows.at(-1)!.id : examinedTo
    if (beforeId === undefined) return { ids, pages }
    await between()
  }
}

describe('what is rare in a long queue', () => {
  test.each(filters)('is found completely by %s, in few pages', async (_, filter) => {
    const { tenantId, rare } = await makeLongQueue()
    expect(rare).toHaveLength(queued / 500)
    const found = await follow({ tenantId, ...filter }, 50)
    expect(found.ids).toEqual(rare)
    expect(found.pages).toBeLessThanOrEqual(pagesMax)
    expect((await follow({ tenantId, ...filter }, 2)).ids).toEqual(rare)
  })

  test.each(filters)('is found once by %s while it finishes', async (_, filter) => {
    const { tenantId, rare } = await makeLongQueue()
    // From both ends, so that shown and coming deliveries finish.
    const unfinished = [...rare]
    const between = async (): Promise<void> => {
      const next = [unfinished.shift(), unfinished.pop()].filter((id) => id !== undefined)
      if (next.length > 0) await succeed(database, next)
    }
    expect((await follow({ tenantId, ...filter }, 2, between)).ids).toEqual(rare)
  })
})

/**
 * Makes one in so many deliveries of a long queue about a subject, whose oldest event is delivered again, and whose newest is
 * not in the log. Gives the ids of the subject's deliveries, newest first.
 */
async function makeSubject(every: number) {
  const { tenantId } = await makeLongQueue()
  await database.pool.query(
    `UPDATE events SET object_id = 'subject', account_id = 'subject' WHERE tenant_id = $1 AND position % $2 = 0`,
    [tenantId, every],
  )
  await database.pool.query(
    `WITH subject AS (
       SELECT min(id::text)::uuid AS oldest, max(id::text)::uuid AS newest FROM events
       WHERE tenant_id = $1 AND account_id = 'subject'
     ), unlogged AS (
       UPDATE events SET position = NULL FROM subject WHERE id = newest
     )
     INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, redelivery_of, due_at, held_until)
     SELECT uuid_v7(), tenant_id, endpoint_id, event_ref, delivery_id, now(), 'epoch'
     FROM subject JOIN pending_deliveries ON event_ref = oldest`,
    [tenantId],
  )
  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT p.delivery_id AS id FROM pending_deliveries p JOIN events e ON e.id = p.event_ref
     WHERE p.tenant_id = $1 AND e.account_id = 'subject' ORDER BY 1 DESC`,
    [tenantId],
  )
  return { tenantId, ids: rows.map(({ id }) => id) }
}

describe.each([
  ['fewer events than a page first examines', 50],
  ['fewer events than a page examines', 10],
  ['more events than a page examines', 3],
])('a subject in a long queue with %s', (_, every) => {
  test.each([{ objectId: 'subject' }, { accountId: 'subject' }])(
    'is found completely by %p',
    async (filter) => {
      const { tenantId, ids } = await makeSubject(every)
      expect(ids.length).toBeGreaterThan(queued / every - 1)
      expect((await follow({ tenantId, ...filter }, 50)).ids).toEqual(ids)
      expect((await follow({ tenantId, ...filter }, 7)).ids).toEqual(ids)
    },
  )

  test.each([{ objectId: 'subject' }, { accountId: 'subject' }])(
    'is found once by %p while it finishes',
    async (filter) => {
      const { tenantId, ids } = await makeSubject(every)
      const unfinished = [...ids]
      const between = async (): Promise<void> => {
        const next = [...unfinished.splice(0, 9), ...unfinished.splice(-9)]
        if (next.length > 0) await succeed(database, next)
      }
      expect((await follow({ tenantId, ...filter }, 20, between)).ids).toEqual(ids)
    },
  )
})
