import { directoryNameLengthMax, editionLengthMax, userAccountsMax } from '@hosting/core/directory'
import { roles } from '@hosting/core/scopes'
import { emailLengthMax, passwordLengthMax } from '@hosting/core/sessions'
import { Type, type Static } from 'typebox'
import { described, strictObject, tenantMembers, text, time, uuid, wordOf } from './common.ts'

// What the platform puts into the directory, and what it reads back.

const nameOf = (record: string) =>
  Type.String({
    minLength: 1,
    maxLength: directoryNameLengthMax,
    format: 'visible-text',
    description: `The name of the ${record}.`,
  })

export const tenantBody = strictObject({
  slug: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
    description: 'A short name that no other organization has. At most 100 characters.',
  }),
  name: nameOf('organization'),
  edition: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: editionLengthMax,
      format: 'visible-text',
      default: 'standard',
      description: 'The edition, which `GET /api/v1/tenant/edition` returns.',
    }),
  ),
})

/** The members of an organization that a PUT sets. */
export type TenantFields = Static<typeof tenantBody>

const tenantId = uuid('The id of the organization, which must exist.')

export const accountBody = strictObject({ tenant_id: tenantId, name: nameOf('account') })

/** The members of an account that a PUT sets. */
export type AccountFields = Static<typeof accountBody>

export const userBody = strictObject({
  tenant_id: tenantId,
  email: Type.String({
    maxLength: emailLengthMax,
    format: 'email-address',
    description: 'The email address that the person signs in with.',
  }),
  name: nameOf('user'),
  status: wordOf(
    ['active', 'deactivated'],
    'A deactivated user cannot sign in, and their personal keys are refused.',
  ),
  roles: Type.Array(Type.Unsafe<(typeof roles)[number]>({ type: 'string', enum: [...roles] }), {
    uniqueItems: true,
    description: "The user's roles. A user without roles has no permissions.",
  }),
  accounts: Type.Array(uuid(), {
    uniqueItems: true,
    maxItems: userAccountsMax,
    description: 'The ids of the accounts on which the roles `reseller` and `customer` apply.',
  }),
  password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: passwordLengthMax,
      description: 'The password for the panel. Default: unchanged. Omit it for sign-in by links.',
    }),
  ),
})

/** The members of a user that a PUT sets. */
export type UserFields = Static<typeof userBody>

/** The members of a record that a PUT returns. */
export const putRecords = {
  tenant: { ...tenantMembers, edition: text('The edition.') },
  account: {
    id: uuid('The id of the account.'),
    tenant_id: uuid('The id of the organization.'),
    name: text('The name of the account.'),
  },
  user: {
    id: uuid('The id of the user.'),
    tenant_id: uuid('The id of the organization.'),
    email: text('The email address.'),
    name: text('The name of the user.'),
    status: text('`active` or `deactivated`.'),
    roles: Type.Array(Type.String(), { description: 'The roles of the user.' }),
    accounts: Type.Array(uuid(), {
      description: 'The ids of the accounts that are assigned to the user.',
    }),
  },
}

const times = {
  created_at: time('When the record was created.'),
  updated_at: time(
    'When the record last changed. A PUT that changes nothing leaves it. A change that becomes visible later has no earlier time.',
  ),
}

/** The records that the platform reads. */
export const readRecords = {
  tenants: described(strictObject({ ...putRecords.tenant, ...times }), 'The organization.'),
  accounts: described(strictObject({ ...putRecords.account, ...times }), 'The account.'),
  users: described(
    strictObject({
      ...putRecords.user,
      has_password: Type.Boolean({
        description: 'Whether the person has a password. The password itself is never returned.',
      }),
      ...times,
    }),
    'The user.',
  ),
}
