import { listApiKeys, type ApiKeyFilter } from '@hosting/postgres/api-keys'
import { beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDatabase } from '../support/database.ts'
import { makeTenant } from '../support/fixtures.ts'

const database = useDatabase()
const [revoked, expired, live] = [2_000, 400, 5]
const examined = 80
let tenantId: string
let userId: string

/** The live keys are older than all others. */
beforeAll(async () => {
  tenantId = await makeTenant(database)
  userId = randomUUID()
  await database.pool.query(`INSERT INTO users (id, tenant_id, name) VALUES ($1, $2, 'Ana')`, [
    userId,
    tenantId,
  ])
  // Without the triggers, which write a notice for each key.
  await database.prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SET LOCAL session_replication_role = replica`
    await tx.$executeRawUnsafe(
      `INSERT INTO api_keys (id, tenant_id, user_id, kind, source, name, scopes, created_at, expires_at, revoked_at)
       SELECT lpad(translate(n::text, '0189', 'abcd'), 12, 'z'), $1::uuid, $2::uuid, 'personal', 'api', 'Key ' || n, '{*}',
         now() - (36000 - n) * interval '1 second',
         CASE WHEN n BETWEEN $3::int + 1 AND $3::int + $4::int THEN now() - interval '1 second' END,
         CASE WHEN n > $3::int + $4::int THEN now() END
       FROM generate_series(1, $3::int + $4::int + $5::int) AS n`,
      tenantId,
      userId,
      live,
      expired,
      revoked,
    )
  })
  await database.pool.query('ANALYZE api_keys')
})

const read = async (given: Partial<ApiKeyFilter>) => {
  const filter = { tenantId, ownerId: undefined, kind: undefined, status: undefined, ...given }
  const names: string[] = []
  let after: string | undefined
  let [pages, most] = [0, 0]
  const client = await database.pool.connect()
  try {
    do {
      // As PostgreSQL plans for many keys. It may read more of a few keys, and sort them.
      await client.query('BEGIN; SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off')
      const from = { pool: client as never, prisma: database.prisma }
      const page = await listApiKeys(from, filter, { after, take: 20 }, examined)
      const { rows } = await client.query<{ fetched: string }>(
        "SELECT pg_stat_get_xact_tuples_fetched('api_keys'::regclass) AS fetched",
      )
      await client.query('ROLLBACK')
      most = Math.max(most, Number(rows[0]!.fetched))
      names.push(...page.rows.map(({ name }) => name))
      const last = page.rows.at(-1)
      after = page.rows.length < 20 ? page.examinedTo : positionOf(last!)
      pages += 1
    } while (after !== undefined && pages < 1_000)
  } finally {
    client.release()
  }
  expect(after).toBeUndefined()
  return { names, pages, most }
}

const positionOf = ({ createdAt, id }: { createdAt: Date; id: string }) =>
  `${String(createdAt.getTime()).padStart(14, '0')}.${id}`

test.each<[string, () => Partial<ApiKeyFilter>, number]>([
  ['a name that no key has', () => ({ namePart: 'zzzz' }), 0],
  ['a name with wildcards of LIKE', () => ({ namePart: '%_%' }), 0],
  ['disabled keys', () => ({ status: 'disabled' }), 0],
  ['active keys', () => ({ status: 'active' }), live],
  ['keys that are not revoked', () => ({ withoutRevoked: true }), live + expired],
  ['active keys of a person', () => ({ ownerId: userId, status: 'active' }), live],
  ['keys of another person', () => ({ userId: randomUUID() }), 0],
  ['keys that violate a policy', () => ({ violatesPolicy: true }), 0],
  ['organization keys', () => ({ kind: 'organization' }), 0],
])(
  'a page examines a limited number of keys for %s, and the pages find all',
  async (_, given, count) => {
    const { names, most } = await read(given())
    expect(names).toHaveLength(count)
    expect(new Set(names).size).toBe(count)
    expect(most).toBeLessThanOrEqual(examined)
  },
)

test('live keys are found without reading the revoked ones', async () => {
  const { pages } = await read({ withoutRevoked: true })
  expect(pages).toBeLessThanOrEqual((live + expired) / 20 + 1)
})
