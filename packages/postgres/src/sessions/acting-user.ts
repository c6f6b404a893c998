import type { Role } from '@hosting/core/scopes'
import { types, type RowOf } from '../database/column-types.ts'

const { listOf, named, notNull, nullable, text, uuid } = types

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

/** A person, with the organization. */
export interface PersonRecord {
  readonly user: Pick<ActingUser['user'], 'id' | 'name' | 'email' | 'kind'>
  readonly tenant: Pick<ActingUser['tenant'], 'id' | 'slug' | 'name'>
}

/** The columns of {@link ActingUserRow}, read from `users` as `u` and `tenants` as `t`. */
export const actingUserColumns = `
    t.id AS tenant_id, t.slug AS tenant_slug, t.name AS tenant_name, t.edition AS tenant_edition,
    u.id AS user_id, u.name AS user_name, u.email AS user_email, u.kind AS user_kind,
    u.roles::text[] AS user_roles,
    ARRAY(SELECT a.account_id FROM user_accounts a WHERE a.user_id = u.id ORDER BY 1) AS account_ids`

/** The types of {@link actingUserColumns}. */
export const actingUserTypes = {
  tenantId: uuid,
  tenantSlug: text,
  tenantName: text,
  tenantEdition: text,
  userId: uuid,
  userName: text,
  userEmail: nullable(text),
  userKind: named<'human' | 'service'>('user_kind'),
  userRoles: notNull(listOf(named<Role>('text')), 'lists are written, if empty'),
  accountIds: notNull(listOf(uuid), 'an array'),
}

/** A row with the columns of {@link actingUserColumns}. */
export type ActingUserRow = RowOf<typeof actingUserTypes>

/** Converts a row to the acting user. */
export const toActingUser = (row: ActingUserRow): ActingUser => ({
  tenant: {
    id: row.tenantId,
    slug: row.tenantSlug,
    name: row.tenantName,
    edition: row.tenantEdition,
  },
  user: {
    id: row.userId,
    name: row.userName,
    email: row.userEmail,
    kind: row.userKind,
    roles: [...row.userRoles],
    accountIds: [...row.accountIds],
  },
})
