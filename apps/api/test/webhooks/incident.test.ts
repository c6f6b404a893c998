import { incidentAttemptsMax } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { recordAttempts as recordMade } from '../../../../test/support/recorded-attempts.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { failure, lastFailure, makeAttempts, success } from '../support/attempts.ts'
import { makeSubscriber, type Subscriber } from '../support/delivery-list.ts'
import { publish } from '../support/events.ts'
import { recordAttempts } from '../support/recorded-attempts.ts'
import { notFound, refusalOf } from '../support/refusals.ts'
import { rollingBack } from '../../../../packages/postgres/test/support/database.ts'

const api = useApi()
const request = {
  verb: 'get',
  path: `/webhooks/${randomUUID()}/incidents/${randomUUID()}`,
} as const

testAccess(api, request, readsWebhooks)
testSecretsStore(request)

async function read({ token, webhookId }: Subscriber) {
  const path = `/webhooks/${webhookId}/incidents`
  const { items } = (await api.call('get', path, { token })).body
  const { status, body } = await api.call('get', `${path}/${items[0].id}`, { token })
  expect(status).toBe(200)
  const { timeline, affected, delivered_since, missing, complete, ...record } = body.incident
  expect(record).toEqual(items[0])
  return {
    complete: complete as boolean,
    timeline: timeline as { error_class: string; status_code: number | null; attempts: number }[],
    events: [affected, delivered_since, missing],
  }
}

/** Records failures in their order, each with its error class and status code, a second apart. */
async function recordFailures(
  { tenant, webhookId }: Subscriber,
  failures: readonly (readonly [string, number | null])[],
): Promise<Date[]> {
  const startMs = Date.now() - failures.length * 1_000
  const startedAt = failures.map((_, index) => new Date(startMs + index * 1_000))
  await recordMade(
    api.database.pool,
    failures.map(([errorClass, statusCode], index) => ({
      tenantId: tenant.id,
      endpointId: webhookId,
      number: 2,
      startedAt: startedAt[index]!,
      statusCode,
      errorClass,
    })),
  )
  return startedAt
}

describe('GET /webhooks/{id}/incidents/{incident_id}', () => {
  test('200 has a span for successive attempts that failed in the same way, without those around it', async () => {
    const subscriber = await makeSubscriber(api)
    await recordAttempts(api, subscriber, 'FFFFFFS')
    await recordAttempts(api, subscriber, 'FS')
    const started = await recordFailures(subscriber, [
      ['http_error', 500],
      ['http_error', 500],
      ['http_error', 503],
      ['connection_reset', null],
      ['connection_reset', null],
      ['timeout', null],
      ['http_error', 500],
    ])
    const at = (index: number, ms = 0) => new Date(started[index]!.getTime() + ms).toISOString()
    const span = (
      first: number,
      last: number,
      error_class: string,
      status_code: number | null,
    ) => ({
      start: at(first),
      end: at(last, 10),
      error_class,
      status_code,
      attempts: last - first + 1,
    })
    const timeline = [
      span(0, 1, 'http_error', 500),
      span(2, 2, 'http_error', 503),
      span(3, 4, 'connection_reset', null),
      span(5, 5, 'timeout', null),
      span(6, 6, 'http_error', 500),
    ]
    expect(await read(subscriber)).toEqual({ complete: true, timeline, events: [0, 0, 0] })
    await recordAttempts(api, subscriber, 'SF')
    expect(await read(subscriber)).toEqual({ complete: true, timeline, events: [0, 0, 0] })
  })

  test('200 divides an incident with more spans into 100 parts, each with its most frequent failure', async () => {
    const subscriber = await makeSubscriber(api)
    const failures = Array.from({ length: 400 }, (_, index) =>
      index % 4 === 0 ? (['timeout', null] as const) : (['http_error', 500 + (index % 2)] as const),
    )
    await recordFailures(subscriber, failures)
    const { timeline } = await read(subscriber)
    expect(timeline.length).toBeGreaterThan(90)
    expect(timeline.length).toBeLessThanOrEqual(100)
    expect(timeline.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(400)
    expect(new Set(timeline.slice(0, -1).map(({ status_code }) => status_code))).toEqual(
      new Set([501]),
    )
  })

  test('200 counts the events whose first attempt failed in it, and those that have arrived since', async () => {
    const subscriber = await makeSubscriber(api)
    const { tenant, token } = subscriber
    const deliver = async (attempts: Parameters<typeof makeAttempts>[2]) => {
      const { deliveryIds } = await publish(api, tenant.id)
      await makeAttempts(api, deliveryIds[0]!, attempts)
      return deliveryIds[0]!
    }
    const redeliver = async (id: string, attempts: Parameters<typeof makeAttempts>[2]) => {
      const path = `/webhook-deliveries/${id}/redeliver`
      const { body } = await api.call('post', path, { token })
      await makeAttempts(api, body.delivery.id, attempts)
    }
    await deliver([failure, success])
    const dead: string[] = []
    for (let made = 0; made < 3; made++) dead.push(await deliver([lastFailure]))
    const ping = await api.call('post', `/webhooks/${subscriber.webhookId}/ping`, { token })
    await makeAttempts(api, ping.body.delivery.id, [lastFailure])
    await redeliver(dead[0]!, [lastFailure])
    await deliver([failure])
    expect((await read(subscriber)).events).toEqual([4, 0, 4])
    await redeliver(dead[0]!, [success])
    await deliver([failure, success])
    await redeliver(dead[1]!, [success])
    expect((await read(subscriber)).events).toEqual([4, 2, 2])
  })

  test('200 says that only the first 20,000 failed attempts of a larger incident were read', async () => {
    const subscriber = await makeSubscriber(api)
    const { tenant, webhookId } = subscriber
    const { deliveryIds } = await publish(api, tenant.id)
    await makeAttempts(api, deliveryIds[0]!, [failure])
    await recordAttempts(api, subscriber, 'FFFFF')
    await api.database.pool.query(
      `INSERT INTO delivery_attempts (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class)
       SELECT uuidv7(interval '1 minute'), gen_random_uuid(), $1, $2, 2, now() + interval '1 minute', 5, 503, 'http_error'
       FROM generate_series(1, $3)`,
      [webhookId, tenant.id, incidentAttemptsMax],
    )
    await api.database.pool.query(
      'UPDATE webhook_incidents SET failed_attempts = failed_attempts + $2 WHERE endpoint_id = $1',
      [webhookId, incidentAttemptsMax],
    )
    const { complete, timeline, events } = await read(subscriber)
    expect(complete).toBe(false)
    expect(timeline.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(incidentAttemptsMax)
    expect(events).toEqual([1, 0, 1])
  })

  test('200 leaves out what PostgreSQL does not read in time', async () => {
    const subscriber = await makeSubscriber(api)
    await recordAttempts(api, subscriber, 'FFFFF')
    await rollingBack(api.database, async (client) => {
      await client.query('LOCK TABLE delivery_attempts')
      expect(await read(subscriber)).toEqual({
        complete: false,
        timeline: [],
        events: [null, null, null],
      })
    })
  })

  test('the incidents of a deleted endpoint stay readable', async () => {
    const subscriber = await makeSubscriber(api)
    await recordAttempts(api, subscriber, 'FFFFF')
    const { token, webhookId } = subscriber
    await api.call('delete', `/webhooks/${webhookId}`, { token })
    expect((await read(subscriber)).timeline).toMatchObject([{ status_code: 503, attempts: 5 }])
  })

  test("404 for a missing incident, and for another endpoint's or organization's", async () => {
    const [own, foreign] = [await makeSubscriber(api), await makeSubscriber(api)]
    await recordAttempts(api, foreign, 'FFFFF')
    const { token } = foreign
    const path = `/webhooks/${foreign.webhookId}/incidents`
    const { items } = (await api.call('get', path, { token })).body
    for (const [caller, webhookId, id] of [
      [own, foreign.webhookId, items[0].id],
      [own, own.webhookId, items[0].id],
      [foreign, foreign.webhookId, randomUUID()],
      [foreign, foreign.webhookId, 'nonsense'],
    ] as const) {
      const response = await api.call('get', `/webhooks/${webhookId}/incidents/${id}`, {
        token: caller.token,
      })
      expect(refusalOf(response)).toEqual(notFound)
    }
  })
})
