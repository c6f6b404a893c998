import type { ClientOperation } from './model.ts'

/** A group of operations: `webhooks`, and within it `recoveries`. */
export interface Group {
  readonly path: readonly string[]
  readonly operations: readonly ClientOperation[]
  readonly groups: readonly Group[]
}

/** The groups of the operations, in the order of the document. */
export function groupsOf(
  operations: readonly ClientOperation[],
  path: readonly string[] = [],
): Group[] {
  const depth = path.length
  const inside = operations.filter(({ groups }) => groups.length > depth)
  const byName = Map.groupBy(inside, ({ groups }) => groups[depth]!)
  return [...byName].map(([name, members]) => ({
    path: [...path, name],
    operations: members.filter(({ groups }) => groups.length === depth + 1),
    groups: groupsOf(members, [...path, name]),
  }))
}
