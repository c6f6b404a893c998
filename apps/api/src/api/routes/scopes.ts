import { permissionsOfScope, scopes } from '@hosting/core/scopes'
import { Type } from 'typebox'
import { read } from './define-route.ts'
import { nullable, strictObject, text } from '../schemas/common.ts'

export const listScopesRoute = read({
  operationId: 'api-keys.scopes',
  withoutTurn: 'no records',
  path: '/api-keys/scopes',
  summary: 'List the scopes and the permissions that each covers',
  description: 'The scopes that a key can have. The list is complete and has one page.',
  auth: 'any',
  returns: {
    status: 200,
    description:
      'All scopes. `resource` and `access` are null for scopes that are not limited to one.',
    schema: strictObject({
      items: Type.Array(
        strictObject({
          scope: text('The scope, as keys have it.'),
          resource: nullable(
            text('The resource that the scope covers. Null if it covers every resource.'),
          ),
          access: nullable(text('`read` or `write`. Null for `*`, which covers both.')),
          permissions: Type.Array(Type.String(), {
            description: 'The permissions that the scope covers.',
          }),
        }),
        { description: 'All scopes.' },
      ),
    }),
  },
  problems: [],
  handle: () =>
    Promise.resolve({
      items: scopes.map((scope) => {
        const [resource, access] = scope.split(':')
        return {
          scope,
          resource: resource === '*' ? null : resource!,
          access: access ?? null,
          permissions: permissionsOfScope(scope),
        }
      }),
    }),
})
