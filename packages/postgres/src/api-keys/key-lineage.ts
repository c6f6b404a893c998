import { lowestUuidv7 } from '@hosting/core/ids'
import type { Client, Transaction } from '../database/database.ts'

/**
 * Returns the lineage of a secret that one key creates by rotating another, and adds it if it is new. It is live.
 * The transaction must have locked both keys.
 *
 * @param by - the key that rotates, and the lineage of the secret that it sent; `null` for that of its creation.
 * @returns the id of the lineage.
 */
export async function addRotationLineage(
  tx: Transaction,
  keyId: string,
  by: { keyId: string; lineageId: string | null },
): Promise<string> {
  const [row] = await tx.$queryRaw<{ id: string }[]>`
    SELECT add_key_lineage(${keyId}, coalesce(${by.lineageId}::uuid, first_key_lineage(${by.keyId})), false)::text AS id`
  return row!.id
}

/**
 * Ends the lineages of a key that have no secret any more, so that nobody looks for their secrets. The transaction
 * must have locked the key.
 */
export async function endUnusedLineages(tx: Transaction, keyId: string, now: Date): Promise<void> {
  await tx.$executeRaw`
    UPDATE key_lineage l SET ended_at = ${now}
    WHERE key_id = ${keyId} AND NOT is_first AND ended_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM api_key_secrets s WHERE s.key_id = l.key_id AND s.lineage_id = l.id)`
}

/** Something that was created with a key, directly or indirectly: another key, or secrets of another key. */
export interface Descendant {
  /** The id of the lineage. */
  readonly id: string
  /** The lineage with which it was created. */
  readonly parentId: string
  /** The key, or the key that the secrets belong to. */
  readonly keyId: string
  readonly name: string
  /** Whether it is the key itself, not secrets of it. */
  readonly isKey: boolean
  /** Whether the person whose keys are asked for owns the key. */
  readonly isVisible: boolean
  readonly enabled: boolean
  readonly expiresAt: Date | null
  /** When the key was revoked or the secrets ended. */
  readonly revokedAt: Date | null
}

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
  client.$queryRaw<Descendant[]>`
    WITH RECURSIVE descendants AS (
      SELECT c.* FROM (SELECT id FROM key_lineage WHERE key_id = ${id} ORDER BY depth LIMIT ${take}) s
      CROSS JOIN LATERAL (
        SELECT * FROM key_lineage WHERE parent_id = s.id ORDER BY id LIMIT ${take}
      ) c
      UNION ALL
      SELECT c.* FROM descendants d CROSS JOIN LATERAL (
        SELECT * FROM key_lineage WHERE parent_id = d.id ORDER BY id LIMIT ${take}
      ) c
    ), nearest AS MATERIALIZED (SELECT * FROM descendants LIMIT ${take})
    SELECT n.id::text, n.parent_id::text AS "parentId", k.id AS "keyId", k.name, n.is_first AS "isKey",
      ${ownerId ?? null}::uuid IS NULL OR (k.kind = 'personal' AND k.user_id = ${ownerId ?? null}::uuid) AS "isVisible",
      k.enabled, k.expires_at AS "expiresAt", n.ended_at AS "revokedAt"
    FROM nearest n CROSS JOIN LATERAL (SELECT * FROM api_keys WHERE id = n.key_id OFFSET 0) k
    ORDER BY n.depth, n.id`

/** A tree that a key is in, and the depth of the key's uppermost row. */
export interface LineageTree {
  readonly rootId: string
  readonly depth: number
}

/** Lists the trees that a key is in: that of its creation, and those of the keys that rotated it. */
export const listLineageTrees = (client: Client, keyId: string): Promise<LineageTree[]> =>
  client.$queryRaw<LineageTree[]>`
    SELECT root_id::text AS "rootId", min(depth) AS depth FROM key_lineage
    WHERE key_id = ${keyId} GROUP BY root_id ORDER BY root_id`

/** The place of a row of a tree in the order in which rows are examined. */
export interface LineagePlace {
  readonly depth: number
  readonly id: string
}

/** A row of a tree whose key or secrets have not ended. */
export interface LiveLineage extends LineagePlace {
  readonly keyId: string
  /** Whether it is the key itself, not secrets of it. */
  readonly isKey: boolean
  /** Whether it descends from the key. */
  readonly descends: boolean
}

/**
 * Examines the live rows of a tree below a key's depth, from the top down. Each row costs steps in the order of the
 * logarithm of its depth, for each row of the key in the tree.
 *
 * @returns the next rows after a place, at most `take`.
 */
export const examineLineages = (
  client: Client,
  keyId: string,
  { tree, after, take }: { tree: LineageTree; after: LineagePlace | undefined; take: number },
): Promise<LiveLineage[]> =>
  client.$queryRaw<LiveLineage[]>`
    WITH own AS MATERIALIZED (
      SELECT id, depth FROM key_lineage WHERE key_id = ${keyId} AND root_id = ${tree.rootId}::uuid
    ), page AS MATERIALIZED (
      SELECT * FROM key_lineage
      WHERE root_id = ${tree.rootId}::uuid AND ended_at IS NULL AND depth > ${tree.depth}
        AND (depth, id) > (${after?.depth ?? 0}, ${after?.id ?? lowestId}::uuid)
      ORDER BY depth, id LIMIT ${take}
    )
    SELECT id::text, key_id AS "keyId", is_first AS "isKey", depth, EXISTS (
      SELECT 1 FROM own
      WHERE own.depth < page.depth AND (own.depth = 0 OR key_lineage_at(page.id, own.depth) = own.id)
    ) AS descends
    FROM page ORDER BY depth, id`

const lowestId = lowestUuidv7(0)
