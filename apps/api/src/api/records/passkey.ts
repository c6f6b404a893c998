import type { PasskeyRow } from '@hosting/postgres/sessions'

/** A passkey as the API returns it. */
export const toPasskeyRecord = (row: PasskeyRow) => ({
  id: row.id,
  name: row.name,
  created_at: row.createdAt,
  last_used_at: row.lastUsedAt,
  backed_up: row.isBackedUp,
})
