import { attemptsOfJobId } from '@hosting/redis'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import request from 'supertest'
import { useApi, type TestApi } from '../../../../test/support/api.ts'
import { testConfig, testEnvironment } from '../../../../test/support/environment.ts'
import { buildEvent, countEventRows, publish } from '../support/events.ts'
import { startTcpProxy } from '../../../../test/support/tcp-proxy.ts'
import { until } from '../support/until.ts'
import { makeWebhook } from '../support/webhooks.ts'

const redis = new Redis(testEnvironment()['REDIS_URL']!)
beforeAll(async () => {
  await redis.flushdb()
})
afterAll(async () => {
  await redis.flushdb()
  await redis.quit()
})

/** Longer than any delay of a busy machine. A publish that waited for Redis would wait until the end of the test. */
const promptMs = 30_000

const jobOf = (deliveryId: string) => redis.hgetall(`hosting:{deliveries-0}:${deliveryId}-1`)

/** How many attempts have jobs. Of the other keys some lapse by themselves. */
const countJobs = async (): Promise<number> => {
  const keys = await redis.keys('hosting:{deliveries-0}:*-1*')
  return keys.reduce((sum, key) => sum + attemptsOfJobId(key), 0)
}

const heldForMs = async ({ database }: TestApi, deliveryId: string): Promise<number> => {
  const { rows } = await database.pool.query<{ ms: number }>(
    `SELECT (extract(epoch FROM held_until - now()) * 1000)::float8 AS ms
     FROM pending_deliveries WHERE delivery_id = $1`,
    [deliveryId],
  )
  return rows[0]!.ms
}

/** Keeps holds from being released; gives how to let go. */
async function keepHolds({ database }: TestApi): Promise<() => Promise<void>> {
  const client = await database.pool.connect()
  await client.query('SELECT pg_advisory_lock(1)')
  await client.query(`CREATE FUNCTION keep_hold() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END'`)
  await client.query(`CREATE TRIGGER keep_hold BEFORE UPDATE ON pending_deliveries FOR EACH ROW
    EXECUTE FUNCTION keep_hold()`)
  return async () => {
    await client.query('SELECT pg_advisory_unlock(1)')
    await client.query('DROP FUNCTION keep_hold CASCADE')
    client.release()
  }
}

async function makeSubscribed(api: TestApi) {
  const { tenant, token } = await api.makeAdmin()
  return { tenant, token, webhook: await makeWebhook(api, token) }
}

async function publishPromptly(api: TestApi, tenantId: string): Promise<string> {
  const startedAt = performance.now()
  const { deliveryIds } = await publish(api, tenantId)
  expect(performance.now() - startedAt).toBeLessThan(promptMs)
  expect(deliveryIds).toHaveLength(1)
  return deliveryIds[0]!
}

const redisIs = (api: TestApi, state: string) =>
  until(`Redis is ${state}`, async () => {
    const { body } = await request(api.internalUrl).get('/readyz')
    return body.checks.redis === state
  })

const absent = await startTcpProxy(() => testEnvironment()['REDIS_URL']!)
absent.sever()

describe('POST /events: Redis unavailable from the start', () => {
  const api = useApi({ REDIS_URL: absent.url })
  afterAll(() => absent.close())

  test('202 promptly; the delivery is committed and available to the relay', async () => {
    const { tenant } = await makeSubscribed(api)
    const deliveryId = await publishPromptly(api, tenant.id)
    expect(await heldForMs(api, deliveryId)).toBeLessThan(0)
    expect(await countEventRows(api, tenant.id)).toMatchObject({ pending_deliveries: 1 })
  })

  test('202 promptly for 1,000 events', async () => {
    const { tenant } = await makeSubscribed(api)
    const events = Array.from({ length: 1_000 }, () => buildEvent(tenant.id))
    const startedAt = performance.now()
    const { status } = await api.callInternal('post', '/events', { events })
    expect(status).toBe(202)
    expect(performance.now() - startedAt).toBeLessThan(promptMs)
    expect(await countEventRows(api, tenant.id)).toMatchObject({ pending_deliveries: 1_000 })
  })

  test('jobs are added once Redis is available', async () => {
    const { tenant } = await makeSubscribed(api)
    absent.restore()
    await redisIs(api, 'ok')
    const brought = await until('a publish brings its job', async () => {
      const { deliveryIds } = await publish(api, tenant.id)
      return 'data' in (await jobOf(deliveryIds[0]!))
    })
    expect(brought).toBe(true)
  })
})

describe('POST /events: with Redis', () => {
  const api = useApi()

  test('202 adds a job with only ids for each enabled endpoint, and reserves the delivery for the job', async () => {
    const { tenant, token, webhook } = await makeSubscribed(api)
    await makeWebhook(api, token, { enabled: false })
    await redisIs(api, 'ok')
    const { deliveryIds } = await publish(api, tenant.id)
    const { body } = await api.call('get', `/webhooks/${webhook.id}/deliveries`, { token })
    const deliveryId = body.items[0].id
    const waiting = deliveryIds.find((id) => id !== deliveryId)!

    const job = await until('the job is there', async () => {
      const found = await jobOf(deliveryId)
      return 'data' in found && found
    })
    expect(JSON.parse(job['data']!)).toEqual({
      deliveryId,
      endpointId: webhook.id,
      tenantId: tenant.id,
      number: 1,
    })
    expect(JSON.stringify(job)).not.toContain('a.example')
    const ms = await heldForMs(api, deliveryId)
    expect(ms).toBeGreaterThan(0)
    expect(ms).toBeLessThanOrEqual(testConfig().jobHoldMs)

    expect(await jobOf(waiting)).toEqual({})
    expect(await heldForMs(api, waiting)).toBeLessThan(0)
  })

  test('a repeated event adds no further job', async () => {
    const { tenant } = await makeSubscribed(api)
    const event = buildEvent(tenant.id, { id: tenant.id })
    const { deliveryIds } = await publish(api, tenant.id, { id: event.id })
    await until('the job is there', async () => 'data' in (await jobOf(deliveryIds[0]!)))
    const jobs = await countJobs()
    expect((await api.callInternal('post', '/events', event)).status).toBe(202)
    const second = await publish(api, tenant.id)
    await until(
      'the next job is there',
      async () => 'data' in (await jobOf(second.deliveryIds[0]!)),
    )
    expect(await countJobs()).toBe(jobs + 1)
  })

  test('202 for a burst adds jobs for a part of it and leaves the rest to the relay; other organizations still get jobs', async () => {
    const [{ tenant: busy }, { tenant: quiet }] = [
      await makeSubscribed(api),
      await makeSubscribed(api),
    ]
    const jobs = await countJobs()
    const events = Array.from({ length: 250 }, () => buildEvent(busy.id))
    expect((await api.callInternal('post', '/events', { events })).status).toBe(202)
    const { rows } = await api.database.pool.query<{ held: number; deliveries: number }>(
      `SELECT count(*) FILTER (WHERE held_until > now())::int AS held, count(*)::int AS deliveries
       FROM pending_deliveries WHERE tenant_id = $1`,
      [busy.id],
    )
    expect(rows).toEqual([{ held: 100, deliveries: 250 }])
    const { deliveryIds } = await publish(api, quiet.id)
    expect(await heldForMs(api, deliveryIds[0]!)).toBeGreaterThan(0)
    await until('the jobs are there', async () => (await countJobs()) === jobs + 101)
  })

  test('a refused batch adds no jobs', async () => {
    const { tenant } = await makeSubscribed(api)
    const jobs = await countJobs()
    const events = [buildEvent(tenant.id), { ...buildEvent(tenant.id), type: 'x' }]
    expect((await api.callInternal('post', '/events', { events })).status).toBe(422)
    const { deliveryIds } = await publish(api, tenant.id)
    await until('the next job is there', async () => 'data' in (await jobOf(deliveryIds[0]!)))
    expect(await countJobs()).toBe(jobs + 1)
  })
})

const proxy = await startTcpProxy(() => testEnvironment()['REDIS_URL']!)

describe('POST /events: Redis becomes unavailable', () => {
  const api = useApi({ REDIS_URL: proxy.url })
  afterAll(() => proxy.close())

  test('202 promptly while Redis refuses connections, and jobs are added again afterwards', async () => {
    const { tenant } = await makeSubscribed(api)
    await redisIs(api, 'ok')
    proxy.sever()
    await publishPromptly(api, tenant.id)
    await redisIs(api, 'degraded')
    const during = await publishPromptly(api, tenant.id)
    expect(await heldForMs(api, during)).toBeLessThan(0)

    proxy.restore()
    await redisIs(api, 'ok')
    await until('a publish brings its job', async () => {
      const { deliveryIds } = await publish(api, tenant.id)
      return (await heldForMs(api, deliveryIds[0]!)) > 0
    })
  })

  test('202 promptly while Redis does not respond, and the relay soon takes the delivery', async () => {
    const { tenant } = await makeSubscribed(api)
    proxy.restore()
    await redisIs(api, 'ok')
    await until('the queue is known to be short', async () => {
      const { deliveryIds } = await publish(api, tenant.id)
      return (await heldForMs(api, deliveryIds[0]!)) > 0
    })
    const letGo = await keepHolds(api)
    let deliveryId = ''
    try {
      proxy.silence({ connections: 'all' })
      // A request that waits for Redis to respond or to time out would also wait for the hold.
      deliveryId = await publishPromptly(api, tenant.id)
      expect(await heldForMs(api, deliveryId)).toBeGreaterThan(0)
    } finally {
      await letGo()
    }
    const released = async () => (await heldForMs(api, deliveryId)) < 0
    expect(await until('the hold is released', released)).toBe(true)
  })
})
