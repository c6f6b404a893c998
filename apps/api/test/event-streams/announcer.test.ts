import { createUuidv7 } from '@hosting/core/ids'
import { sessionConfigOf, openDatabase, type Database } from '@hosting/postgres/database'
import { streamChannels, parseAnnouncement } from '@hosting/postgres/webhooks'
import { createLogger } from '@hosting/process'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { useApi } from '../../../../test/support/api.ts'
import { startTcpProxy, type TcpProxy } from '../../../../test/support/tcp-proxy.ts'
import { Announcer, idsWaitingMax } from '../../src/api/event-streams/announcer.ts'
import { until } from '../support/until.ts'

const api = useApi()
const heard: ReturnType<typeof parseAnnouncement>[] = []
let subscriber: pg.Client

beforeAll(async () => {
  subscriber = new pg.Client(sessionConfigOf(api.database.directUrl))
  await subscriber.connect()
  subscriber.on('notification', ({ payload = '' }) => heard.push(parseAnnouncement(payload)))
  await subscriber.query(`LISTEN ${streamChannels.published}`)
})
afterAll(() => subscriber.end())

/** An organization with a stream on some process. */
async function listenedTenant(): Promise<string> {
  const { id } = await api.makeTenant()
  await api.database.pool.query(
    `INSERT INTO webhook_listeners (tenant_id, slot, id, expires_at, caller)
     VALUES ($1, 0, $2, now() + interval '1 minute', 'user')`,
    [id, randomUUID()],
  )
  return id
}

const eventsOf = (tenantId: string, count: number) =>
  Array.from({ length: count }, () => ({ id: createUuidv7(), tenantId }))

const heardOf = (tenantId: string) => heard.filter((each) => each.tenantId === tenantId)

describe('the announcer', () => {
  test('announces only events of organizations that have streams', async () => {
    const listened = await listenedTenant()
    const unlistened = (await api.makeTenant()).id
    const announcer = new Announcer(api.database, createLogger('test', 'silent'))
    const events = eventsOf(listened, 450)
    announcer.add([...eventsOf(unlistened, 450), ...events])
    await until('all are heard', async () => heardOf(listened).length === 3)
    expect(heardOf(listened).flatMap(({ ids }) => ids)).toEqual(events.map(({ id }) => id))
    expect(heardOf(unlistened)).toEqual([])
  })

  test('announces events as missed if more are waiting than it keeps', async () => {
    const [listened, other] = [await listenedTenant(), await listenedTenant()]
    const announcer = new Announcer(api.database, createLogger('test', 'silent'))
    announcer.add([...eventsOf(listened, idsWaitingMax + 50), ...eventsOf(other, 1)])
    await until('both are heard', async () => heardOf(other).length > 0)
    expect(heardOf(listened)).toEqual([{ tenantId: listened, ids: 'missed' }])
    expect(heardOf(other)).toHaveLength(1)
    const [after] = eventsOf(listened, 1)
    announcer.add([after!])
    await until('the next one is heard', async () => heardOf(listened).length === 2)
    expect(heardOf(listened)[1]).toEqual({ tenantId: listened, ids: [after!.id] })
  })
  describe('without its database', () => {
    let proxy: TcpProxy
    let database: Database
    let announcer: Announcer
    let failed: Promise<void>

    beforeEach(async () => {
      proxy = await startTcpProxy(() => api.database.directUrl)
      database = openDatabase(proxy.url, { onError: () => undefined })
      const { promise, resolve } = Promise.withResolvers<void>()
      failed = promise
      announcer = new Announcer(database, { warn: () => resolve() })
      proxy.sever()
    })
    afterEach(async () => {
      await database.close()
      await proxy.close()
    })

    test('announces the events as missed when it is back, and later events as usual', async () => {
      const [first, second] = [await listenedTenant(), await listenedTenant()]
      announcer.add([...eventsOf(first, 2), ...eventsOf(second, 1)])
      announcer.add(eventsOf(first, 1))
      await failed
      announcer.add(eventsOf(first, 1))
      proxy.restore()
      await until('both are heard', async () => heardOf(second).length > 0)
      expect(heardOf(first)).toEqual([{ tenantId: first, ids: 'missed' }])
      expect(heardOf(second)).toEqual([{ tenantId: second, ids: 'missed' }])
      const [after] = eventsOf(first, 1)
      announcer.add([after!])
      await until('the next one is heard', async () => heardOf(first).length === 2)
      expect(heardOf(first)[1]).toEqual({ tenantId: first, ids: [after!.id] })
    })

    test('closing waits until the events are announced as missed', async () => {
      const tenantId = await listenedTenant()
      announcer.add(eventsOf(tenantId, 1))
      await failed
      proxy.restore()
      await announcer.close()
      await until('it is heard', async () => heardOf(tenantId).length > 0)
      expect(heardOf(tenantId)).toEqual([{ tenantId, ids: 'missed' }])
    })

    test('closing does not wait until it is back', async () => {
      announcer.add(eventsOf(await listenedTenant(), 1))
      await failed
      await announcer.close()
    })
  })
})
