import type { Role } from '@hosting/core/scopes'
import { createDescendantRevocation, keepInvalidations } from '@hosting/postgres/api-keys'
import { expect } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { TestApi, TestTenant } from '../../../../test/support/api.ts'
import type { Guard } from './access.ts'
import { until } from './until.ts'

/** The guard of what reads keys. */
export const readsKeys: Guard = {
  scope: 'apikeys:read',
  covering: [['apikeys:read'], ['apikeys:write'], ['*:read'], ['*']],
  lacking: [[], ['sites:write'], ['webhooks:read', 'audit:write']],
  roles: ['admin', 'support', 'reseller', 'customer'],
}

/** The guard of what changes keys. */
export const changesKeys: Guard = {
  scope: 'apikeys:write',
  covering: [['apikeys:write'], ['sites:read', 'apikeys:write'], ['*']],
  lacking: [[], ['apikeys:read'], ['*:read'], ['sites:write', 'webhooks:write']],
  roles: ['admin', 'support', 'reseller', 'customer'],
}

/** A key as the API shows it. */
export interface KeyView {
  readonly id: string
  readonly name: string
  readonly kind: 'personal' | 'organization'
  readonly source: string
  readonly scopes: readonly string[]
  readonly status: string
  readonly expires_at: string | null
  readonly ip_allowlist: readonly string[] | null
  readonly ip_allowlist_wide?: true
  readonly rate_limit_per_minute: number
  readonly enabled: boolean
  readonly accounts: readonly string[] | null
  readonly parent_key_id: string | null
  readonly user: { readonly id: string; readonly name: string }
  readonly created_by: { readonly id: string; readonly name: string } | null
  readonly created_at: string
  readonly updated_at: string
  readonly rotated_at: string | null
  readonly previous_secret_expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
  readonly last_used_ip: string | null
  readonly requests_today: number
  readonly previous_secret_last_used_at: string | null
  readonly unused_scopes: readonly string[] | null
}

/** What a key is made of. */
export interface KeyFields {
  readonly name?: string
  readonly scopes?: readonly string[]
  readonly kind?: 'personal' | 'organization'
  readonly expires_at?: string | null
  readonly ip_allowlist?: readonly string[] | null
  readonly accounts?: readonly string[] | null
  readonly rate_limit_per_minute?: number
}

/** A key with the token that works for it. */
export interface MadeKey {
  readonly key: KeyView
  readonly id: string
  readonly token: string
}

/** Makes a key with another, over the API. */
export async function makeKeyWith(
  api: TestApi,
  token: string,
  fields: KeyFields = {},
): Promise<MadeKey> {
  const body = { name: 'Deploy', scopes: ['*'], ...fields }
  const response = await api.call('post', '/api-keys', { token, body })
  if (response.status !== 201) throw new Error(`A key was not made: ${response.text}`)
  const { key, token: made } = response.body as { key: KeyView; token: string }
  return { key, id: key.id, token: made }
}

/** Rotates a key; gives the new token. */
export async function rotate(
  api: TestApi,
  token: string,
  id: string,
  graceSeconds = 0,
): Promise<string> {
  const body = { grace_seconds: graceSeconds }
  const response = await api.call('post', `/api-keys/${id}/rotate`, { token, body })
  if (response.status !== 200) throw new Error(`A key was not rotated: ${response.text}`)
  return response.body.token as string
}

/** The key as the API shows it to its reader. */
export async function showKey(api: TestApi, token: string, id: string): Promise<KeyView> {
  const response = await api.call('get', `/api-keys/${id}`, { token })
  if (response.status !== 200) throw new Error(`A key was not shown: ${response.text}`)
  return response.body.key as KeyView
}

/** The status of a request with the token. */
export const statusWith = async (api: TestApi, token: string): Promise<number> =>
  (await api.call('get', '/auth/me', { token })).status

/**
 * Uses a token until it is refused. Expects no refusal before its end and no success after it. On a slow machine, the
 * response to a request that is sent before the end may arrive after the end.
 */
export const useUntilRefused = (api: TestApi, token: string, endsAtMs: number): Promise<boolean> =>
  until(
    'the token is refused',
    async () => {
      const askedAtMs = Date.now()
      const status = await statusWith(api, token)
      if (status !== 401) {
        expect({ status, isEarly: askedAtMs < endsAtMs }).toEqual({ status: 200, isEarly: true })
        return false
      }
      expect(Date.now()).toBeGreaterThanOrEqual(endsAtMs)
      return true
    },
    { withinMs: 15_000 },
  )

/** Moves the ends of a key and its secrets into the past by this number of ms. */
export async function pass({ database }: TestApi, ms: number, ...ids: string[]): Promise<void> {
  await database.pool.query(
    `WITH passed AS (
       UPDATE api_key_secrets SET expires_at = expires_at - $1 * interval '1 ms' WHERE key_id = ANY ($2)
     )
     UPDATE api_keys SET expires_at = expires_at - $1 * interval '1 ms' WHERE id = ANY ($2)`,
    [ms, ids],
  )
}

/** The people of an organization, each with a key with all scopes. */
export async function makePeople(tenant: TestTenant) {
  const accounts = [await tenant.makeAccount()]
  const withRole = (role: Role) => tenant.makeKey({ roles: [role], accounts })
  return {
    admin: await withRole('admin'),
    support: await withRole('support'),
    reseller: await withRole('reseller'),
    customer: await withRole('customer'),
  }
}

/** Changes roles and status of a person, as the platform's directory does. */
export async function putPerson(
  api: TestApi,
  tenant: TestTenant,
  userId: string,
  change: { roles?: readonly Role[]; status?: string; accounts?: readonly string[] },
): Promise<void> {
  const response = await api.callInternal('put', `/users/${userId}`, {
    tenant_id: tenant.id,
    email: `${randomUUID()}@example.test`,
    name: 'Ana',
    status: 'active',
    roles: ['admin'],
    accounts: [],
    ...change,
  })
  if (response.status !== 200) throw new Error(`A person was not changed: ${response.text}`)
}

/** Every row of the tables that hold keys, as text. */
export async function dumpKeyTables({ database }: TestApi): Promise<string> {
  const tables = ['api_keys', 'api_key_secrets', 'audit_events', 'idempotency_records', 'users']
  const dumps = await Promise.all(
    tables.map((table) =>
      database.pool.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`),
    ),
  )
  return dumps.flatMap(({ rows }) => rows.map(({ row }) => row)).join('\n')
}

/**
 * Revokes the rest of the descendants of a key, as a worker does. A request leaves them to the workers if they take
 * longer than two seconds, as they may on a busy machine.
 */
export async function finishRevocation({ database }: TestApi, keyId: string): Promise<void> {
  const step = createDescendantRevocation(database, keyId, keepInvalidations)
  await until('the descendants are revoked', async () => {
    await step()
    return (await database.prisma.keyRevocation.count({ where: { keyId } })) === 0
  })
}
