import { minuteMs } from '@hosting/core/clock'
import { listAuditEvents, type AuditFilter } from '@hosting/postgres/audit'
import { expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import { makeTenant } from '../support/fixtures.ts'

const database = useDatabase()
const entries = 2_000

test('a page of entries until a time reads those of that time, and not every later one', async () => {
  const tenantId = await makeTenant(database)
  await database.pool.query(
    `INSERT INTO audit_events (id, tenant_id, occurred_at, action, outcome, actor_type, target_type)
     SELECT uuid_v7_floor(at), $1, at, 'webhook.create', 'success', 'user', 'webhook'
     FROM (SELECT now() - n * interval '1 minute' AS at FROM generate_series(1, $2::int) AS n) AS times`,
    [tenantId, entries],
  )
  const until = new Date(Date.now() - (entries - 100) * minuteMs)
  const any = { action: undefined, keyId: undefined, actorId: undefined, since: undefined }
  const { page, fetched } = await countFetched(
    { tenantId, until, ...any },
    { beforeId: undefined, take: 20 },
  )
  expect(page.rows).toHaveLength(20)
  expect(page.rows.every(({ occurredAt }) => occurredAt < until)).toBe(true)
  expect(fetched).toBeLessThan(100)
})

/** Values that no entry has. */
const absent = { targetType: 'user', outcome: 'refused', ip: '192.0.2.1', namePart: 'nobody' }

test.each<[string, Partial<AuditFilter>]>([
  ['an action by a person who never did it', { action: 'webhook.create', actorId: 'nobody' }],
  ['an action on a key', { action: 'webhook.update', keyId: 'aaaaaaaaaaaa' }],
  ['a person with a key', { actorId: 'somebody', keyId: 'aaaaaaaaaaaa' }],
  ['a person in a span', { actorId: 'nobody', since: new Date(0), until: new Date() }],
  ['an action that nobody took', { action: 'webhook.delete' }],
  ['a target, outcome, address and name without entries', absent],
])(
  'a page examines a limited number of entries for %s, and the pages reach the end',
  async (_, given) => {
    const tenantId = await makeTenant(database)
    await database.pool.query(
      `INSERT INTO audit_events (id, tenant_id, occurred_at, action, outcome, actor_type, actor_id, actor_key_id, target_type)
     SELECT uuid_v7_floor(at), $1, at, 'webhook.create', 'success', 'user',
       CASE WHEN n % 2 = 0 THEN 'somebody' ELSE 'nobody' END, 'aaaaaaaaaaaa', 'webhook'
     FROM (SELECT n, now() - n * interval '1 second' AS at FROM generate_series(1, $2::int) AS n) AS times`,
      [tenantId, entries],
    )
    await database.pool.query('ANALYZE audit_events')
    const filter = { ...anyEntry, tenantId, ...given }
    const examined = 300
    let beforeId: string | undefined
    let pages = 0
    do {
      const { page, fetched } = await countFetched(filter, { beforeId, take: 20 }, examined)
      // Two indexes contain the entries of a key. An entry that is examined is fetched once.
      expect(fetched).toBeLessThanOrEqual(2 * examined + 20)
      beforeId = page.rows.length < 20 ? page.examinedTo : page.rows.at(-1)!.id
      pages += 1
    } while (beforeId !== undefined && pages < 200)
    expect(beforeId).toBeUndefined()
  },
)

const anyEntry = {
  action: undefined,
  keyId: undefined,
  actorId: undefined,
  since: undefined,
  until: undefined,
}

/** Reads a page, and counts the rows of the log that PostgreSQL fetched for it. */
async function countFetched(
  filter: AuditFilter,
  page: { beforeId: string | undefined; take: number },
  examined?: number,
) {
  const client = await database.pool.connect()
  try {
    await client.query('BEGIN')
    const read = await listAuditEvents(
      { pool: client as never, prisma: database.prisma },
      filter,
      page,
      examined,
    )
    const { rows } = await client.query<{ fetched: string }>(
      "SELECT pg_stat_get_xact_tuples_fetched('audit_events'::regclass) AS fetched",
    )
    await client.query('ROLLBACK')
    return { page: read, fetched: Number(rows[0]!.fetched) }
  } finally {
    client.release()
  }
}
