import { emailLengthMax, passwordLengthMax, roles } from '@hosting/core'
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
import { idParams, nullable, strictObject, uuid } from '../routes/schemas.ts'
import { internalRoute } from './internal-route.ts'

const name = Type.String({ minLength: 1, maxLength: 200 })

const tenantBody = strictObject({
  slug: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' }),
  name,
  edition: Type.Optional(Type.String({ minLength: 1, maxLength: 64, default: 'standard' })),
})

const accountBody = strictObject({ tenant_id: uuid, name })

const userBody = strictObject({
  tenant_id: uuid,
  email: Type.String({ pattern: '^[^@\\s]+@[^@\\s]+$', maxLength: emailLengthMax }),
  name,
  status: Type.Unsafe<'active' | 'deactivated'>({
    type: 'string',
    enum: ['active', 'deactivated'],
  }),
  roles: Type.Array(Type.Unsafe<(typeof roles)[number]>({ type: 'string', enum: [...roles] }), {
    uniqueItems: true,
  }),
  accounts: Type.Array(uuid, { uniqueItems: true, maxItems: 10_000 }),
  password: Type.Optional(Type.String({ minLength: 1, maxLength: passwordLengthMax })),
})

const entry = (record: Type.TSchema) => ({
  200: { description: 'Updated.', schema: record },
  201: { description: 'Created.', schema: record },
})

export const putTenantRoute = internalRoute({
  operationId: 'internal.tenants.put',
  method: 'PUT',
  path: '/tenants/:id',
  summary: 'Create or update an organization',
  auth: 'service',
  changes: true,
  params: idParams,
  body: tenantBody,
  responses: entry(
    strictObject({
      tenant: strictObject({ id: uuid, slug: Type.String(), name, edition: Type.String() }),
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
  params: idParams,
  responses: { 204: { description: 'The organization is deleted.' } },
  problems: [],
  handle: ({ params, work }, services) => removeTenant(services, work, params.id),
})

export const putAccountRoute = internalRoute({
  operationId: 'internal.accounts.put',
  method: 'PUT',
  path: '/accounts/:id',
  summary: 'Create or update an account',
  auth: 'service',
  changes: true,
  params: idParams,
  body: accountBody,
  responses: entry(strictObject({ account: strictObject({ id: uuid, tenant_id: uuid, name }) })),
  problems: ['conflict'],
  handle: ({ params, body, work }, services) =>
    putAccountEntry(services, work, { id: params.id, ...body }),
})

export const deleteAccountRoute = internalRoute({
  operationId: 'internal.accounts.delete',
  method: 'DELETE',
  path: '/accounts/:id',
  summary: 'Delete an account',
  auth: 'service',
  changes: true,
  params: idParams,
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
    'Without `password`, the password stays unchanged. It is stored as an argon2id hash and never returned.',
  auth: 'service',
  changes: true,
  params: idParams,
  body: userBody,
  responses: entry(
    strictObject({
      user: strictObject({
        id: uuid,
        tenant_id: uuid,
        email: nullable(Type.String()),
        name,
        status: Type.String(),
        roles: Type.Array(Type.String()),
        accounts: Type.Array(uuid),
      }),
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
  params: idParams,
  responses: { 204: { description: 'The user is deleted.' } },
  problems: [],
  handle: ({ params, work }, services) => removeUser(services, work, params.id),
})
