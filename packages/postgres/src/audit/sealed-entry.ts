import { types, type RowOf } from '../database/column-types.ts'
import { toSnakeCase } from '../database/statement.ts'

const { jsonb, nullable, text, time, uuid } = types

/**
 * The columns of an audit entry that a seal covers, which are null if the entry was removed: all of `audit_events`
 * (packages/postgres/test/audit/audit-sealer.test.ts). A column that is added later must stay out of the seals of entries
 * without it, or these count as forged: {@link toSealable} must leave it out while it is null
 * (packages/postgres/test/audit/sealed-entry.test.ts).
 */
export const entryTypes = {
  id: nullable(uuid),
  tenantId: nullable(uuid),
  occurredAt: nullable(time),
  action: nullable(text),
  outcome: nullable(text),
  reason: nullable(text),
  actorType: nullable(text),
  actorId: nullable(text),
  actorName: nullable(text),
  actorKeyId: nullable(text),
  targetType: nullable(text),
  targetId: nullable(text),
  ip: nullable(text),
  requestId: nullable(text),
  details: nullable(jsonb<object>()),
}

/** The columns of {@link entryTypes} in the database. */
export const sealedColumns = Object.keys(entryTypes).map(toSnakeCase).join(', ')

/** An audit entry with the names of its columns, which its seal covers too. */
export type SealableEntry = Readonly<Record<string, unknown>> & { readonly id: string }

/** Returns an entry as its seal covers it, unless it was removed. */
export function toSealable(entry: RowOf<typeof entryTypes>): SealableEntry | undefined {
  if (entry.id === null) return undefined
  const columns = Object.entries(entry).map(([name, value]) => [toSnakeCase(name), value] as const)
  return { ...Object.fromEntries(columns), id: entry.id }
}
