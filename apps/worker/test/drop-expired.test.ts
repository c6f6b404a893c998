import { keyUsesKeptDays } from '@hosting/core/api-keys'
import { usageKeptDays } from '@hosting/core/directory'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { rollingBack, useDatabase } from '../../../packages/postgres/test/support/database.ts'
import { makeKey } from '../../../packages/postgres/test/support/make-key.ts'
import { createDropExpired } from '../src/duties/drop-expired.ts'
import type { Services } from '../src/services.ts'

const database = useDatabase({ timeouts: { lockMs: 100 } })

const runDuty = (duty = createDropExpired(), stopping = new AbortController().signal) =>
  duty.run({ database } as unknown as Services, stopping)

/** Adds used values: those that have expired, and those that have not. */
const addNonces = (expired: number, others = 0) =>
  database.pool.query(
    `INSERT INTO used_nonces (nonce_hash, expires_at)
     SELECT sha256(gen_random_uuid()::text::bytea), now() + CASE WHEN n > $1 THEN 1 ELSE -1 END * interval '1 hour'
     FROM generate_series(1, $1::int + $2::int) AS n`,
    [expired, others],
  )

const addOldCall = () =>
  database.pool.query(
    `INSERT INTO counted_calls VALUES (gen_random_uuid(), 'revoke', '192.0.2.1', now() - interval '2 days')`,
  )

const count = async (table: string): Promise<number> => {
  const { rows } = await database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table}`,
  )
  return rows[0]!.count
}

/** Runs work while another transaction holds locks. */
async function whileLocked(sql: string, work: () => Promise<void>): Promise<void> {
  await rollingBack(database, async (client) => {
    await client.query(sql)
    await work()
  })
}

beforeEach(async () => {
  await database.pool.query(
    'TRUNCATE used_nonces, counted_calls, mail_pauses, api_key_usage, api_key_uses',
  )
})

describe('a step that fails', () => {
  test('does not keep the others from running, and the duty fails', async () => {
    await addNonces(1)
    await addOldCall()
    await whileLocked('LOCK TABLE idempotency_records, used_nonces', async () => {
      await expect(runDuty()).rejects.toMatchObject({ code: '55P03' })
      expect(await count('counted_calls')).toBe(0)
    })
    expect(await count('used_nonces')).toBe(1)
    await runDuty()
    expect(await count('used_nonces')).toBe(0)
  })
})

describe('rows are deleted in batches', () => {
  beforeEach(async () => {
    await database.pool.query(
      `CREATE TABLE batches (rows int NOT NULL);
       CREATE FUNCTION note_batch() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN INSERT INTO batches SELECT count(*) FROM gone HAVING count(*) > 0; RETURN NULL; END $$;
       CREATE TRIGGER note_batch AFTER DELETE ON used_nonces REFERENCING OLD TABLE AS gone
         FOR EACH STATEMENT EXECUTE FUNCTION note_batch()`,
    )
  })
  afterEach(async () => {
    await database.pool.query('DROP FUNCTION note_batch CASCADE; DROP TABLE batches')
  })

  const batches = async () =>
    (await database.pool.query<{ rows: number }>('SELECT rows FROM batches')).rows.map(
      (row) => row.rows,
    )

  test('until none is left', async () => {
    await addNonces(2_500, 3)
    await runDuty()
    expect(await batches()).toEqual([1_000, 1_000, 500])
    expect(await count('used_nonces')).toBe(3)
  })

  test('and after an abort, no further batch', async () => {
    await addNonces(2_500)
    await runDuty(createDropExpired(), AbortSignal.abort())
    expect(await batches()).toEqual([])
  })

  test('except those that another transaction has locked', async () => {
    await addNonces(3)
    await whileLocked('SELECT FROM used_nonces LIMIT 1 FOR UPDATE', async () => {
      await runDuty()
      expect(await count('used_nonces')).toBe(1)
    })
  })
})

test('pauses of mails are deleted when they are over', async () => {
  await database.pool.query(
    `INSERT INTO mail_pauses VALUES (gen_random_uuid(), now() - interval '1 s'),
       (gen_random_uuid(), now() + interval '1 hour')`,
  )
  await runDuty()
  const { rows } = await database.pool.query('SELECT until > now() AS lasts FROM mail_pauses')
  expect(rows).toEqual([{ lasts: true }])
})

describe('the usage of keys', () => {
  const addUsage = (keyId: string, daysAgo: number) =>
    database.pool.query(
      `INSERT INTO api_key_usage (key_id, date, requests)
       VALUES ($1, (now() AT TIME ZONE 'UTC')::date - $2::int, 1)`,
      [keyId, daysAgo],
    )

  const daysKept = async () => {
    const { rows } = await database.pool.query<{ days: number }>(
      `SELECT (now() AT TIME ZONE 'UTC')::date - date AS days FROM api_key_usage ORDER BY date`,
    )
    return rows.map(({ days }) => days)
  }

  test(`is kept for ${usageKeptDays} days`, async () => {
    const { id: keyId } = await makeKey(database)
    for (const days of [usageKeptDays + 1, usageKeptDays, 0]) await addUsage(keyId, days)
    await runDuty()
    expect(await daysKept()).toEqual([usageKeptDays, 0])
  })

  test('is examined again on the same day only if that failed', async () => {
    const { id: keyId } = await makeKey(database)
    await addUsage(keyId, usageKeptDays + 1)
    const duty = createDropExpired()
    await whileLocked('LOCK TABLE api_key_usage', async () => {
      await expect(runDuty(duty)).rejects.toMatchObject({ code: '55P03' })
    })
    await runDuty(duty)
    expect(await daysKept()).toEqual([])
    await addUsage(keyId, usageKeptDays + 1)
    await runDuty(duty)
    expect(await daysKept()).toEqual([usageKeptDays + 1])
  })
})

test(`the uses of keys are kept for ${keyUsesKeptDays} days, as whole days in UTC`, async () => {
  const { id: keyId } = await makeKey(database)
  const add = (start: string) =>
    database.pool.query(
      `INSERT INTO api_key_uses (key_id, start, slot, requests)
       SELECT $1, ${start}, 0, 1 FROM date_trunc('day', now(), 'UTC') AS today`,
      [keyId],
    )
  await add('today')
  await add(`today - interval '${keyUsesKeptDays} days'`)
  await add(`today - interval '${keyUsesKeptDays} days 1 hour'`)
  await runDuty()
  const { rows } = await database.pool.query(
    `SELECT extract(day FROM date_trunc('day', now(), 'UTC') - start)::int AS days FROM api_key_uses ORDER BY start`,
  )
  expect(rows).toEqual([{ days: keyUsesKeptDays }, { days: 0 }])
})
