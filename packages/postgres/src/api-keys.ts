import { createUuidv7, type Role, type Scope } from '@hosting/core'
import { runPrepared, type Client, type Database } from './database.ts'
import type { Prisma } from './generated/client.ts'

/** A key as it is made. */
export interface NewApiKey {
  readonly id: string
  readonly secretHash: Buffer
  readonly tenantId: string
  readonly userId: string
  readonly createdById: string | null
  readonly kind: 'personal' | 'organization'
  readonly source: 'panel' | 'api' | 'device'
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
}

/** Stores a new key with the hash of its first secret. */
export async function createApiKey(
  client: Client,
  { secretHash, scopes, ...key }: NewApiKey,
): Promise<void> {
  await client.apiKey.create({
    data: {
      ...key,
      scopes: [...scopes],
      secrets: { create: { id: createUuidv7(), hash: Uint8Array.from(secretHash) } },
    },
  })
}

/** All that authentication needs of a key: who acts, what the key may do, and the hashes of its valid secrets. */
export interface AuthenticationRecord {
  readonly id: string
  readonly name: string
  readonly kind: 'personal' | 'organization'
  readonly scopes: Scope[]
  readonly expiresAt: Date | null
  readonly secretHashes: Buffer[]
  readonly tenant: { readonly id: string; readonly slug: string; readonly name: string }
  readonly user: {
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly kind: 'human' | 'service'
    readonly roles: Role[]
    readonly accountIds: string[]
  }
}

/**
 * The key of an id, if it may be used at all: not revoked or expired, of an active user in a living
 * organization.
 */
export async function findKeyForAuthentication(
  database: Database,
  id: string,
): Promise<AuthenticationRecord | undefined> {
  const [row] = await runPrepared<Row>(database, 'key-for-authentication', keyForAuthentication, [
    id,
  ])
  return row && toRecord(row)
}

const keyForAuthentication = `
  SELECT k.id, k.name, k.kind, k.scopes, k.expires_at,
    t.id AS tenant_id, t.slug AS tenant_slug, t.name AS tenant_name,
    u.id AS user_id, u.name AS user_name, u.email AS user_email, u.kind AS user_kind,
    u.roles::text[] AS user_roles,
    ARRAY(SELECT a.account_id FROM user_accounts a WHERE a.user_id = u.id ORDER BY 1) AS account_ids,
    ARRAY(SELECT s.hash FROM api_key_secrets s
      WHERE s.key_id = k.id AND (s.expires_at IS NULL OR s.expires_at > now())) AS secret_hashes
  FROM api_keys k
  JOIN users u ON u.id = k.user_id AND u.status = 'active' AND u.deleted_at IS NULL
  JOIN tenants t ON t.id = k.tenant_id AND t.deleted_at IS NULL
  WHERE k.id = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`

interface Row {
  id: string
  name: string
  kind: 'personal' | 'organization'
  scopes: Scope[]
  expires_at: Date | null
  tenant_id: string
  tenant_slug: string
  tenant_name: string
  user_id: string
  user_name: string
  user_email: string | null
  user_kind: 'human' | 'service'
  user_roles: Role[]
  account_ids: string[]
  secret_hashes: Buffer[]
}

const toRecord = (row: Row): AuthenticationRecord => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  scopes: row.scopes,
  expiresAt: row.expires_at,
  secretHashes: row.secret_hashes,
  tenant: { id: row.tenant_id, slug: row.tenant_slug, name: row.tenant_name },
  user: {
    id: row.user_id,
    name: row.user_name,
    email: row.user_email,
    kind: row.user_kind,
    roles: row.user_roles,
    accountIds: row.account_ids,
  },
})

const withPeopleAndUsage = (today: Date) =>
  ({
    user: true,
    createdBy: true,
    secrets: true,
    usage: { where: { date: today } },
  }) satisfies Prisma.ApiKeyInclude

/** A key with its people, its secrets' ends and the day's usage. */
export type ApiKeyRow = Prisma.ApiKeyGetPayload<{ include: ReturnType<typeof withPeopleAndUsage> }>

/** A key of the organization, in whatever state. */
export const findApiKey = (
  client: Client,
  tenantId: string,
  id: string,
): Promise<ApiKeyRow | null> =>
  client.apiKey.findFirst({
    where: { id, tenantId },
    include: withPeopleAndUsage(startOfUtcDay(new Date())),
  })

const startOfUtcDay = (now: Date): Date => new Date(now.toISOString().slice(0, 10))
