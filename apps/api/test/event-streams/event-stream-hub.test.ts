import { createLogger } from '@hosting/process'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { EventStreamHub } from '../../src/api/event-streams/event-stream-hub.ts'

const api = useApi()
const caller = { name: 'user', keyId: undefined, ids: [], recheck: () => undefined }

describe('the hub of event streams', () => {
  const openHub = () =>
    new EventStreamHub({
      database: api.database,
      log: createLogger('test', 'silent'),
      changes: { isListening: () => true, waitForAcks: () => Promise.resolve(true) },
      heartbeatMs: 15_000,
    })

  test('a stream ends if the connection that receives announcements is lost while it opens', async () => {
    const hub = openHub()
    const opening = hub.open((await api.makeTenant()).id, caller)
    hub.onDisconnected()
    const { feed, close } = await opening
    expect(feed.ending).toMatchObject({ code: 'interrupted' })
    await close()
  })

  test('a stream that opens after the connection was restored stays open', async () => {
    const hub = openHub()
    hub.onDisconnected()
    const { feed, close } = await hub.open((await api.makeTenant()).id, caller)
    expect(feed.ending).toBeUndefined()
    await close()
  })
})
