import { rateLimitMax } from '@hosting/core/api-keys'
import { budgetHeaders, rateWindowMs } from '@hosting/core/rate-limit'
import { takesIdempotencyKey, type Route } from '../routes/route.ts'
import { isSessionOnly, needsCredentials } from '../access/check-access.ts'

type Json = Record<string, unknown>

const text = { type: 'string' }

/** After the first request of a key. */
const exampleHeaders = budgetHeaders({
  limit: rateLimitMax,
  admitted: true,
  remaining: rateLimitMax - 1,
  resetMs: rateWindowMs,
})

/** The headers of responses, for the components of a document. */
export const headerComponents = {
  'X-Request-Id': {
    description:
      'The id of the request: the value that was sent, if it is valid, or a new one. The logs and the audit log contain it.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'RateLimit-Policy': {
    description: `The rate limit of the key, for example \`${exampleHeaders['RateLimit-Policy']}\`: at most \`q\` requests in any \`w\` seconds. Absent without a key.`,
    schema: text,
  },
  RateLimit: {
    description: `What is left of the rate limit, for example \`${exampleHeaders.RateLimit}\`: \`r\` requests, and \`t\` seconds until the window resets. Absent without a key.`,
    schema: text,
  },
  'Retry-After': {
    description:
      'After how many seconds to repeat the request. Absent if repeating it is of no use.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Idempotency-Replayed': {
    description:
      '`true` if the response is the stored one of an earlier request with the same `Idempotency-Key`. Absent otherwise.',
    schema: text,
  },
  'X-Next-Cursor': {
    description:
      'The `cursor` of what is left after an export. Absent from pages, and if nothing is left.',
    schema: text,
  },
  'WWW-Authenticate': {
    description:
      'Which credentials are accepted (RFC 6750): `Bearer`, with an `error` if the given ones are invalid.',
    schema: text,
  },
} as const

/** The references to the headers that a response of a route can have. */
export function headersOf(route: Route, status: number): Json {
  const takesKey = needsCredentials(route) && route.auth !== 'service' && !isSessionOnly(route)
  const names: (keyof typeof headerComponents)[] = ['X-Request-Id']
  if (takesKey && status !== 401) names.push('RateLimit-Policy', 'RateLimit')
  if ([409, 429, 503].includes(status)) names.push('Retry-After')
  if (takesIdempotencyKey(route) && status < 300) names.push('Idempotency-Replayed')
  if (status === 200 && route.returns.some(({ files }) => files)) names.push('X-Next-Cursor')
  if (status === 401 && route.auth !== 'sign_in') names.push('WWW-Authenticate')
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  )
}
