import { permissionsOfScope, scopes } from '@hosting/core'
import { Type } from 'typebox'
import { route } from './public-route.ts'
import { nullable, strictObject } from './schemas.ts'

const text = Type.String()

export const listScopesRoute = route({
  operationId: 'api-keys.scopes',
  method: 'GET',
  path: '/api-keys/scopes',
  summary: 'List the scopes and the permissions that each covers',
  auth: 'any',
  responses: {
    200: {
      description:
        'All scopes. `resource` and `access` are null for scopes that are not limited to one.',
      schema: strictObject({
        items: Type.Array(
          strictObject({
            scope: text,
            resource: nullable(text),
            access: nullable(text),
            permissions: Type.Array(text),
          }),
        ),
      }),
    },
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
