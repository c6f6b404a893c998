import type { Role } from '@hosting/core'

/** The user that a key or a session acts as, with the organization. */
export interface ActingUser {
  readonly tenant: {
    readonly id: string
    readonly slug: string
    readonly name: string
    readonly edition: string
  }
  readonly user: {
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly kind: 'human' | 'service'
    readonly roles: Role[]
    readonly accountIds: string[]
  }
}

/** The columns of {@link ActingUserRow}, read from `users` as `u` and `tenants` as `t`. */
export const actingUserColumns = `
    t.id AS tenant_id, t.slug AS tenant_slug, t.name AS tenant_name, t.edition AS tenant_edition,
    u.id AS user_id, u.name AS user_name, u.email AS user_email, u.kind AS user_kind,
    u.roles::text[] AS user_roles,
    ARRAY(SELECT a.account_id FROM user_accounts a WHERE a.user_id = u.id ORDER BY 1) AS account_ids`

/** A row with the columns of {@link actingUserColumns}. */
export interface ActingUserRow {
  readonly tenant_id: string
  readonly tenant_slug: string
  readonly tenant_name: string
  readonly tenant_edition: string
  readonly user_id: string
  readonly user_name: string
  readonly user_email: string | null
  readonly user_kind: 'human' | 'service'
  readonly user_roles: Role[]
  readonly account_ids: string[]
}

/** Converts a row to the acting user. */
export const toActingUser = (row: ActingUserRow): ActingUser => ({
  tenant: {
    id: row.tenant_id,
    slug: row.tenant_slug,
    name: row.tenant_name,
    edition: row.tenant_edition,
  },
  user: {
    id: row.user_id,
    name: row.user_name,
    email: row.user_email,
    kind: row.user_kind,
    roles: row.user_roles,
    accountIds: row.account_ids,
  },
})
