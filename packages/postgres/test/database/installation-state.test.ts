import { lowestUuidv7 } from '@hosting/core/ids'
import { sessionConfigOf, readInstallationState } from '@hosting/postgres/database'
import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { until } from '../../../../test/support/until.ts'
import { useDatabase } from '../support/database.ts'
import {
  makeEndpoint,
  makeSubscriber,
  makeTenant,
  publish,
  setEnabled,
} from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })
const dayMs = 86_400_000
const dayName = (ms: number) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')

test('a new installation has no waiting work, and partitions for a week', async () => {
  expect(await readInstallationState(database)).toEqual({
    invalidations: { count: 0, oldestMs: 0 },
    unsealed: { count: 0, oldestMs: 0 },
    mails: { count: 0, oldestMs: 0 },
    recoveriesRunning: 0,
    endpointsFailing: 0,
    throttledDeliveries: 0,
    pendingEstimate: expect.any(Number),
    partitionDaysAhead: 7,
    retentionLagMs: 0,
    oldestTransactionMs: expect.any(Number),
    slots: expect.any(Array),
  })
})

test('waiting work is counted, with the age of the oldest item', async () => {
  const { endpointId, tenantId } = await makeSubscriber(database)
  const now = Date.now()
  await database.pool.query(
    `INSERT INTO gate_invalidations (key_id, version, created_at)
     VALUES ('aaaaaaaaaaaa', 1, $1), ('bbbbbbbbbbbb', 1, $2)`,
    [new Date(now - 60_000), new Date(now)],
  )
  await database.pool.query(
    `INSERT INTO audit_unsealed (audit_event_id, tenant_id) VALUES ($1, $3), ($2, $3)`,
    [lowestUuidv7(now - 30_000), lowestUuidv7(now), tenantId],
  )
  await database.pool.query(
    `INSERT INTO webhook_recoveries (id, tenant_id, endpoint_id, status, from_id, before_id, total)
     SELECT gen_random_uuid(), $1, $2, status::recovery_status, $3, $3, 1
     FROM unnest(ARRAY['running', 'done']) AS status`,
    [tenantId, endpointId, randomUUID()],
  )
  expect(await readInstallationState(database, new Date(now))).toMatchObject({
    invalidations: { count: 2, oldestMs: 60_000 },
    unsealed: { count: 2, oldestMs: 30_000 },
    recoveriesRunning: 1,
  })
})

test('only due deliveries of throttled endpoints count, not those of disabled ones', async () => {
  const tenantId = await makeTenant(database)
  const [throttled, disabled] = [
    await makeEndpoint(database, tenantId),
    await makeEndpoint(database, tenantId),
  ]
  await makeEndpoint(database, tenantId)
  for (const id of [throttled, disabled]) {
    await database.pool.query(
      'UPDATE webhook_endpoints SET rate_limit_per_second = 1 WHERE id = $1',
      [id],
    )
  }
  await publish(database, tenantId, { count: 3 })
  await setEnabled(database, disabled, false)
  const { throttledDeliveries } = await readInstallationState(database)
  expect(throttledDeliveries).toBe(3)
})

test('failing endpoints are those with an open incident', async () => {
  const before = (await readInstallationState(database)).endpointsFailing
  const { endpointId, tenantId } = await makeSubscriber(database)
  const incident = { tenantId, endpointId, openedAt: new Date(), failedAttempts: 5 }
  await database.prisma.webhookIncident.createMany({
    data: [
      { ...incident, id: randomUUID() },
      { ...incident, id: randomUUID(), closedAt: new Date(), closedBy: 'success' },
    ],
  })
  expect((await readInstallationState(database)).endpointsFailing).toBe(before + 1)
})

test("the days ahead end at the first gap in any table's partitions; without today's they are -1", async () => {
  const daysAhead = async (nowMs: number) =>
    (await readInstallationState(database, new Date(nowMs))).partitionDaysAhead
  const now = Date.now()
  expect(await daysAhead(now + 5 * dayMs)).toBe(2)
  expect(await daysAhead(now + 8 * dayMs)).toBe(-1)
  await database.pool.query(`DROP TABLE deliveries_${dayName(now + 3 * dayMs)}`)
  expect(await daysAhead(now)).toBe(2)
})

test('retention lags if the oldest day of attempts ended more than 30 days ago', async () => {
  const lagOf = async (nowMs: number) =>
    (await readInstallationState(database, new Date(nowMs))).retentionLagMs
  // The oldest partition is yesterday's.
  const todayMs = Math.floor(Date.now() / dayMs) * dayMs
  expect(await lagOf(todayMs + 30 * dayMs)).toBe(0)
  expect(await lagOf(todayMs + 30 * dayMs + 5_000)).toBe(5_000)
})

test('a replication slot without a standby shows what PostgreSQL keeps for it', async () => {
  const name = `slot_${randomUUID().replaceAll('-', '')}`
  const slot = async () =>
    (await readInstallationState(database)).slots.find((each) => each.name === name)
  const { pool } = database
  await pool.query('SELECT pg_create_physical_replication_slot($1, true)', [name])
  try {
    const kept = (await slot())!.keptBytes
    await pool.query('CREATE TABLE written AS SELECT generate_series(1, 10000) AS number')
    await pool.query('SELECT pg_switch_wal()')
    expect(await slot()).toMatchObject({ isActive: false })
    expect((await slot())!.keptBytes).toBeGreaterThan(kept + 100_000)
  } finally {
    await pool.query('SELECT pg_drop_replication_slot($1)', [name])
  }
  expect(await slot()).toBeUndefined()
})

test('the oldest transaction with a snapshot is timed only while it is open', async () => {
  const holder = new pg.Client(sessionConfigOf(database.url))
  await holder.connect()
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await holder.query('SELECT count(*) FROM tenants')
  const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  await setTimeout(1_000)
  expect((await readInstallationState(database)).oldestTransactionMs).toBeGreaterThanOrEqual(1_000)
  await holder.end()
  await until(
    () => database.pool.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [rows[0]!.pid]),
    ({ rowCount }) => rowCount === 0,
  )
})
