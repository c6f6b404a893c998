import { createKeySecret, formatKeyToken } from '@hosting/core/api-keys'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { TestKey } from '../support/api.ts'
import { callerAt, callerOf, inLanes, type CallerResponse, type Caller } from '../support/caller.ts'
import { makeOwnRedis, type OwnRedis } from '../support/own-redis.ts'
import type { ServiceProcess } from '../support/processes.ts'
import { until, useStack } from '../support/stack.ts'
import { redisCommandsIn, startWireTap, statementsIn } from '../support/wire-tap.ts'

let redis: OwnRedis
const environment: Record<string, string> = {}
beforeAll(async () => {
  redis = await makeOwnRedis()
  environment['REDIS_URL'] = redis.url
})
const stack = useStack(environment)
let one: Caller
let other: Caller

beforeAll(async () => {
  const second = await stack.startApi()
  one = callerAt(stack.api)
  other = callerOf(second)
})
afterAll(() => redis.remove())

const ask = (caller: Caller, { token }: { token: string }): Promise<CallerResponse> =>
  caller.call('get', '/webhooks', { token })

const revoke = async (caller: Caller, { id, token }: TestKey): Promise<CallerResponse> =>
  caller.call('delete', `/api-keys/${id}`, { token })

const ok = { status: 200 }
const invalidKey = { status: 401, code: 'invalid_api_key' }

/** How many requests {@link makeWarmKeys} sends with each key. */
const warmRequests = 4

/** Keys of one organization, each cached by both processes. */
async function makeWarmKeys(count: number): Promise<TestKey[]> {
  const tenant = await stack.api.makeTenant()
  const keys: TestKey[] = []
  await inLanes(count, async () => {
    keys.push(await tenant.makeKey())
  })
  for (const caller of [one, other, one, other]) {
    await inLanes(count, async (index) => {
      expect(await ask(caller, keys[index]!)).toMatchObject(ok)
    })
  }
  return keys
}

/** Waits until a listening process is notified of changes. Before that, it caches no key. */
async function untilInformed({ internalPort }: ServiceProcess): Promise<void> {
  await until(
    async () => (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text(),
    (text) => text.includes('\nhosting_gate_informed 1\n'),
  )
}

/** Waits until the gates of both processes use Redis again. */
async function untilGateIsBack(): Promise<void> {
  const tenant = await stack.api.makeTenant()
  const key = await tenant.makeKey({ scopes: [] })
  for (const caller of [one, other]) {
    await redis.command('CONFIG', 'RESETSTAT')
    await until(
      async () => {
        await ask(caller, key)
        return (await redis.command('INFO', 'commandstats')) as string
      },
      (stats) => /cmdstat_eval/.test(stats),
    )
  }
}

test('a cached key costs at most one Redis round trip per request, and no SQL', async () => {
  const keys = await makeWarmKeys(20)
  const redisTap = await startWireTap(redis.url)
  const sqlTap = await startWireTap(stack.database.pool.options.connectionString!)
  const service = await stack.startApi({ REDIS_URL: redisTap.url, DATABASE_URL: sqlTap.url })
  const caller = callerOf(service)
  await untilInformed(service)
  const read = ({ token }: TestKey) => caller.call('get', '/api-keys/scopes', { token })
  for (const key of [...keys, ...keys]) expect(await read(key)).toMatchObject(ok)

  // Key usage is recorded every two seconds, for all requests together.
  const isUsage = (text: string): boolean => text.includes('record_key_uses')
  let recordsUsage = false
  const takeSql = (): string[] => {
    const taken = statementsIn(sqlTap.take())
    recordsUsage ||= taken.some(isUsage)
    return taken
  }
  const measure = async (readAll: () => Promise<unknown[]>) => {
    redisTap.take()
    takeSql()
    for (const response of await readAll()) expect(response).toMatchObject(ok)
    const sql = takeSql().filter((text) => !isUsage(text))
    // Each connection is asked for a response every two seconds.
    const commands = redisCommandsIn(redisTap.take()).filter((name) => name !== 'ping')
    return { commands, sql }
  }
  const inTurn = () =>
    measure(async () => {
      const responses: unknown[] = []
      for (const key of keys) responses.push(await read(key))
      return responses
    })
  const together = () => measure(() => Promise.all(keys.map(read)))
  // On a busy machine Redis may take longer than the gate waits, and then the database vouches for a key.
  const isCached = ({ sql }: { sql: readonly string[] }) => sql.length === 0
  expect((await until(inTurn, isCached)).commands).toEqual(keys.map(() => 'evalsha'))
  const { commands } = await until(together, isCached)
  expect(new Set(commands)).toEqual(new Set(['evalsha']))
  expect(commands.length).toBeLessThanOrEqual(keys.length)
  await service.stop()
  takeSql()
  expect(recordsUsage).toBe(true)
  await Promise.all([redisTap.close(), sqlTap.close()])
})

test('with Redis emptied repeatedly under warm caches, no outdated record is accepted', async () => {
  const keys = await makeWarmKeys(24)
  await inLanes(keys.length, async (index) => {
    const key = keys[index]!
    const [here, there] = index % 2 === 0 ? [one, other] : [other, one]
    const flushed = redis.command('FLUSHALL')
    const underWay = [1, 2, 3].map(() => ask(there, key))
    expect(await revoke(here, key)).toMatchObject({ status: 204 })
    expect(await ask(there, key)).toMatchObject(invalidKey)
    await flushed
    expect(await ask(there, key)).toMatchObject(invalidKey)
    expect(await ask(here, key)).toMatchObject(invalidKey)
    await Promise.all(underWay)
  })
})

test('the gate works after Redis lost its scripts', async () => {
  const [key] = await makeWarmKeys(1)
  await redis.command('SCRIPT', 'FLUSH')
  expect(await ask(one, key!)).toMatchObject(ok)
  expect(await ask(other, key!)).toMatchObject(ok)
})

describe('while Redis hangs', () => {
  test('requests complete without waiting for it, and a revocation applies from the next request on', async () => {
    const [lasting, revoked, ...others] = await makeWarmKeys(6)
    await redis.hang()
    try {
      const responses = await Promise.all(
        [lasting!, ...others].flatMap((key) => [ask(one, key), ask(other, key)]),
      )
      for (const response of responses) expect(response).toMatchObject(ok)
      // Without a limit of the gate's own, they would wait until Redis responds again.
      expect(Math.max(...responses.map(({ ms }) => ms))).toBeLessThan(20_000)
      expect(await revoke(one, revoked!)).toMatchObject({ status: 204 })
      expect(await ask(other, revoked!)).toMatchObject(invalidKey)
    } finally {
      redis.resume()
    }
    expect(await ask(other, revoked!)).toMatchObject(invalidKey)
    expect(await ask(one, revoked!)).toMatchObject(invalidKey)
    await untilGateIsBack()
    expect(await ask(other, revoked!)).toMatchObject(invalidKey)
    expect(await ask(other, lasting!)).toMatchObject(ok)
  })
})

describe.each(['kept', 'lost'] as const)(
  'while Redis is down, and after its return with its data %s',
  (data) => {
    test('keys are checked, and changes made in the meantime apply from then on', async () => {
      const [lasting, revoked, rotated, narrowed] = await makeWarmKeys(4)
      await redis.stop()
      for (const caller of [one, other]) {
        expect(await ask(caller, lasting!)).toMatchObject(ok)
        expect(await ask(caller, { token: withOtherSecret(lasting!) })).toMatchObject(invalidKey)
      }

      expect(await revoke(one, revoked!)).toMatchObject({ status: 204 })
      expect(await ask(other, revoked!)).toMatchObject(invalidKey)
      const rotation = await other.call('post', `/api-keys/${rotated!.id}/rotate`, {
        token: rotated!.token,
        body: { grace_seconds: 0 },
      })
      const renewed = { token: rotation.body.token }
      expect(await ask(one, renewed)).toMatchObject(ok)
      expect(await ask(one, rotated!)).toMatchObject(invalidKey)
      const { id, token } = narrowed!
      const change = { token, body: { scopes: ['sites:read'] } }
      expect(await one.call('patch', `/api-keys/${id}`, change)).toMatchObject(ok)

      const hold = async (): Promise<void> => {
        for (const caller of [one, other]) {
          expect(await ask(caller, revoked!)).toMatchObject(invalidKey)
          expect(await ask(caller, rotated!)).toMatchObject(invalidKey)
          expect(await ask(caller, renewed)).toMatchObject(ok)
          expect(await ask(caller, narrowed!)).toMatchObject({ code: 'insufficient_scope' })
          expect(await ask(caller, lasting!)).toMatchObject(ok)
        }
      }
      await hold()
      const back = new AbortController()
      const started = redis
        .start(data)
        .then(untilGateIsBack)
        .then(() => back.abort())
      while (!back.signal.aborted) await hold()
      await started
      await hold()
      // A worker sends the missed changes to Redis.
      const worker = await stack.startWorker()
      const countKept = async () => {
        const sql = 'SELECT count(*)::int AS kept FROM gate_invalidations'
        return (await stack.database.pool.query<{ kept: number }>(sql)).rows[0]!.kept
      }
      await until(countKept, (kept) => kept === 0)
      await hold()
      expect(await worker.stop()).toBe(0)
    })
  },
)

test("while Redis is down, each process enforces a key's limit minus the requests that Redis counted", async () => {
  const [{ id, token }] = (await makeWarmKeys(1)) as [TestKey]
  const left = 5
  const limit = warmRequests + left
  const change = { token, body: { rate_limit_per_minute: limit } }
  await redis.stop()
  expect(await one.call('patch', `/api-keys/${id}`, change)).toMatchObject(ok)
  const responses = await Promise.all(Array.from({ length: 20 }, () => ask(other, { token })))
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(left)
  const refused = responses.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(20 - left)
  for (const { code, headers } of refused) {
    expect(code).toBe('rate_limited')
    expect(headers).toMatchObject({
      'ratelimit-policy': `"per-key";q=${limit};w=60`,
      ratelimit: expect.stringMatching(/^"per-key";r=0;t=\d+$/),
      'retry-after': expect.stringMatching(/^([1-9]|[1-5]\d|6[0-5])$/),
    })
  }
  await redis.start('kept')
})

test('a change through a process that cannot reach Redis applies to the next request on the others', async () => {
  const cut = callerOf(await stack.startApi({ REDIS_URL: 'redis://127.0.0.1:1' }))
  await untilGateIsBack()
  const keys = await makeWarmKeys(48)
  // Many at a time, so that the others have much to do when they are notified.
  await inLanes(
    keys.length,
    async (index) => {
      const key = keys[index]!
      expect(await revoke(cut, key)).toMatchObject({ status: 204 })
      expect(await ask(index % 2 === 0 ? one : other, key)).toMatchObject(invalidKey)
    },
    16,
  )
})

/** The token with another secret and a valid checksum. */
const withOtherSecret = ({ id }: TestKey): string => formatKeyToken(createKeySecret(id))
