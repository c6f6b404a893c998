import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { buildEvent, publish } from '../support/events.ts'
import { until } from '../support/until.ts'
import { api, open, begin, tryWith } from '../support/listeners.ts'

const hasty = useApi({ LISTEN_HEARTBEAT_SECONDS: '0.2' })

describe('GET /webhooks/listen: failures', () => {
  const withoutRedis = useApi({ REDIS_URL: 'redis://127.0.0.1:1' })

  test('without Redis, events still arrive', async () => {
    const tenant = await withoutRedis.makeTenant()
    const listener = await begin((await tenant.makeKey()).token, withoutRedis)
    const { id } = await publish(withoutRedis, tenant.id)
    expect((await listener.next()).body).toContain(id)
  })

  test('a client that reads nothing is disconnected as too_slow, without delaying publishing or other clients', async () => {
    const { tenant, token } = await api.makeAdmin()
    const [slow, quick] = [await begin(token), await begin(token)]
    slow.pause()
    const event = buildEvent(tenant.id)
    // In JSON six times as long, so that few events are enough: who takes nothing is cut off after ten seconds anyway.
    const long = '\u0001'.repeat(255)
    const data = { ...event.data, object_id: long, account_id: long, primary_domain: long }
    const [batches, perBatch] = [8, 300]
    const takeBatch = async () => {
      for (let taken = 0; taken < perBatch; taken++) await quick.next()
    }
    let taking = Promise.resolve()
    for (let batch = 0; batch < batches; batch++) {
      const events = Array.from({ length: perBatch }, () => ({ ...event, data }))
      expect((await api.callInternal('post', '/events', { events })).status).toBe(202)
      await taking
      taking = takeBatch()
    }
    slow.resume()
    expect(await slow.ending()).toMatchObject({ code: 'too_slow' })
    await taking
  })

  test('a stream whose slot was lost ends', async () => {
    const tenant = await hasty.makeTenant()
    const listener = await begin((await tenant.makeKey()).token, hasty)
    await api.database.pool.query('DELETE FROM webhook_listeners WHERE tenant_id = $1', [tenant.id])
    expect(await listener.ending()).toMatchObject({ code: 'interrupted' })
  })

  // This ends the streams of every API of the file, and whoever listens then is refused for a while.
  test('every stream is notified when announcements may have been missed, and new streams can start', async () => {
    const { token } = await (await api.makeTenant()).makeKey()
    const listener = await begin(token)
    await api.database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'hosting-key-changes' AND datname = current_database()`,
    )
    expect(await listener.ending()).toMatchObject({ code: 'interrupted' })
    const again = await until('it hears again', async () => {
      const response = await tryWith(token)
      return 'secret' in response && response
    })
    open.push(again)
  })
})
