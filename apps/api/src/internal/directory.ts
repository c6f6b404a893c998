import {
  directoryNameLengthMax,
  editionLengthMax,
  emailLengthMax,
  passwordLengthMax,
  roles,
  userAccountsMax,
} from '@hosting/core'
import { Type } from 'typebox'
import {
  preparePassword,
  putAccountEntry,
  putTenantEntry,
  putUserEntry,
  removeAccount,
  removeTenant,
  removeUser,
} from '../use-cases/directory.ts'
import {
  described,
  idParams,
  nullable,
  strictObject,
  tenantMembers,
  text,
  uuid,
  wordOf,
} from '../routes/schemas.ts'
import { internalRoute } from './internal-route.ts'

const nameOf = (record: string) =>
  Type.String({
    minLength: 1,
    maxLength: directoryNameLengthMax,
    description: `The name of the ${record}.`,
  })

const tenantBody = strictObject({
  slug: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
    description: 'A short name that no other organization has. At most 100 characters.',
  }),
  name: nameOf('organization'),
  edition: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: editionLengthMax,
      default: 'standard',
      description: 'The edition, which `GET /api/v1/tenant/edition` returns.',
    }),
  ),
})

const tenantId = uuid('The id of the organization, which must exist.')

const accountBody = strictObject({ tenant_id: tenantId, name: nameOf('account') })

const userBody = strictObject({
  tenant_id: tenantId,
  email: Type.String({
    pattern: '^[^@\\s]+@[^@\\s]+$',
    maxLength: emailLengthMax,
    description: 'The email address, with which the person signs in.',
  }),
  name: nameOf('user'),
  status: wordOf(
    ['active', 'deactivated'],
    'A deactivated user cannot sign in, and their personal keys are refused.',
  ),
  roles: Type.Array(Type.Unsafe<(typeof roles)[number]>({ type: 'string', enum: [...roles] }), {
    uniqueItems: true,
    description: 'The roles. Without any, the user may do nothing.',
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

/** The path of a record that the platform creates or replaces. */
const putParams = (record: string) =>
  strictObject({ id: uuid(`The id of the ${record}, a UUID that the platform chooses.`) })

const entry = (record: Type.TSchema) => ({
  200: { description: 'Updated.', schema: record },
  201: { description: 'Created.', schema: record },
})

export const putTenantRoute = internalRoute({
  operationId: 'internal.tenants.put',
  method: 'PUT',
  path: '/tenants/:id',
  summary: 'Create or update an organization',
  description: 'Creates the organization with this id, or replaces its members.',
  auth: 'service',
  changes: true,
  params: putParams('organization'),
  body: tenantBody,
  responses: entry(
    strictObject({
      tenant: described(
        strictObject({ ...tenantMembers, edition: text('The edition.') }),
        'The organization.',
      ),
    }),
  ),
  problems: ['conflict'],
  handle: ({ params, body, work }, services) =>
    putTenantEntry(services, work, { id: params.id, ...body }),
})

export const deleteTenantRoute = internalRoute({
  operationId: 'internal.tenants.delete',
  method: 'DELETE',
  path: '/tenants/:id',
  summary: 'Delete an organization',
  description:
    'Its keys stop working, its endpoints are deleted, and its unfinished deliveries become `dead`.',
  auth: 'service',
  changes: true,
  params: idParams('organization'),
  responses: { 204: { description: 'The organization is deleted.' } },
  problems: [],
  handle: ({ params, work }, services) => removeTenant(services, work, params.id),
})

export const putAccountRoute = internalRoute({
  operationId: 'internal.accounts.put',
  method: 'PUT',
  path: '/accounts/:id',
  summary: 'Create or update an account',
  description:
    'Creates the account with this id, or replaces its members. Roles of account level apply to it once it is assigned to a user.',
  auth: 'service',
  changes: true,
  params: putParams('account'),
  body: accountBody,
  responses: entry(
    strictObject({
      account: described(
        strictObject({
          id: uuid('The id of the account.'),
          tenant_id: uuid('The id of the organization.'),
          name: text('The name of the account.'),
        }),
        'The account.',
      ),
    }),
  ),
  problems: ['conflict'],
  handle: ({ params, body, work }, services) =>
    putAccountEntry(services, work, { id: params.id, ...body }),
})

export const deleteAccountRoute = internalRoute({
  operationId: 'internal.accounts.delete',
  method: 'DELETE',
  path: '/accounts/:id',
  summary: 'Delete an account',
  description: 'No user and no key can access the account any longer.',
  auth: 'service',
  changes: true,
  params: idParams('account'),
  responses: { 204: { description: 'The account is deleted.' } },
  problems: [],
  handle: ({ params, work }, services) => removeAccount(services, work, params.id),
})

export const putUserRoute = internalRoute({
  operationId: 'internal.users.put',
  method: 'PUT',
  path: '/users/:id',
  summary: 'Create or update a user with roles and accounts',
  description:
    'Creates the user with this id, or replaces its members. A change applies to the very next request. The password is stored as an argon2id hash and never returned.',
  auth: 'service',
  changes: true,
  params: putParams('user'),
  body: userBody,
  responses: entry(
    strictObject({
      user: described(
        strictObject({
          id: uuid('The id of the user.'),
          tenant_id: uuid('The id of the organization.'),
          email: nullable(text('The email address. Null for a service user.')),
          name: text('The name of the user.'),
          status: text('`active` or `deactivated`.'),
          roles: Type.Array(Type.String(), { description: 'The roles of the user.' }),
          accounts: Type.Array(uuid(), {
            description: 'The ids of the accounts that are assigned to the user.',
          }),
        }),
        'The user, without the password.',
      ),
    }),
  ),
  problems: ['conflict'],
  prepare: ({ params, body }, services) => preparePassword(services, params.id, body.password),
  handle: ({ params, body: { password: _password, ...fields }, prepared, work }, services) =>
    putUserEntry(services, work, { id: params.id, passwordHash: prepared, ...fields }),
})

export const deleteUserRoute = internalRoute({
  operationId: 'internal.users.delete',
  method: 'DELETE',
  path: '/users/:id',
  summary: 'Delete a user',
  description: 'Its personal keys stop working. Organization keys that it created keep working.',
  auth: 'service',
  changes: true,
  params: idParams('user'),
  responses: { 204: { description: 'The user is deleted.' } },
  problems: [],
  handle: ({ params, work }, services) => removeUser(services, work, params.id),
})
