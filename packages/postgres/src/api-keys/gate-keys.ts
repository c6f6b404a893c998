import { type KeySecret } from '@hosting/core/api-keys'
import { reachesAllAccounts, type Scope } from '@hosting/core/scopes'
import { types, type RowOf } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineHotStatement, runPrepared } from '../database/statement.ts'
import {
  actingUserColumns,
  actingUserTypes,
  toActingUser,
  type ActingUser,
} from '../sessions/acting-user.ts'
import type { KeySource } from './api-keys.ts'

const { bigint, bool, bytes, int, keyId, listOf, named, notNull, nullable, text, time, uuid } =
  types

/**
 * Everything needed to authorize a request with a key, including when the information expires. For a key that is
 * limited to accounts, `user.accountIds` are those of them that exist and that the user can access.
 */
export interface GateKey extends ActingUser {
  readonly id: string
  /** Incremented with every change of the key, its user or its organization. */
  readonly version: number
  readonly name: string
  readonly kind: 'personal' | 'organization'
  readonly source: KeySource
  readonly scopes: Scope[]
  readonly ipAllowlist: string[]
  readonly rateLimitPerMinute: number
  readonly expiresAt: Date | null
  /** The ids of the accounts that the key is limited to; `null` if it is not limited. */
  readonly accounts: string[] | null
  /** Those of `user.accountIds` that are assigned to the user: what a role of account level reaches. */
  readonly assignedAccounts: readonly string[]
  /** Whether the key is enabled and not revoked, its user is active, and its organization is not deleted. */
  readonly usable: boolean
  readonly secrets: readonly KeySecret[]
}

/** Loads the records of keys in any state, by id. Omits ids that do not exist. */
export async function loadKeyRecords(
  database: Database,
  ids: readonly string[],
): Promise<Map<string, GateKey>> {
  const rows = await runPrepared(database, gateKeysStatement, { ids })
  return new Map(rows.map((row) => [row.id, toGateKey(row)]))
}

/** The columns of a {@link KeyRecordRow}. */
export const keyRecordColumns = `
    k.id, k.version, k.name, k.kind, k.source, k.scopes, k.ip_allowlist, k.rate_limit_per_minute, k.expires_at,
    k.accounts,
    CASE WHEN k.accounts <> '{}' THEN
      ARRAY(SELECT a.id FROM accounts a WHERE a.id = ANY (k.accounts) AND a.tenant_id = k.tenant_id ORDER BY 1)
    END AS existing_accounts,
    k.enabled AND k.revoked_at IS NULL AND u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL AS usable,
${actingUserColumns},
    s.ids AS secret_ids, s.hashes AS secret_hashes, s.ends AS secret_ends, s.lineages AS secret_lineages`

/** The tables of {@link keyRecordColumns}, with the key as `k` and its user as `u`. */
export const keyRecordTables = `
  api_keys k
  JOIN users u ON u.id = k.user_id
  JOIN tenants t ON t.id = k.tenant_id
  CROSS JOIN LATERAL (
    SELECT array_agg(id) AS ids, array_agg(hash) AS hashes, array_agg(expires_at) AS ends,
      array_agg(lineage_id) AS lineages
    FROM api_key_secrets WHERE key_id = k.id
  ) s`

const list = 'lists are written, if empty'

/** The types of {@link keyRecordColumns}. */
export const keyRecordTypes = {
  id: keyId,
  version: bigint,
  name: text,
  kind: named<'personal' | 'organization'>('key_kind'),
  source: named<KeySource>('key_source'),
  scopes: notNull(listOf(named<Scope>('text')), list),
  ipAllowlist: notNull(listOf(text), list),
  rateLimitPerMinute: int,
  expiresAt: nullable(time),
  accounts: notNull(listOf(uuid), list),
  /** Those of `accounts` that exist; null if the key is not limited. */
  existingAccounts: nullable(listOf(uuid)),
  usable: notNull(bool, 'of columns that are not null'),
  ...actingUserTypes,
  secretIds: nullable(listOf(uuid)),
  secretHashes: nullable(listOf(bytes)),
  secretEnds: nullable(listOf(nullable(time))),
  secretLineages: nullable(listOf(nullable(uuid))),
}

/** Selects the records by id. As `text`, the ids would not match the type of the primary key: every key would be read. */
export const gateKeysStatement = defineHotStatement({
  name: 'key-records',
  takes: { ids: listOf(keyId) },
  gives: keyRecordTypes,
  sql: `SELECT ${keyRecordColumns} FROM ${keyRecordTables} WHERE k.id = ANY (:ids)`,
})

/** A row with the columns of {@link keyRecordColumns}. */
export type KeyRecordRow = RowOf<typeof keyRecordTypes>

/** Converts a row to a record. */
export const toGateKey = (row: KeyRecordRow): GateKey => ({
  id: row.id,
  version: Number(row.version),
  name: row.name,
  kind: row.kind,
  source: row.source,
  scopes: [...row.scopes],
  ipAllowlist: [...row.ipAllowlist],
  rateLimitPerMinute: row.rateLimitPerMinute,
  expiresAt: row.expiresAt,
  accounts: row.existingAccounts && [...row.accounts],
  usable: row.usable,
  secrets: (row.secretHashes ?? []).map((hash, index) => ({
    id: row.secretIds![index]!,
    hash,
    expiresAt: row.secretEnds![index]!,
    lineageId: row.secretLineages![index]!,
  })),
  ...limitToAccounts(toActingUser(row), row.existingAccounts),
})

function limitToAccounts(
  acting: ActingUser,
  existing: readonly string[] | null,
): ActingUser & Pick<GateKey, 'assignedAccounts'> {
  const { user } = acting
  if (!existing) return { ...acting, assignedAccounts: user.accountIds }
  const assignedAccounts = existing.filter((id) => user.accountIds.includes(id))
  const accountIds = reachesAllAccounts(user.roles) ? existing : assignedAccounts
  return { ...acting, user: { ...user, accountIds: [...accountIds] }, assignedAccounts }
}
