import { createUuidv7 } from '@hosting/core/ids'
import { listenerChannels, parseAnnouncement } from '@hosting/postgres/webhooks'
import { createLogger } from '@hosting/process'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { useApi } from '../../../../test/support/api.ts'
import { Announcer, idsWaitingMax } from '../../src/event-streams/announcer.ts'
import { until } from '../support/until.ts'

const api = useApi()
const heard: ReturnType<typeof parseAnnouncement>[] = []
let subscriber: pg.Client

beforeAll(async () => {
  subscriber = new pg.Client({ connectionString: api.database.directUrl })
  await subscriber.connect()
  subscriber.on('notification', ({ payload = '' }) => heard.push(parseAnnouncement(payload)))
  await subscriber.query(`LISTEN ${listenerChannels.published}`)
})
afterAll(() => subscriber.end())

/** An organization with a listener on some process. */
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
  test('announces only events of organizations that have listeners', async () => {
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
})
