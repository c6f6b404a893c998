import { appRoutes } from '@bull-board/api/dist/routes.js'
import { listen, type Listener } from '@hosting/process'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import express from 'express'
import { Redis } from 'ioredis'
import { buildDue } from '../../../../test/support/attempts.ts'
import { useDatabase } from '../../../../packages/postgres/test/support/database.ts'
import { testEnvironment } from '../../../../test/support/environment.ts'
import { emptyRedis } from '../../../../test/support/own-stack.ts'
import { makeOwnRedis, type OwnRedis } from '../../../../test/support/own-redis.ts'
import { until } from '../../../../test/support/stack.ts'
import { queueBoard } from '../../src/operators/queue-board.ts'
import { basic, openOperators, opsToken, type Operators } from './operators.ts'

const database = useDatabase()
const redisUrl = testEnvironment()['REDIS_URL']!
let redis: Redis
let operators: Operators
/** The board without the guard. */
let unguarded: Listener
let queueNames: string[]

const job = { endpointId: 'endpoint-1', tenantId: 'tenant-1' }

beforeAll(async () => {
  await emptyRedis(redisUrl)
  redis = new Redis(redisUrl)
  operators = await openOperators({ DATABASE_URL: database.url, REDIS_URL: redisUrl })
  const { attempts, queueReader } = operators.services
  await until(
    () => Promise.resolve(attempts.isReady() && queueReader!.queues.length > 0),
    (isReady) => isReady,
  )
  await attempts.add([
    buildDue({ ...job, deliveryId: 'now-0000' }),
    buildDue({ ...job, deliveryId: 'later-0000', number: 2, delayMs: 3_600_000 }),
    buildDue({ ...job, deliveryId: 'slow-0000', number: 3, lane: 'slow' }),
  ])
  queueNames = queueReader!.queues.map(({ name }) => name)
  const app = express().use(
    '/queues',
    queueBoard(queueReader!, () => true),
  )
  unguarded = await listen(app, { host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await unguarded.close()
  await operators.close()
  redis.disconnect()
})

interface QueueList {
  readonly queues: readonly {
    readonly name: string
    readonly readOnlyMode: boolean
    readonly allowRetries: boolean
    readonly counts: Record<string, number>
    readonly jobs: readonly { readonly id: string; readonly data: unknown }[]
  }[]
}

const list = async (query: string): Promise<QueueList> =>
  (await (await operators.get(`/queues/api/queues?${query}`)).json()) as QueueList

test('lists every queue, with the jobs of the active one', async () => {
  const [normal, slow] = queueNames as [string, string]
  const waiting = await list(`activeQueue=${encodeURIComponent(normal)}&status=waiting`)
  expect(waiting.queues).toMatchObject([
    {
      name: normal,
      counts: { waiting: 1, delayed: 1 },
      jobs: [{ id: 'now-0000-1', data: { ...job, deliveryId: 'now-0000', number: 1 } }],
    },
    { name: slow, counts: { waiting: 1, delayed: 0 }, jobs: [] },
  ])
  const delayed = await list(`activeQueue=${encodeURIComponent(normal)}&status=delayed`)
  expect(delayed.queues[0]!.jobs.map(({ id }) => id)).toEqual(['later-0000-2'])
})

test('every queue is read-only and allows no retries', async () => {
  const { queues } = await list('')
  expect(queues.map(({ readOnlyMode, allowRetries }) => [readOnlyMode, allowRetries])).toEqual(
    queueNames.map(() => [true, false]),
  )
})

test('does not expose the addresses of Redis and the workers', async () => {
  expect((await operators.get('/queues/api/redis/stats')).status).toBe(403)
  const workers = await operators.get(
    `/queues/api/queues/${encodeURIComponent(queueNames[0]!)}/workers`,
  )
  expect(workers.status).toBe(403)
})

/** Bull Board's own routes, so that the tests include new ones. */
const routes = appRoutes.api.flatMap(({ method, route }) =>
  [method].flat().flatMap((verb) => [route].flat().map((path) => ({ verb, path }))),
)
const changing = routes.filter(({ verb }) => verb !== 'get')
const reading = routes.filter(({ verb }) => verb === 'get')

/** The path of a route for an existing job. */
const fill = (path: string): string =>
  `/queues${path}`
    .replace(':queueName', encodeURIComponent(queueNames[0]!))
    .replace(':jobId', 'later-0000-2')
    .replace(':queueStatus', path.includes('/retry/') ? 'failed' : 'wait')
    .replace(':schedulerId', 'none')

/** Everything in Redis. */
async function contents(): Promise<Record<string, string>> {
  const keys = (await redis.keys('*')).toSorted()
  const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)))
  return Object.fromEntries(keys.map((key, index) => [key, values[index]!.toString('hex')]))
}

describe('requests that could change something', () => {
  test('get 405 from every route, and change nothing', async () => {
    expect(changing.length).toBeGreaterThan(20)
    const before = await contents()
    for (const { verb, path } of changing) {
      const response = await fetch(operators.url + fill(path), change(verb))
      expect([path, response.status]).toEqual([path, 405])
    }
    expect(await contents()).toEqual(before)
  })

  test('change nothing even without the guard', async () => {
    const before = await contents()
    for (const { verb, path } of changing) {
      const response = await fetch(`http://127.0.0.1:${unguarded.port}${fill(path)}`, change(verb))
      await response.text()
    }
    expect(await contents()).toEqual(before)
  })

  test('reading changes nothing', async () => {
    const before = await contents()
    for (const { path } of reading) {
      expect((await operators.get(fill(path))).status).toBeLessThan(500)
    }
    expect(await contents()).toEqual(before)
  })
})

const change = (verb: string): RequestInit => ({
  method: verb.toUpperCase(),
  headers: { authorization: basic(opsToken), 'content-type': 'application/json' },
  body: JSON.stringify({
    name: 'attempt',
    data: {},
    jobData: {},
    options: {},
    concurrency: 1,
    max: 1,
    duration: 1_000,
    delay: 1,
    priority: 1,
    force: true,
    every: 1_000,
  }),
})

test('the page has no external resources and no inline styles', async () => {
  const html = await (await operators.get('/queues')).text()
  expect(html).not.toMatch(/https?:\/\/|<style|style=/)
  expect(html).toContain('<div id="root"></div>')
})

describe('while Redis is unavailable', () => {
  let own: OwnRedis
  let without: Operators
  beforeAll(async () => {
    own = await makeOwnRedis()
    await own.stop()
    without = await openOperators({ DATABASE_URL: database.url, REDIS_URL: own.url })
  })
  afterAll(async () => {
    await without.close()
    await own.remove()
  })

  const statusOf = async (path: string): Promise<number> => (await without.get(path)).status

  test('starts, and responds with 503 until Redis is available', async () => {
    const page = await without.get('/queues')
    expect([page.status, await page.text()]).toEqual([
      503,
      'Redis is down, so there are no queues to show.\n',
    ])
    const response = await without.get('/queues/api/queues')
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { message: 'Redis is down.' },
    ])
    await own.start('kept')
    expect(
      await until(
        () => statusOf('/queues/api/queues'),
        (status) => status === 200,
      ),
    ).toBe(200)
  })

  test('responds with 500 while Redis hangs, and recovers', async () => {
    await own.hang()
    const response = await without.get('/queues/api/queues')
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { message: 'Redis did not respond.' },
    ])
    own.resume()
    expect(
      await until(
        () => statusOf('/queues/api/queues'),
        (status) => status === 200,
      ),
    ).toBe(200)
  })

  test('responds with 503 after Redis stops', async () => {
    await own.stop()
    expect(
      await until(
        () => statusOf('/queues'),
        (status) => status === 503,
      ),
    ).toBe(503)
  })
})
