import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { callerAt, callerOf, type Caller } from '../support/caller.ts'
import { makeOwnRedis, type OwnRedis } from '../support/own-redis.ts'
import { until, useStack } from '../support/stack.ts'

let redis: OwnRedis
const environment: Record<string, string> = {}
beforeAll(async () => {
  redis = await makeOwnRedis()
  environment['REDIS_URL'] = redis.url
})
const stack = useStack(environment)
let callers: readonly [Caller, Caller]
beforeAll(async () => {
  callers = [callerAt(stack.api), callerOf(await stack.startApi())]
})
afterAll(() => redis.remove())

const statusesOf = (token: string): Promise<number[]> =>
  Promise.all(
    callers.map(async (caller) => (await caller.call('get', '/webhooks', { token })).status),
  )

/** Sets keys back to before their last change, as a failover to a standby does that was behind. */
async function loseLastChange(ids: readonly string[]): Promise<void> {
  const { pool } = stack.database
  await pool.query('DELETE FROM gate_invalidations WHERE key_id = ANY ($1)', [ids])
  await pool.query(
    'UPDATE api_keys SET revoked_at = NULL, version = version - 1 WHERE id = ANY ($1)',
    [ids],
  )
}

/** What the audit log says of changes that were lost, by key. */
async function readRestored(ids: readonly string[]): Promise<Record<string, string>> {
  const entries = await stack.database.prisma.auditEvent.findMany({
    where: { targetId: { in: [...ids] }, details: { path: ['cause'], equals: 'failover' } },
  })
  return Object.fromEntries(entries.map(({ targetId, action }) => [targetId, action]))
}

test('a process that could not report its changes to Redis revokes a key again that a failover made valid', async () => {
  const tenant = await stack.api.makeTenant()
  const [revoked, limited] = [await tenant.makeKey(), await tenant.makeKey()]
  for (const { token } of [revoked, limited]) expect(await statusesOf(token)).toEqual([200, 200])
  await redis.stop()
  const [one] = callers
  const { status } = await one.call('delete', `/api-keys/${revoked.id}`, { token: revoked.token })
  expect(status).toBe(204)
  const change = { token: limited.token, body: { rate_limit_per_minute: 100 } }
  expect(await one.call('patch', `/api-keys/${limited.id}`, change)).toMatchObject({ status: 200 })
  const ids = [revoked.id, limited.id]
  await loseLastChange(ids)

  const restored = await until(
    () => readRestored(ids),
    (found) => Object.keys(found).length === ids.length,
  )
  expect(restored).toEqual({ [revoked.id]: 'api_key.revoke', [limited.id]: 'api_key.set_back' })
  expect(await statusesOf(revoked.token)).toEqual([401, 401])
  await redis.start('kept')
  // The next report after the return.
  await until(
    async () => (await redis.command('HGET', await hashOf(revoked.id), 'e')) as string | null,
    (version) => version !== null,
  )
  expect(await statusesOf(revoked.token)).toEqual([401, 401])
  expect(await statusesOf(limited.token)).toEqual([200, 200])
})

/** The name of the hash of a key. */
const hashOf = async (id: string): Promise<string> =>
  ((await redis.command('KEYS', `*:${id}`)) as string[])[0] ?? 'none'
