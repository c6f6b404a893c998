import { currentTime, statusOfKey, type KeyStatus } from '@hosting/core'
import { listDescendants, type DescendantKey } from '@hosting/postgres'
import type { Caller } from '../http/caller.ts'
import type { Services } from '../services.ts'
import { getVisibleKey, seesAllKeys } from './key-access.ts'

/** A key in a tree, with the keys that were created with it. */
export interface KeyTree extends Pick<DescendantKey, 'id' | 'name'> {
  readonly status: KeyStatus
  readonly children: readonly KeyTree[]
}

/** The keys that were created with a key, directly or indirectly. */
export interface KeyLineage {
  readonly children: readonly KeyTree[]
  /** The number of keys in the tree that are not revoked. */
  readonly unrevoked: number
  /** There are more keys than the tree holds. */
  readonly isCut: boolean
}

const descendantsMax = 100

/** Reads the descendants of a key that the caller may see. @throws Problem `not_found` */
export async function readKeyLineage(
  { database }: Services,
  caller: Caller,
  id: string,
): Promise<KeyLineage> {
  await getVisibleKey(database.prisma, caller, id)
  const ownerId = seesAllKeys(caller) ? undefined : caller.user.id
  const found = await listDescendants(database.prisma, { id, ownerId, take: descendantsMax + 1 })
  const shown = found.slice(0, descendantsMax)
  return {
    children: toTree(shown, id),
    unrevoked: shown.filter(({ revokedAt }) => !revokedAt).length,
    isCut: found.length > descendantsMax,
  }
}

/** A key whose parent is not shown is placed at the top. */
function toTree(keys: readonly DescendantKey[], root: string): KeyTree[] {
  const shown = new Set(keys.map(({ id }) => id))
  const childrenOf = Map.groupBy(keys, ({ parentKeyId }) =>
    shown.has(parentKeyId) ? parentKeyId : root,
  )
  const now = currentTime()
  const build = (parent: string): KeyTree[] =>
    (childrenOf.get(parent) ?? []).map((key) => ({
      id: key.id,
      name: key.name,
      status: statusOfKey(key, now),
      children: build(key.id),
    }))
  return build(root)
}
