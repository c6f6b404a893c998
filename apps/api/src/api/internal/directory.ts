import { signInLinkMs } from '@hosting/core/sessions'
import type { TSchema } from 'typebox'
import { change } from '../routes/define-route.ts'
import { described, idParams, strictObject, text, time, uuid } from '../schemas/common.ts'
import { signInLinkBody } from '../schemas/credentials.ts'
import {
  preparePassword,
  putAccountEntry,
  putTenantEntry,
  putUserEntry,
  removeAccount,
  removeTenant,
  removeUser,
} from '../use-cases/directory.ts'
import { createSignInLink } from '../use-cases/sign-in-links.ts'
import { accountBody, putRecords, tenantBody, userBody } from '../schemas/directory.ts'

/** The path of a record that the platform creates or replaces. */
const putParams = (record: string) =>
  strictObject({ id: uuid(`The id of the ${record}, a UUID that the platform chooses.`) })

const entry = <Record extends TSchema>(record: Record) =>
  [
    { status: 200, description: 'Updated.', schema: record },
    { status: 201, description: 'Created.', schema: record },
  ] as const

export const putTenantRoute = change({
  operationId: 'internal.tenants.put',
  method: 'PUT',
  path: '/tenants/:id',
  summary: 'Create or update an organization',
  description: 'Creates the organization with this id, or replaces its members.',
  auth: 'service',
  params: putParams('organization'),
  body: tenantBody,
  returns: entry(
    strictObject({ tenant: described(strictObject(putRecords.tenant), 'The organization.') }),
  ),
  problems: ['conflict'],
  handle: (request, services) =>
    putTenantEntry(services, request, { id: request.params.id, ...request.body }),
})

export const deleteTenantRoute = change({
  operationId: 'internal.tenants.delete',
  method: 'DELETE',
  path: '/tenants/:id',
  summary: 'Delete an organization',
  description:
    'Deletes its accounts and users, too. Its keys stop working, its endpoints are deleted, and its unfinished deliveries become `dead`.',
  auth: 'service',
  params: idParams('organization'),
  returns: { status: 204, description: 'The organization is deleted.' },
  problems: [],
  handle: (request, services) => removeTenant(services, request, request.params.id),
})

export const putAccountRoute = change({
  operationId: 'internal.accounts.put',
  method: 'PUT',
  path: '/accounts/:id',
  summary: 'Create or update an account',
  description:
    'Creates the account with this id, or replaces its members. Roles of account level apply to it once it is assigned to a user.',
  auth: 'service',
  params: putParams('account'),
  body: accountBody,
  returns: entry(
    strictObject({ account: described(strictObject(putRecords.account), 'The account.') }),
  ),
  problems: ['conflict'],
  handle: (request, services) =>
    putAccountEntry(services, request, { id: request.params.id, ...request.body }),
})

export const deleteAccountRoute = change({
  operationId: 'internal.accounts.delete',
  method: 'DELETE',
  path: '/accounts/:id',
  summary: 'Delete an account',
  description: 'No user and no key can access the account any longer.',
  auth: 'service',
  params: idParams('account'),
  returns: { status: 204, description: 'The account is deleted.' },
  problems: [],
  handle: (request, services) => removeAccount(services, request, request.params.id),
})

export const putUserRoute = change({
  operationId: 'internal.users.put',
  method: 'PUT',
  path: '/users/:id',
  summary: 'Create or update a user with roles and accounts',
  description:
    'Creates the user with this id, or replaces its members. A change applies to the very next request. The password is stored as an argon2id hash and never returned.',
  auth: 'service',
  params: putParams('user'),
  body: userBody,
  returns: entry(strictObject({ user: described(strictObject(putRecords.user), 'The user.') })),
  problems: ['conflict'],
  prepare: ({ params, body }, services) => preparePassword(services, params.id, body.password),
  handle(request, services) {
    const { params, prepared } = request
    const { password: _password, ...fields } = request.body
    return putUserEntry(services, request, { id: params.id, passwordHash: prepared, ...fields })
  },
})

export const deleteUserRoute = change({
  operationId: 'internal.users.delete',
  method: 'DELETE',
  path: '/users/:id',
  summary: 'Delete a user',
  description: 'Its personal keys stop working. Organization keys that it created keep working.',
  auth: 'service',
  params: idParams('user'),
  returns: { status: 204, description: 'The user is deleted.' },
  problems: [],
  handle: (request, services) => removeUser(services, request, request.params.id),
})

const signInLinkLifetime = `${signInLinkMs / 1_000} seconds`

export const createSignInLinkRoute = change({
  operationId: 'internal.users.sign-in-links',
  method: 'POST',
  path: '/users/:id/sign-in-links',
  summary: 'Create a link that signs a person in to the panel',
  description: `The link works once, for ${signInLinkLifetime}. Redirect the browser of the person to it, and do not send it in any other way.`,
  auth: 'service',
  params: idParams('user'),
  body: signInLinkBody,
  returns: {
    status: 201,
    description: 'Created.',
    schema: strictObject({
      url: text('The link, with its token.'),
      expires_at: time(`When the link expires: ${signInLinkLifetime} after its creation.`),
    }),
  },
  problems: ['conflict'],
  handle: (request, services) => createSignInLink(services, request),
})
