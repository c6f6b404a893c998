import { expect, test } from '@jest/globals'
import { migrate } from './migrations.ts'
import { query } from './support/databases.ts'
import { withFormerDatabase } from './support/former-database.ts'

const first = '20261129200000_counts_by_statement'
const uses = /attempt_batches|unmerged_attempts/

/** Counts that the release before had merged, and such that it had not, some of them of a release without codes. */
const insert = `
  INSERT INTO attempt_stats (tenant_id, endpoint_id, start, minutes, succeeded, failed, durations, counts, codes, code_counts)
  SELECT '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002', date_trunc('hour', now()), 1, s, f,
    d, n, c, m
  FROM (VALUES
    (3, 1, '{10,20}'::int[], '{3,1}'::int[], '{200,503}'::int[], '{3,1}'::int[]),
    (2, 1, '{10,10,30}', NULL, '{200,200,0}', NULL),
    (1, 0, '{40}', NULL, NULL, NULL)
  ) AS stored (s, f, d, n, c, m);
  INSERT INTO usage_counts (tenant_id, date, merged, events, attempts)
  SELECT '00000000-0000-0000-0000-000000000001', now()::date - ago, merged, events, attempts
  FROM (VALUES (0, true, 5, 2), (0, false, 1, 0), (0, false, 2, 0), (1, true, 7, 3), (2, false, 4, 0))
    AS stored (ago, merged, events, attempts)`

const readAll = (url: string) =>
  Promise.all([
    query(
      url,
      `SELECT (SELECT sum(succeeded)::int FROM attempt_stats) AS succeeded, (SELECT sum(failed)::int FROM attempt_stats) AS failed,
         (SELECT json_object_agg(duration, count) FROM (
           SELECT u.duration, sum(u.count) AS count
           FROM attempt_stats CROSS JOIN unnest(durations, counts) AS u (duration, count) GROUP BY 1 ORDER BY 1
         ) bin) AS durations,
         (SELECT json_object_agg(code, count) FROM (
           SELECT u.code, sum(u.count) AS count
           FROM attempt_stats CROSS JOIN unnest(codes, code_counts) AS u (code, count) GROUP BY 1 ORDER BY 1
         ) bin) AS codes`,
    ),
    query(
      url,
      'SELECT now()::date - date AS ago, events::int, attempts::int FROM usage_counts ORDER BY 1',
    ),
  ])

test('counts that the release before did not merge are merged by the migration', async () => {
  await withFormerDatabase(first, uses, async (url) => {
    await query(url, insert)
    await migrate(url)
    expect(await readAll(url)).toEqual([
      [
        {
          succeeded: 6,
          failed: 2,
          durations: { 10: 5, 20: 1, 30: 1, 40: 1 },
          codes: { 0: 1, 200: 5, 503: 1 },
        },
      ],
      [
        { ago: 0, events: 8, attempts: 2 },
        { ago: 1, events: 7, attempts: 3 },
        { ago: 2, events: 4, attempts: 0 },
      ],
    ])
  })
})
