import { statusOfKey, type KeyStatus } from '@hosting/core/api-keys'
import { currentTime } from '@hosting/core/clock'
import {
  examineLineages,
  listDescendants,
  listLineageTrees,
  type Descendant,
} from '@hosting/postgres/api-keys'
import { type Client } from '@hosting/postgres/database'
import type { Caller } from '../access/caller.ts'
import type { Needs } from '../services.ts'
import { getVisibleKey, seesAllKeys } from './key-access.ts'

/** A key in a tree, or the secrets of a key that another one rotated, with what was created with it. */
export interface KeyTree {
  /** The id of the lineage. */
  readonly id: string
  readonly keyId: string
  readonly name: string
  /** Whether it is the key itself, not secrets of it. */
  readonly isKey: boolean
  readonly status: KeyStatus
  readonly children: readonly KeyTree[]
}

/** What was created with a key, directly or indirectly. */
export interface KeyLineage {
  readonly children: readonly KeyTree[]
  /** Whether something may be left to revoke, shown or not. */
  readonly hasUnrevoked: boolean
  /** There is more than the tree holds. */
  readonly isCut: boolean
}

const descendantsMax = 100
/** Rows that are examined for something to revoke. */
const examinedMax = 500

/** Reads what was created with a key that the caller may see. The cost has a limit. @throws Problem `not_found`. */
export async function readKeyLineage(
  { database: { prisma } }: Needs<'database'>,
  caller: Caller,
  id: string,
): Promise<KeyLineage> {
  await getVisibleKey(prisma, caller, id)
  const ownerId = seesAllKeys(caller) ? undefined : caller.user.id
  const found = await listDescendants(prisma, { id, ownerId, take: descendantsMax + 1 })
  const nearest = found.slice(0, descendantsMax)
  return {
    children: toTree(nearest.filter(({ isVisible }) => isVisible)),
    hasUnrevoked: nearest.some(({ revokedAt }) => !revokedAt) || (await hasLive(prisma, id)),
    isCut: found.length > descendantsMax,
  }
}

/** Examines a part of the first tree only. If it holds more, there may be something. */
async function hasLive(client: Client, id: string): Promise<boolean> {
  const [tree, ...others] = await listLineageTrees(client, id)
  if (!tree) return false
  const options = { tree, after: undefined, take: examinedMax }
  const rows = await examineLineages(client, id, options)
  return others.length > 0 || rows.length === examinedMax || rows.some(({ descends }) => descends)
}

/** What was created with something that is not shown is placed at the top. */
function toTree(shown: readonly Descendant[]): KeyTree[] {
  const ids = new Set(shown.map(({ id }) => id))
  const childrenOf = Map.groupBy(shown, ({ parentId }) => (ids.has(parentId) ? parentId : ''))
  const now = currentTime()
  const build = (parent: string): KeyTree[] =>
    (childrenOf.get(parent) ?? []).map((each) => ({
      id: each.id,
      keyId: each.keyId,
      name: each.name,
      isKey: each.isKey,
      status: statusOfKey(each, now),
      children: build(each.id),
    }))
  return build('')
}
