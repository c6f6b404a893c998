import { createUuidv7, createUuidv7At, timeOfUuidv7 } from '@hosting/core/ids'
import {
  publishEvents,
  readEventLog,
  type EventLogFilter,
  type EventLogPage,
  type EventLogStart,
  type NewEvent,
} from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { agedRecords } from '../support/aged-records.ts'
import { explainStatements } from '../../../../test/support/statement-cost.ts'
import { useDatabase } from '../support/database.ts'
import { buildEvent, makeTenant } from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

const dayMs = 86_400_000
const minuteMs = 60_000

/** An event whose payload is its number. */
const numbered = (tenantId: string, number: number, members: Partial<NewEvent> = {}): NewEvent =>
  buildEvent(tenantId, { payload: String(number), ...members })

const publish = (events: readonly NewEvent[]) => publishEvents(database, events, undefined)

async function read(
  filter: EventLogFilter,
  start: EventLogStart,
  limits: { take?: number; examinedMax?: number } = {},
): Promise<EventLogPage> {
  const page = await readEventLog(database, filter, { start, take: 100, ...limits })
  if (page === 'too_old') throw new Error('The cursor is too old')
  return page
}

describe('readEventLog', () => {
  test('returns the events in the order of acceptance, page by page, then later ones', async () => {
    const tenantId = await makeTenant(database)
    await publish([1, 2, 3].map((number) => numbered(tenantId, number)))
    const first = await read({ tenantId }, undefined, { take: 2 })
    expect(first.payloads).toEqual(['1', '2'])
    const second = await read({ tenantId }, { cursor: first.next }, { take: 2 })
    expect(second.payloads).toEqual(['3'])
    const third = await read({ tenantId }, { cursor: second.next })
    expect(third.payloads).toEqual([])
    await publish([numbered(tenantId, 4)])
    expect((await read({ tenantId }, { cursor: third.next })).payloads).toEqual(['4'])
  })

  test('a page of a subject with many events reads only the events that it returns', async () => {
    const tenantId = await makeTenant(database)
    const { makeDay } = agedRecords(database)
    for (let day = 28; day >= 2; day--) await makeDay(day)
    await database.pool.query(
      `INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, object_id, account_id,
         position)
       SELECT uuid_v7_floor(now() - day * interval '1 day' + n * interval '1 ms'), gen_random_uuid(), $1, 'site.created',
         now(), '{}', 0, 'site-' || n % 20, 'account-' || n % 20, nextval('event_positions')
       FROM (SELECT generate_series(2, 28) AS day UNION ALL SELECT 0) AS days,
         generate_series(1, CASE day WHEN 0 THEN 40000 ELSE 600 END) AS n ORDER BY day DESC, n`,
      [tenantId],
    )
    await database.pool.query('VACUUM (ANALYZE) events')
    for (const filter of [{}, { objectId: 'site-1' }, { accountId: 'account-1' }]) {
      const explained = explainStatements(database)
      const page = await readEventLog(
        explained.database,
        { tenantId, ...filter },
        { start: undefined, take: 100 },
      )
      expect(page).toHaveProperty('payloads.length', 100)
      expect(explained.cost().rows).toBeLessThanOrEqual(200)
      expect(explained.cost().blocks).toBeLessThan(600)
    }
  })

  test('contains no events of other organizations', async () => {
    const [own, other] = [await makeTenant(database), await makeTenant(database)]
    await publish([numbered(own, 1), numbered(other, 2)])
    expect((await read({ tenantId: own }, undefined)).payloads).toEqual(['1'])
  })

  test('continues after the last event examined if few events match', async () => {
    const tenantId = await makeTenant(database)
    const types = ['site.created', 'job.failed', 'job.failed', 'job.failed', 'site.created']
    await publish(types.map((type, number) => numbered(tenantId, number, { type })))
    const filter = { tenantId, types: ['site.*'] }
    const first = await read(filter, undefined, { examinedMax: 3 })
    expect(first.payloads).toEqual(['0'])
    expect((await read(filter, { cursor: first.next }, { examinedMax: 3 })).payloads).toEqual(['4'])
  })

  test('returns the cursor of the request at the end, and a later one for other empty pages', async () => {
    const tenantId = await makeTenant(database)
    const types = ['job.failed', 'job.failed', 'job.failed', 'site.created']
    await publish(types.map((type, number) => numbered(tenantId, number, { type })))
    const filter = { tenantId, types: ['site.*'] }
    const empty = await read(filter, undefined, { examinedMax: 3 })
    expect(empty.payloads).toEqual([])
    const page = await read(filter, { cursor: empty.next }, { examinedMax: 3 })
    expect(page.payloads).toEqual(['3'])
    const end = await read(filter, { cursor: page.next }, { examinedMax: 3 })
    expect(end).toEqual({ payloads: [], next: page.next })
    await publish([numbered(tenantId, 4, { type: 'job.failed' })])
    expect((await read(filter, { cursor: end.next })).next).toEqual(page.next)
    await publish([numbered(tenantId, 5)])
    expect((await read(filter, { cursor: end.next })).payloads).toEqual(['5'])
  })

  test('returns a newer cursor at the end for an old one, so that it does not expire', async () => {
    const tenantId = await makeTenant(database)
    const { next } = await read({ tenantId }, undefined)
    const cursor = { ...next, fromMs: next.fromMs - minuteMs }
    const end = await read({ tenantId }, { cursor })
    expect(end.next.fromMs).toBeGreaterThanOrEqual(next.fromMs)
    expect((await read({ tenantId }, { cursor: end.next })).next).toEqual(end.next)
  })

  test('finds the events of an object and of an account', async () => {
    const tenantId = await makeTenant(database)
    const about = (objectId: string, accountId: string | null) => ({
      subject: { objectId, accountId, name: null },
    })
    await publish([
      numbered(tenantId, 1, about('site-1', 'account-1')),
      numbered(tenantId, 2, about('site-2', 'account-1')),
      numbered(tenantId, 3, about('site-1', null)),
    ])
    const payloadsOf = async (filter: Omit<EventLogFilter, 'tenantId'>) =>
      (await read({ tenantId, ...filter }, undefined)).payloads
    expect(await payloadsOf({ objectId: 'site-1' })).toEqual(['1', '3'])
    expect(await payloadsOf({ accountId: 'account-1' })).toEqual(['1', '2'])
    expect(await payloadsOf({ accountId: 'account-1', objectId: 'site-1' })).toEqual(['1'])
  })

  test('starts with the first event created since a time, and continues with all later ones', async () => {
    const tenantId = await makeTenant(database)
    const agoDays = (days: number) => ({ createdAt: new Date(Date.now() - days * dayMs) })
    await publish([numbered(tenantId, 1, agoDays(3)), numbered(tenantId, 2, agoDays(1))])
    await publish([numbered(tenantId, 3, agoDays(3)), numbered(tenantId, 4, agoDays(0))])
    const since = { sinceMs: Date.now() - 2 * dayMs }
    const page = await read({ tenantId }, since, { take: 1 })
    expect(page.payloads).toEqual(['2'])
    const rest = await read({ tenantId }, { cursor: page.next })
    expect(rest.payloads).toEqual(['4'])
    await publish([numbered(tenantId, 5, agoDays(3))])
    expect((await read({ tenantId }, { cursor: rest.next })).payloads).toEqual(['5'])
  })

  test('finds the start among many events by their acceptance', async () => {
    const tenantId = await makeTenant(database)
    const startMs = Date.now() - 500 * minuteMs
    const events = Array.from({ length: 500 }, (_, number) => {
      const atMs = startMs + number * minuteMs
      return numbered(tenantId, number, { id: createUuidv7At(atMs), createdAt: new Date(atMs) })
    })
    await publish(events)
    for (const number of [0, 1, 250, 498, 499]) {
      const page = await read({ tenantId }, { sinceMs: startMs + number * minuteMs }, { take: 2 })
      expect(page.payloads).toEqual([number, number + 1].filter((each) => each < 500).map(String))
    }
  })

  test('starts with the oldest event for a time before the log', async () => {
    const tenantId = await makeTenant(database)
    await publish([numbered(tenantId, 1, { createdAt: new Date(Date.now() - 90 * dayMs) })])
    expect((await read({ tenantId }, { sinceMs: 0 })).payloads).toEqual(['1'])
  })

  test('refuses a cursor from before the log, but not that of a reader who continues after a long silence', async () => {
    const tenantId = await makeTenant(database)
    const { next } = await read({ tenantId }, undefined)
    const old = { ...next, fromMs: next.fromMs - 32 * dayMs }
    expect(await readEventLog(database, { tenantId }, { start: { cursor: old }, take: 1 })).toBe(
      'too_old',
    )
    const recent = { ...next, fromMs: next.fromMs - 29 * dayMs }
    expect((await read({ tenantId }, { cursor: recent })).payloads).toEqual([])
  })

  test('continues by time in a log whose positions may have been assigned again', async () => {
    const tenantId = await makeTenant(database)
    const old = createUuidv7At(timeOfUuidv7(createUuidv7()) - 10 * minuteMs)
    await publish([numbered(tenantId, 1, { id: old }), numbered(tenantId, 2)])
    const { next } = await read({ tenantId }, undefined)
    const ahead = String(BigInt(next.position) + 1_000_000n)
    const cursor = { ...next, position: ahead, logId: '00000000' }
    const page = await read({ tenantId }, { cursor })
    expect(page.payloads).toEqual(['2'])
    expect(page.next.logId).toBe(next.logId)
  })
})
