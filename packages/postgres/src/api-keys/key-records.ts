import { reachesAllAccounts, type Scope } from '@hosting/core'
import {
  actingUserColumns,
  toActingUser,
  type ActingUser,
  type ActingUserRow,
} from '../sessions/acting-user.ts'
import { runPrepared, type Database } from '../database/database.ts'

/**
 * Everything needed to authorize a request with a key, including when the information expires. For a key that is
 * limited to accounts, `user.accountIds` are those of them that exist and that the user can access.
 */
export interface KeyRecord extends ActingUser {
  readonly id: string
  /** Incremented with every change of the key, its user or its organization. */
  readonly version: number
  readonly name: string
  readonly kind: 'personal' | 'organization'
  readonly scopes: Scope[]
  readonly ipAllowlist: string[]
  readonly rateLimitPerMinute: number
  readonly expiresAt: Date | null
  /** The ids of the accounts that the key is limited to; `null` if it is not limited. */
  readonly accounts: string[] | null
  /** Whether the key is enabled and not revoked, its user is active, and its organization is not deleted. */
  readonly usable: boolean
  readonly secrets: readonly { readonly hash: Uint8Array; readonly expiresAt: Date | null }[]
}

/** Loads the records of keys in any state, by id. Omits ids that do not exist. */
export async function loadKeyRecords(
  database: Database,
  ids: readonly string[],
): Promise<Map<string, KeyRecord>> {
  const rows = await runPrepared<KeyRecordRow>(database, 'key-records', keyRecordsStatement, [ids])
  return new Map(rows.map((row) => [row.id, toKeyRecord(row)]))
}

/** The columns of a {@link KeyRecordRow}. */
export const keyRecordColumns = `
    k.id, k.version, k.name, k.kind, k.scopes, k.ip_allowlist, k.rate_limit_per_minute, k.expires_at,
    k.accounts,
    CASE WHEN k.accounts <> '{}' THEN
      ARRAY(SELECT a.id FROM accounts a WHERE a.id = ANY (k.accounts) AND a.tenant_id = k.tenant_id ORDER BY 1)
    END AS existing_accounts,
    k.enabled AND k.revoked_at IS NULL AND u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL AS usable,
${actingUserColumns},
    s.hashes AS secret_hashes, s.ends AS secret_ends`

/** The tables of {@link keyRecordColumns}, with the key as `k` and its user as `u`. */
export const keyRecordTables = `
  api_keys k
  JOIN users u ON u.id = k.user_id
  JOIN tenants t ON t.id = k.tenant_id
  CROSS JOIN LATERAL (
    SELECT array_agg(hash) AS hashes, array_agg(expires_at) AS ends FROM api_key_secrets WHERE key_id = k.id
  ) s`

/** Selects the records by id. As `text`, the ids would not match the type of the primary key: every key would be read. */
export const keyRecordsStatement = `
  SELECT ${keyRecordColumns} FROM ${keyRecordTables} WHERE k.id = ANY ($1::bpchar[])`

/** A row with the columns of {@link keyRecordColumns}. */
export interface KeyRecordRow extends ActingUserRow {
  id: string
  version: string | bigint
  name: string
  kind: 'personal' | 'organization'
  scopes: Scope[]
  ip_allowlist: string[]
  rate_limit_per_minute: number
  expires_at: Date | null
  accounts: string[]
  /** Those of `accounts` that exist; `null` if the key is not limited. */
  existing_accounts: string[] | null
  usable: boolean
  secret_hashes: Uint8Array[] | null
  secret_ends: (Date | null)[] | null
}

/** Converts a row to a record. */
export const toKeyRecord = (row: KeyRecordRow): KeyRecord => ({
  id: row.id,
  version: Number(row.version),
  name: row.name,
  kind: row.kind,
  scopes: row.scopes,
  ipAllowlist: row.ip_allowlist,
  rateLimitPerMinute: row.rate_limit_per_minute,
  expiresAt: row.expires_at,
  accounts: row.existing_accounts && row.accounts,
  usable: row.usable,
  secrets: (row.secret_hashes ?? []).map((hash, index) => ({
    hash,
    expiresAt: row.secret_ends![index]!,
  })),
  ...toActingUser(row),
  ...(row.existing_accounts && limitUser(toActingUser(row), row.existing_accounts)),
})

function limitUser({ user }: ActingUser, existing: readonly string[]): Pick<ActingUser, 'user'> {
  const accountIds = reachesAllAccounts(user.roles)
    ? existing
    : existing.filter((id) => user.accountIds.includes(id))
  return { user: { ...user, accountIds: [...accountIds] } }
}
