import {
  createApiKey,
  examineLineages,
  listDescendants,
  listLineageTrees,
} from '@hosting/postgres/api-keys'
import { createKeyToken, rateLimitMax } from '@hosting/core/api-keys'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { insertChain, insertChildren } from '../../../../test/support/key-trees.ts'
import { database, makeOwner, type Owner } from '../support/key-owners.ts'

let owner: Owner

beforeAll(async () => {
  owner = await makeOwner()
})

async function makeRoot(parentKeyId: string | null = null): Promise<string> {
  const { id } = createKeyToken()
  await createApiKey(database.prisma, {
    id,
    secretHash: Buffer.alloc(32, 1),
    tenantId: owner.tenantId,
    userId: owner.userId,
    createdById: owner.userId,
    kind: 'personal',
    source: 'api',
    name: 'Key',
    scopes: ['*'],
    expiresAt: null,
    rateLimitPerMinute: rateLimitMax,
    parentKeyId,
  })
  return id
}

/** The keys below a key, walked from parent to child. */
async function walkFrom(id: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    `WITH RECURSIVE below AS (
       SELECT id FROM api_keys WHERE parent_key_id = $1
       UNION ALL SELECT k.id FROM api_keys k JOIN below ON k.parent_key_id = below.id
     ) SELECT id FROM below`,
    [id],
  )
  return rows.map((row) => row.id)
}

/** The keys below a key as its tree says. */
async function examine(id: string): Promise<string[]> {
  const [tree] = await listLineageTrees(database.prisma, id)
  const options = { tree: tree!, after: undefined, take: 10_000 }
  const rows = await examineLineages(database.prisma, id, options)
  return rows.filter(({ descends }) => descends).map(({ keyId }) => keyId)
}

describe('key lineage', () => {
  test('finds exactly the descendants of any key of a tree', async () => {
    // A tree that grows anywhere, and more often at its deepest end.
    let random = 7
    const next = (below: number) => (random = (random * 48_271) % 2_147_483_647) % below
    const keys = [await makeRoot()]
    while (keys.length < 120) {
      const parent = next(3) === 0 ? keys[next(keys.length)]! : keys.at(-1)!
      keys.push(await makeRoot(parent))
    }
    for (const id of keys)
      expect((await examine(id)).toSorted()).toEqual((await walkFrom(id)).toSorted())
  })

  test('reaches any ancestor in a chain of 5,000 keys in two steps per bit of the depth, with constant storage', async () => {
    const root = await makeRoot()
    const last = await insertChain(
      database,
      { keyId: root, prefix: 'deep' },
      { length: 5_000, revoked: false },
    )
    const { rows } = await database.pool.query<{ steps: number; bytes: number }>(
      `WITH RECURSIVE paths AS (
         SELECT target, l.*, 0 AS steps FROM generate_series(0, 4999, 37) target, key_lineage l WHERE key_id = $1
         UNION ALL
         SELECT target, l.*, steps + 1 FROM paths p JOIN key_lineage l
           ON l.id = CASE WHEN p.jump_depth >= target THEN p.jump_id ELSE p.parent_id END
         WHERE p.depth > target
       ), sizes AS (
         SELECT max(pg_column_size(l.*)) AS bytes FROM key_lineage l JOIN api_keys k ON k.id = l.key_id WHERE k.id LIKE 'deep%'
       )
       SELECT max(steps) AS steps, max(bytes) AS bytes FROM paths, sizes`,
      [last],
    )
    expect(rows[0]!.steps).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(5_000)) + 2)
    expect(rows[0]!.bytes).toBeLessThan(200)
    expect(await examine(root)).toHaveLength(5_000)
  })

  test('lists the descendants of a key with 5,000 children up to a limit, by bounded index scans', async () => {
    const root = await makeRoot()
    await insertChildren(database, { keyId: root, prefix: 'wide' }, { count: 5_000, revoked: true })
    await insertChain(database, { keyId: root, prefix: 'long' }, { length: 5_000, revoked: true })
    await database.pool.query('ANALYZE api_keys, key_lineage')
    const found = await listDescendants(database.prisma, {
      id: root,
      ownerId: undefined,
      take: 101,
    })
    expect(found).toHaveLength(101)
    expect(await examine(root)).toEqual([])
  })
})
