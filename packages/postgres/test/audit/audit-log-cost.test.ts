import { minuteMs } from '@hosting/core/clock'
import { listAuditEvents } from '@hosting/postgres/audit'
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
  const read = await database.prisma.$transaction(async (tx) => {
    const filter = { tenantId, until, ...any }
    const page = await listAuditEvents(tx, filter, { beforeId: undefined, take: 20 })
    expect(page).toHaveLength(20)
    expect(page.every(({ occurredAt }) => occurredAt < until)).toBe(true)
    const [row] = await tx.$queryRaw<[{ fetched: bigint }]>`
      SELECT pg_stat_get_xact_tuples_fetched('audit_events'::regclass) AS fetched`
    return Number(row.fetched)
  })
  expect(read).toBeLessThan(100)
})
