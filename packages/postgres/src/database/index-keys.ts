/**
 * The key of an organization's value in an index, in SQL: eight bytes instead of an id and a text. Other values may have the
 * same key, also those of other organizations, so a statement compares the columns of what the index finds. It does so after
 * it has limited the rows: the planner knows how many rows a key finds, and underestimates how many also equal the value.
 */
export const keyOf = (value: string, tenantId: string): string =>
  `hashtextextended(${value}, uuid_hash_extended(${tenantId}, 0))`
