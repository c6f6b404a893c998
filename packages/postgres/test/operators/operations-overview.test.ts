import {
  backlogLimits,
  countLimits,
  readOperations,
  type OverviewParts,
} from '@hosting/postgres/operators'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { rollingBack, useDatabase } from '../support/database.ts'
import { makeEndpoint, makeTenant, publish } from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })
beforeEach(async () => {
  await database.pool.query('TRUNCATE pending_deliveries, gate_invalidations')
})

/** The value of a part that could be read, in whatever time a busy machine takes. */
async function read<Name extends keyof OverviewParts>(name: Name) {
  const part = (await readOperations(database, { statementMsMax: 14_000 }))[name]
  if ('error' in part) throw part.error as Error
  return part.value as Extract<OverviewParts[Name], { value: unknown }>['value']
}

async function addDue(endpointId: string, tenantId: string, count: number): Promise<void> {
  await database.pool.query(
    `INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
     SELECT uuid_v7(), $2, $1, uuid_v7(), now() - interval '1 min', 'epoch' FROM generate_series(1, $3)`,
    [endpointId, tenantId, count],
  )
}

const firstOf = async () => {
  const [first] = (await read('backlog')).open.endpoints
  return [first!.endpointId, first!.due]
}

describe('the backlog', () => {
  test('is counted only up to the share of an endpoint, and is marked as more', async () => {
    const tenantId = await makeTenant(database)
    const [long, short] = [
      await makeEndpoint(database, tenantId),
      await makeEndpoint(database, tenantId),
    ]
    await addDue(long, tenantId, backlogLimits.rowsMax)
    expect((await read('backlog')).open.due).toEqual({
      count: backlogLimits.rowsMax,
      isMore: false,
    })
    await addDue(short, tenantId, 3)
    const { open, isMore } = await read('backlog')
    expect(open.endpoints.map(({ endpointId, due }) => [endpointId, due])).toEqual([
      [long, { count: backlogLimits.rowsMax / 2, isMore: true }],
      [short, { count: 3, isMore: false }],
    ])
    expect(open.due).toEqual({ count: backlogLimits.rowsMax / 2 + 3, isMore: true })
    expect(isMore).toBe(false)
  })

  test('shows the endpoints with the oldest due deliveries if there are too many to count', async () => {
    const tenantId = await makeTenant(database)
    await database.pool.query(
      `WITH made AS (
         INSERT INTO webhook_endpoints (id, tenant_id, url, events)
         SELECT uuid_v7(), $1, 'https://hooks.example.com', '{*}' FROM generate_series(1, $2)
         RETURNING id
       )
       INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
       SELECT uuid_v7(), $1, id, uuid_v7(), now() - row_number() OVER () * interval '1 s', 'epoch' FROM made`,
      [tenantId, backlogLimits.countedMax + 5],
    )
    const { open } = await read('backlog')
    expect(open.endpointCount).toBe(backlogLimits.countedMax + 5)
    expect(open.endpoints).toHaveLength(backlogLimits.countedMax)
    expect(open.endpoints[0]!.due).toEqual({ count: 1, isMore: false })
    const youngest = Math.max(...open.endpoints.map(({ oldestDueAt }) => +oldestDueAt))
    expect(Date.now() - youngest).toBeGreaterThan(5_000)

    const { endpointId } = open.endpoints[7]!
    const { shown, others } = countLimits(open)
    expect([shown, others]).toEqual([2_000, 100])
    await addDue(endpointId, tenantId, others)
    expect(await firstOf()).toEqual([endpointId, { count: others + 1, isMore: false }])
    await addDue(endpointId, tenantId, shown)
    expect(await firstOf()).toEqual([endpointId, { count: shown, isMore: true }])
  })

  test('of a throttled endpoint is counted, but is not the oldest', async () => {
    const tenantId = await makeTenant(database)
    const [throttled, other] = [
      await makeEndpoint(database, tenantId),
      await makeEndpoint(database, tenantId),
    ]
    await database.pool.query(
      'UPDATE webhook_endpoints SET rate_limit_per_second = 5 WHERE id = $1',
      [throttled],
    )
    await addDue(throttled, tenantId, 4)
    expect((await read('backlog')).open).toMatchObject({ due: { count: 4 }, oldestDueAt: null })
    await addDue(other, tenantId, 1)
    const { open } = await read('backlog')
    expect(open.endpoints.map((each) => each.rateLimitPerSecond)).toEqual([5, null])
    expect(open.due.count).toBe(5)
    expect(open.oldestDueAt).not.toBeNull()
  })

  test('is empty and has no oldest delivery if nothing is due', async () => {
    expect(await read('backlog')).toEqual({
      open: {
        endpointCount: 0,
        endpoints: [],
        due: { count: 0, isMore: false },
        oldestDueAt: null,
      },
      waiting: {
        endpointCount: 0,
        endpoints: [],
        due: { count: 0, isMore: false },
        oldestDueAt: null,
      },
      isMore: false,
    })
  })
})

test('waiting work is counted only up to 10,000', async () => {
  await database.pool.query(
    `INSERT INTO gate_invalidations (key_id, version)
     SELECT lpad(n::text, 12, '0'), 1 FROM generate_series(1, 10001) n`,
  )
  expect(await read('invalidations')).toMatchObject({ count: 10_000, isMore: true })
})

test('a day that is being dropped does not count as accepting records', async () => {
  const day = (await read('days'))[0]!.day
  const name = `delivery_attempts_${day.replaceAll('-', '')}`
  await database.pool.query(`ALTER TABLE delivery_attempts DETACH PARTITION ${name}`)
  expect((await read('days'))[0]!.partitions).toMatchObject({
    events: { isAttached: true },
    delivery_attempts: { isAttached: false },
  })
})

test('a part that takes too long is cancelled without affecting the others', async () => {
  await publish(database, await makeTenant(database))
  await rollingBack(database, async (client) => {
    await client.query('LOCK TABLE pending_deliveries')
    const { backlog, ...others } = await readOperations(database, { statementMsMax: 1_500 })
    expect(backlog).toMatchObject({ error: { code: '57014' } })
    for (const part of Object.values(others)) expect(part).toHaveProperty('value')
  })
})

test('its session settings do not outlast it', async () => {
  const settings = await sessionSettings()
  await readOperations(database)
  expect(await sessionSettings()).toEqual(settings)
})

const sessionSettings = async () =>
  (
    await database.pool.query<Record<string, unknown>>(
      `SELECT pg_backend_pid() AS pid, current_setting('statement_timeout') AS statement_timeout,
         current_setting('enable_seqscan') AS enable_seqscan,
         current_setting('transaction_read_only') AS read_only`,
    )
  ).rows[0]!
