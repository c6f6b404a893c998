import { idempotencyKeptHours, idempotencyKeyLengthMax } from '@hosting/core/idempotency'
import type { TObject } from 'typebox'
import { takesIdempotencyKey, type Route } from '../routes/route.ts'
import { needsCredentials } from '../access/check-access.ts'

type Json = Record<string, unknown>

/** The parameters of an operation: those of its path and query, and the headers that it reads. */
export const parametersOf = (route: Route, convert: (schema: unknown) => unknown): Json[] => [
  ...membersOf('path', route.params, convert),
  ...membersOf('query', route.query, convert),
  ...(takesIdempotencyKey(route) && takesSession(route) ? [idempotencyKey] : []),
  requestId,
]

/** Whether a route accepts the session of a person. */
export const takesSession = (route: Route): boolean =>
  needsCredentials(route) && route.auth !== 'service'

function membersOf(
  location: 'path' | 'query',
  schema: TObject | undefined,
  convert: (schema: unknown) => unknown,
): Json[] {
  return Object.entries(schema?.properties ?? {}).map(([name, member]) => {
    const { description, ...others } = convert(member) as Json
    return {
      name,
      in: location,
      required: schema!.required?.includes(name) ?? false,
      description,
      schema: others,
    }
  })
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `Repeating a request with the same key within ${idempotencyKeptHours} hours returns the same response, and the work is done only once.`,
  schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyLengthMax, pattern: '^[ -~]+$' },
}

const requestId = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description:
    'Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one.',
  schema: { type: 'string' },
}
