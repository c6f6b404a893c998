import { mergeAttemptStats, readAttemptStats } from '@hosting/postgres/deliveries'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { recordAttempts } from '../../../../test/support/recorded-attempts.ts'
import { until } from '../../../../test/support/until.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase({ partitions: true })
beforeEach(async () => {
  await database.pool.query('TRUNCATE attempt_stats, attempt_batches')
})

const minuteMs = 60_000
const hourMs = 60 * minuteMs

interface Made {
  readonly agoMs?: number
  readonly durationMs?: number
  readonly failed?: boolean
  readonly code?: number
}

const makeOwner = () => ({ tenantId: randomUUID(), endpointId: randomUUID() })
type Owner = ReturnType<typeof makeOwner>

const record = (
  owner: Owner,
  attempts: readonly Made[],
  client: Pick<typeof database.pool, 'query'> = database.pool,
) =>
  recordAttempts(
    client,
    attempts.map(({ agoMs = 0, durationMs = 10, failed, code = null }) => ({
      ...owner,
      startedAt: new Date(Date.now() - agoMs),
      durationMs,
      statusCode: code,
      errorClass: failed ? 'timeout' : null,
    })),
  )

/** The sums over the last 8 hours, which end with the present hour. */
async function read(owner: { tenantId: string; endpointId?: string }) {
  const startMs = (Math.floor(Date.now() / hourMs) - 7) * hourMs
  const span = { startMs, bucketMs: 8 * hourMs, buckets: 1 }
  const [bucket] = await readAttemptStats(database, owner, span)
  const { succeeded, failed, p50Ms, p95Ms, codes } = bucket!
  return { succeeded, failed, p50Ms, p95Ms, codes }
}

const countRows = async ({ endpointId }: Owner): Promise<number> =>
  database.prisma.attemptStats.count({ where: { endpointId } })

describe('the counts of attempts', () => {
  test('are kept per endpoint and per organization', async () => {
    const owner = makeOwner()
    const sibling = { ...owner, endpointId: randomUUID() }
    await record(owner, [{}, { failed: true }, { failed: true }])
    await record(sibling, [{}])
    await record(makeOwner(), [{}])
    expect(await read(owner)).toMatchObject({ succeeded: 1, failed: 2 })
    expect(await read({ tenantId: owner.tenantId })).toMatchObject({ succeeded: 2, failed: 2 })
    expect(await read({ ...owner, tenantId: randomUUID() })).toMatchObject({ succeeded: 0 })
  })

  test('are committed and rolled back with the attempts', async () => {
    const owner = makeOwner()
    const client = await database.pool.connect()
    await client.query('BEGIN')
    await record(owner, [{}, {}], client)
    expect(await read(owner)).toMatchObject({ succeeded: 0 })
    await client.query('ROLLBACK')
    await client.query('BEGIN')
    await record(owner, [{}], client)
    await client.query('COMMIT')
    client.release()
    expect(await read(owner)).toMatchObject({ succeeded: 1 })
  })

  test('match the recorded attempts, even during merges', async () => {
    const owner = makeOwner()
    const seen: number[] = []
    const state = { isRecording: true }
    const recording = (async () => {
      for (let batch = 0; batch < 60; batch++) await record(owner, [{}, { failed: true }])
      state.isRecording = false
    })()
    const merging = (async () => {
      while (state.isRecording) await mergeAttemptStats(database, { rowsMax: 3 })
    })()
    const reading = (async () => {
      while (state.isRecording) seen.push((await read(owner)).succeeded)
    })()
    await Promise.all([recording, merging, reading])
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(await read(owner)).toMatchObject({ succeeded: 60, failed: 60 })
    while ((await mergeAttemptStats(database)) > 0);
    expect(await read(owner)).toMatchObject({ succeeded: 60, failed: 60 })
  })
})

describe('a merge', () => {
  test('leaves attempts that are committed later to the next one', async () => {
    const owner = makeOwner()
    const client = await database.pool.connect()
    await client.query('BEGIN')
    await record(owner, [{}, { failed: true }], client)
    await record(owner, [{}])
    await mergeAttemptStats(database)
    await client.query('COMMIT')
    client.release()
    expect(await read(owner)).toMatchObject({ succeeded: 2, failed: 1 })
    await mergeAttemptStats(database)
    expect(await countRows(owner)).toBe(1)
    expect(await read(owner)).toMatchObject({ succeeded: 2, failed: 1 })
  })

  test('that is killed has merged nothing, and the next one counts everything once', async () => {
    const owner = makeOwner()
    await record(owner, [{}, { failed: true }])
    const locker = await database.pool.connect()
    await locker.query('BEGIN; LOCK TABLE attempt_stats IN SHARE MODE')
    const killed = mergeAttemptStats(database)
    const kill = () =>
      database.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%attempt_batches%'`)
    await Promise.all([
      expect(killed).rejects.toThrow(/terminat/),
      until(kill, ({ rowCount }) => rowCount === 1),
    ])
    await locker.query('COMMIT')
    locker.release()
    expect(await read(owner)).toMatchObject({ succeeded: 1, failed: 1 })
    await mergeAttemptStats(database)
    expect(await read(owner)).toMatchObject({ succeeded: 1, failed: 1 })
  })

  test('does not need the records, which retention may have removed before', async () => {
    const owner = makeOwner()
    await record(owner, [{}, {}])
    await database.pool.query('DELETE FROM delivery_attempts WHERE endpoint_id = $1', [
      owner.endpointId,
    ])
    expect(await read(owner)).toMatchObject({ succeeded: 2 })
    await mergeAttemptStats(database)
    expect(await read(owner)).toMatchObject({ succeeded: 2 })
  })
})

test('a hundred attempts that are recorded together are a row of one page', async () => {
  const owner = makeOwner()
  await record(
    owner,
    Array.from({ length: 100 }, () => ({ code: 200 })),
  )
  const { rows } = await database.pool.query(
    `SELECT pg_relation_size(oid)::int / current_setting('block_size')::int AS pages, pg_relation_size(reltoastrelid)::int AS detached
     FROM pg_class WHERE relname = 'attempt_batches'`,
  )
  expect(rows).toEqual([{ pages: 1, detached: 0 }])
})

describe('mergeAttemptStats', () => {
  test('leaves one row per endpoint and minute, and one per hour after two hours', async () => {
    const owner = makeOwner()
    const hourStartAgo = Date.now() - (Math.floor(Date.now() / hourMs) - 4) * hourMs
    for (const minute of [0, 4, 5, 59]) {
      const made = {
        agoMs: hourStartAgo - minute * minuteMs,
        durationMs: minute,
        code: 200 + minute,
      }
      await record(owner, [made])
      await record(owner, [made])
    }
    expect(await countRows(owner)).toBe(0)
    const before = await read(owner)
    expect(before.codes).toEqual({ 200: 2, 204: 2, 205: 2, 259: 2 })
    await mergeAttemptStats(database)
    expect(await countRows(owner)).toBe(1)
    expect(await read(owner)).toEqual(before)
    expect(before).toMatchObject({ succeeded: 8, p50Ms: 4, p95Ms: 59 })
    await record(owner, [{ agoMs: hourStartAgo }])
    await mergeAttemptStats(database)
    await mergeAttemptStats(database)
    expect(await countRows(owner)).toBe(1)
    expect(await read(owner)).toMatchObject({ succeeded: 9 })
  })

  test('merges the rows of five minutes that the release before left', async () => {
    const owner = makeOwner()
    const hourStart = new Date((Math.floor(Date.now() / hourMs) - 4) * hourMs)
    await database.pool.query(
      `INSERT INTO attempt_stats (tenant_id, endpoint_id, start, minutes, succeeded, failed, durations, counts)
       SELECT $1, $2, $3::timestamptz + n * interval '5 minutes', 5, 2, 1, '{10}', '{3}' FROM generate_series(0, 3) n`,
      [owner.tenantId, owner.endpointId, hourStart],
    )
    await record(owner, [{ agoMs: Date.now() - hourStart.getTime() - minuteMs, code: 503 }])
    for (let round = 0; round < 3; round++) await mergeAttemptStats(database)
    expect(await countRows(owner)).toBe(1)
    expect(await read(owner)).toMatchObject({ succeeded: 9, failed: 4, codes: { 503: 1 } })
  })

  test('deletes counts older than 8 days', async () => {
    const [old, kept] = [makeOwner(), makeOwner()]
    await record(old, [{ agoMs: 8 * 24 * hourMs + 2 * hourMs }])
    await record(kept, [{ agoMs: 7 * 24 * hourMs }])
    for (let round = 0; round < 3; round++) await mergeAttemptStats(database)
    expect([await countRows(old), await countRows(kept)]).toEqual([0, 1])
  })
})

test.each([0, 1, 127, 128, 129, 255, 256, 1_234, 9_999, 10_000, 15_000, 120_000])(
  'a duration of %i ms is rounded by at most 0.8%, and not at all below 128 ms',
  async (durationMs) => {
    const owner = makeOwner()
    await record(owner, [{ durationMs }])
    const { p50Ms: rounded } = await read(owner)
    expect(Math.abs(rounded! - durationMs)).toBeLessThanOrEqual(
      durationMs < 128 ? 0 : durationMs * 0.008,
    )
    await mergeAttemptStats(database)
    expect(await read(owner)).toMatchObject({ p50Ms: rounded, p95Ms: rounded })
  },
)
