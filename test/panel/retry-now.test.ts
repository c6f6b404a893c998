import { describe, expect, test } from '@jest/globals'
import { failure, makeAttempts, startAttempt } from '../../apps/api/test/support/attempts.ts'
import { publish } from '../../apps/api/test/support/events.ts'
import { makeSubscriber } from '../../apps/api/test/support/delivery-list.ts'
import { recordAttempts } from '../../apps/api/test/support/recorded-attempts.ts'
import { useApi } from '../support/api.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi()

/** A person of an organization with an endpoint, and two deliveries that wait for a retry. */
async function enter(options: Parameters<typeof makeSignedIn>[2] = {}) {
  const subscriber = await makeSubscriber(api)
  const ids: string[] = []
  for (let left = 2; left > 0; left--) {
    const [id] = (await publish(api, subscriber.tenant.id)).deliveryIds
    await makeAttempts(api, id!, [failure])
    ids.push(id!)
  }
  const person = await makeSignedIn(api, subscriber.tenant, options)
  const visitor = visitorOf(api, person)
  const dueOf = async (): Promise<number> => {
    const { rows } = await api.database.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pending_deliveries
       WHERE endpoint_id = $1 AND due_at <= now()`,
      [subscriber.webhookId],
    )
    return rows[0]!.count
  }
  const call = callWith(api, person)
  return { ...subscriber, ids, visitor, dueOf, call, path: `/webhooks/${subscriber.webhookId}` }
}

const retry = { do: 'retry-now' }

describe('Retry now', () => {
  test('on a delivery makes it due immediately', async () => {
    const { ids, visitor, dueOf } = await enter()
    expect((await visitor.get(`/deliveries/${ids[0]}`)).text).toContain('Retry now')
    const page = await visitor.submit(`/deliveries/${ids[0]}`, retry)
    expect(page.text).toContain('Retry requested. The next attempt is due now.')
    expect(await dueOf()).toBe(1)
    expect((await visitor.get(`/deliveries/${ids[0]}`)).text).not.toContain('Retry now')
  })

  test('on a delivery that is being sent is refused on its page', async () => {
    const { ids, visitor } = await enter()
    await startAttempt(api, ids[0]!, 2)
    const page = await visitor.submit(`/deliveries/${ids[0]}`, retry)
    expect(page.text).toContain('the delivery is not waiting for a retry')
  })

  test('on an endpoint makes all its retries due once and shows their number', async () => {
    const { visitor, dueOf, path } = await enter()
    expect((await visitor.get(path)).text).toContain('2 deliveries wait for the next attempt')
    expect((await visitor.submit(path, retry)).text).toContain('2 deliveries are due now')
    expect(await dueOf()).toBe(2)
    expect((await visitor.get(path)).text).not.toContain('wait for the next attempt')
    expect((await visitor.submit(path, retry)).text).toContain('No delivery was waiting')
  })

  test('on an endpoint shows how many retries are left until all have been sent', async () => {
    const { ids, visitor, path } = await enter()
    await visitor.submit(path, retry)
    expect((await visitor.get(path)).text).toContain('2 deliveries are due now')
    await startAttempt(api, ids[0]!, 2)
    expect((await visitor.get(path)).text).toContain('2 deliveries are due now')
    const complete = (id: string) =>
      api.database.pool.query('DELETE FROM pending_deliveries WHERE delivery_id = $1', [id])
    await complete(ids[1]!)
    expect((await visitor.get(path)).text).toContain('1 delivery is due now')
    await complete(ids[0]!)
    expect((await visitor.get(path)).text).not.toContain('due now')
  })

  test('is offered on the newest incident after it has just closed', async () => {
    const { visitor, path, tenant, webhookId } = await enter()
    const incidents = `${path}/incidents`
    const isOffered = async () =>
      (await visitor.get(incidents)).text.includes('Retry 2 deliveries now')
    await recordAttempts(api, { tenant, webhookId }, 'FFFFF')
    expect(await isOffered()).toBe(false)
    await recordAttempts(api, { tenant, webhookId }, 'S')
    expect(await isOffered()).toBe(true)
    expect((await visitor.get(path)).text).toContain('The endpoint has recovered')
    await recordAttempts(api, { tenant, webhookId }, 'F')
    expect(await isOffered()).toBe(true)
    expect((await visitor.get(path)).text).not.toContain('The endpoint has recovered')
    await api.database.pool.query(
      `UPDATE webhook_incidents SET opened_at = opened_at - interval '25 hours',
         closed_at = closed_at - interval '25 hours' WHERE endpoint_id = $1`,
      [webhookId],
    )
    expect(await isOffered()).toBe(false)
  })

  test('is offered by the recovery page, which counts both kinds', async () => {
    const { visitor, path } = await enter()
    const { text } = await visitor.get(`${path}/recover`)
    expect(text.replaceAll(/<[^>]*>/g, '')).toContain(
      '0 failed for good, 2 waiting for their next attempt',
    )
    expect(text).toContain(`action="${path}"`)
    expect(text).toContain('Retry 2 deliveries now')
  })

  test('is not offered for a disabled endpoint, and is refused for it', async () => {
    const { visitor, path, call, ids } = await enter()
    await call('patch', path, { body: { enabled: false } })
    for (const at of [path, `${path}/recover`, `/deliveries/${ids[0]}`]) {
      expect((await visitor.get(at)).text).not.toMatch(/Retry (now|2)/)
    }
    expect((await visitor.submit(path, retry)).text).toContain('role="alert"')
  })

  test('is not offered to people with read access, and is refused for them', async () => {
    const { visitor, path, ids, dueOf } = await enter({ roles: ['support'] })
    expect((await visitor.get(path)).text).toContain('2 deliveries wait for the next attempt')
    for (const at of [path, `/deliveries/${ids[0]}`]) {
      expect((await visitor.get(at)).text).not.toMatch(/Retry (now|2)/)
      expect((await visitor.post(at, retry)).status).not.toBe(200)
    }
    expect(await dueOf()).toBe(0)
  })
})
