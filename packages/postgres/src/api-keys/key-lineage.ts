import { lowestUuidv7 } from '@hosting/core/ids'
import { types, type RowOf } from '../database/column-types.ts'
import type { Client, Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'

const { bool, int, keyId, notNull, nullable, text, time, uuid } = types

/**
 * Returns the lineage of a secret that one key creates by rotating another, and adds it if it is new. It is live.
 * The transaction must have locked both keys.
 *
 * @param by - the key that rotates, and the lineage of the secret that it sent; `null` for that of its creation.
 * @returns the id of the lineage.
 */
export async function addRotationLineage(
  tx: Transaction,
  rotatedId: string,
  by: { keyId: string; lineageId: string | null },
): Promise<string> {
  const [row] = await tx.$queryRaw<{ id: string }[]>`
    SELECT add_key_lineage(${rotatedId}, coalesce(${by.lineageId}::uuid, first_key_lineage(${by.keyId})), false)::text AS id`
  return row!.id
}

/**
 * Ends the lineages of a key that have no secret any more, so that nobody looks for their secrets. The transaction
 * must have locked the key.
 */
export async function endUnusedLineages(tx: Transaction, id: string, now: Date): Promise<void> {
  await tx.$executeRaw`
    UPDATE key_lineage l SET ended_at = ${now}
    WHERE key_id = ${id} AND NOT is_first AND ended_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM api_key_secrets s WHERE s.key_id = l.key_id AND s.lineage_id = l.id)`
}

const descendantTypes = {
  /** The id of the lineage. */
  id: notNull(uuid, 'of a row of the recursion'),
  /** The lineage with which it was created. */
  parentId: notNull(uuid, 'part of the condition'),
  /** The key, or the key that the secrets belong to. */
  keyId,
  name: text,
  /** Whether it is the key itself, not secrets of it. */
  isKey: notNull(bool, 'of a row of the recursion'),
  /** Whether the person whose keys are asked for owns the key. */
  isVisible: notNull(bool, 'of columns that are never null'),
  enabled: bool,
  expiresAt: nullable(time),
  /** When the key was revoked or the secrets ended. */
  revokedAt: nullable(time),
}

/** Something that was created with a key, directly or indirectly: another key, or secrets of another key. */
export type Descendant = RowOf<typeof descendantTypes>

/**
 * Returns what was created with a key, nearest first. The cost depends on `take` only: each row that is returned costs
 * one index scan of at most `take` rows, and the recursion ends with the last row that is needed.
 *
 * @param ownerId - only the personal keys of this user are visible. `undefined`: all are.
 */
export const listDescendants = (
  client: Client,
  { id, ownerId, take }: { id: string; ownerId: string | undefined; take: number },
): Promise<Descendant[]> =>
  runIn(client, descendantsStatement, { id, ownerId: ownerId ?? null, take })

/** Returns the descendants of a key, nearest first. Locks nothing. */
const descendantsStatement = defineStatement({
  name: 'list-key-descendants',
  takes: { id: keyId, ownerId: nullable(uuid), take: int },
  gives: descendantTypes,
  sql: `
    WITH RECURSIVE descendants AS (
      SELECT c.* FROM (SELECT id FROM key_lineage WHERE key_id = :id ORDER BY depth LIMIT :take) s
      CROSS JOIN LATERAL (
        SELECT * FROM key_lineage WHERE parent_id = s.id ORDER BY id LIMIT :take
      ) c
      UNION ALL
      SELECT c.* FROM descendants d CROSS JOIN LATERAL (
        SELECT * FROM key_lineage WHERE parent_id = d.id ORDER BY id LIMIT :take
      ) c
    ), nearest AS MATERIALIZED (SELECT * FROM descendants LIMIT :take)
    SELECT n.id, n.parent_id, k.id AS key_id, k.name, n.is_first AS is_key,
      :ownerId IS NULL OR (k.kind = 'personal' AND k.user_id = :ownerId) AS is_visible,
      k.enabled, k.expires_at, n.ended_at AS revoked_at
    FROM nearest n CROSS JOIN LATERAL (SELECT * FROM api_keys WHERE id = n.key_id OFFSET 0) k
    ORDER BY n.depth, n.id`,
})

const treeTypes = { rootId: uuid, depth: notNull(int, 'of at least one row') }

/** A tree that a key is in, and the depth of the key's uppermost row. */
export type LineageTree = RowOf<typeof treeTypes>

/** Lists the trees that a key is in: that of its creation, and those of the keys that rotated it. */
export const listLineageTrees = (client: Client, id: string): Promise<LineageTree[]> =>
  runIn(client, treesStatement, { id })

/** Returns the trees that a key is in, with its lowest depth in each. Locks nothing. */
const treesStatement = defineStatement({
  name: 'list-lineage-trees',
  takes: { id: keyId },
  gives: treeTypes,
  sql: `
    SELECT root_id, min(depth) AS depth FROM key_lineage
    WHERE key_id = :id GROUP BY root_id ORDER BY root_id`,
})

/** The position of a row of a tree in the order in which rows are examined. */
export interface LineagePosition {
  readonly depth: number
  readonly id: string
}

const liveTypes = {
  id: uuid,
  keyId,
  /** Whether it is the key itself, not secrets of it. */
  isKey: bool,
  depth: int,
  /** Whether it descends from the key. */
  descends: notNull(bool, 'EXISTS'),
}

/** A row of a tree whose key or secrets have not ended. */
export type LiveLineage = RowOf<typeof liveTypes>

/**
 * Examines the live rows of a tree below a key's depth, from the top down. Each row costs steps in the order of the
 * logarithm of its depth, for each row of the key in the tree.
 *
 * @returns the next rows after a position, at most `take`.
 */
export const examineLineages = (
  client: Client,
  id: string,
  { tree, after, take }: { tree: LineageTree; after: LineagePosition | undefined; take: number },
): Promise<LiveLineage[]> =>
  runIn(client, liveStatement, {
    id,
    ...tree,
    afterDepth: after?.depth ?? 0,
    afterId: after?.id ?? lowestId,
    take,
  })

const lowestId = lowestUuidv7(0)

/** Returns live rows of a tree, from the top down, and whether each descends from a key. Locks nothing. */
const liveStatement = defineStatement({
  name: 'examine-lineages',
  takes: { id: keyId, rootId: uuid, depth: int, afterDepth: int, afterId: uuid, take: int },
  gives: liveTypes,
  sql: `
    WITH own AS MATERIALIZED (
      SELECT id, depth FROM key_lineage WHERE key_id = :id AND root_id = :rootId
    ), page AS MATERIALIZED (
      SELECT * FROM key_lineage
      WHERE root_id = :rootId AND ended_at IS NULL AND depth > :depth
        AND (depth, id) > (:afterDepth, :afterId)
      ORDER BY depth, id LIMIT :take
    )
    SELECT id, key_id, is_first AS is_key, depth, EXISTS (
      SELECT 1 FROM own
      WHERE own.depth < page.depth AND (own.depth = 0 OR key_lineage_at(page.id, own.depth) = own.id)
    ) AS descends
    FROM page ORDER BY depth, id`,
})
