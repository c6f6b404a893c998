import { rateWindowMs } from '@hosting/core/rate-limit'
import { Type } from 'typebox'
import { read } from '../routes/define-route.ts'
import { keyKinds } from '../schemas/api-key.ts'
import { authorizeBody } from '../schemas/authorize.ts'
import { authorize } from '../use-cases/authorize.ts'
import {
  count,
  described,
  strictObject,
  tenantRecord,
  text,
  userRecord,
  wordOf,
} from '../schemas/common.ts'

const operationId = 'internal.authorize'

export const authorizeRoute = read({
  operationId,
  method: 'POST',
  path: '/authorize',
  summary: 'Authorize a request that another service of the platform received',
  description:
    'Returns the caller, or exactly the 401, 403 or 429 problem that this API would return, without `instance`, to pass on to the client. Costs the key one request, like any other call.',
  auth: 'service',
  errorFormat: 'passed_on',
  body: authorizeBody,
  returns: {
    status: 200,
    description: 'The request is permitted.',
    schema: strictObject({
      tenant: described(tenantRecord, 'The organization of the key.'),
      user: described(userRecord, 'The user that the key acts as.'),
      roles: Type.Array(Type.String(), { description: 'The roles of the user.' }),
      accounts: Type.Unsafe<'all' | string[]>({
        description:
          '`"all"`, or the ids of the accounts on which the request is permitted. Limit what you return to them.',
        anyOf: [
          { type: 'string', const: 'all' },
          { type: 'array', items: { type: 'string' } },
        ],
      }),
      key: described(
        strictObject({
          id: text('The key id.'),
          name: text('The name of the key.'),
          kind: wordOf(keyKinds, '`personal` or `organization`.'),
          scopes: Type.Array(Type.String(), { description: 'The scopes of the key.' }),
        }),
        'The key of the request.',
      ),
      rate_limit: described(
        strictObject({
          limit: count(`The most requests in any ${rateWindowMs / 1_000} seconds.`),
          remaining: count('The number of requests that are left.'),
          reset_seconds: count('When the window resets, in seconds from now.'),
        }),
        'The rate limit of the key after this request.',
      ),
    }),
  },
  problems: [
    'invalid_api_key',
    'api_key_ip_denied',
    'rate_limited',
    'api_key_not_allowed',
    'insufficient_scope',
    'permission_denied',
  ],
  handle: ({ body, requestId, setHeaders, onStatus }, services) =>
    authorize(services, { ...body, operation: operationId, requestId, setHeaders, onStatus }),
})
