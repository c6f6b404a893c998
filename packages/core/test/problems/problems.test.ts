import { describe, expect, test } from '@jest/globals'
import { notFound, Problem, validationFailed } from '../../src/problems/problem.ts'
import { problemCatalog, type ProblemCode } from '../../src/problems/problems.ts'

/** The status of each code (docs/specification/errors.md#codes). */
const statuses: Record<string, number> = {
  invalid_service_token: 401,
  invalid_api_key: 401,
  insufficient_scope: 403,
  api_key_not_allowed: 403,
  api_key_ip_denied: 403,
  api_key_wider_than_caller: 403,
  rate_limited: 429,
  api_key_policy_violation: 422,
  api_key_limit_reached: 409,
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
  invalid_request: 400,
  invalid_scope: 400,
  invalid_client: 401,
  unsupported_grant_type: 400,
  invalid_grant: 400,
  webhook_limit_reached: 409,
  webhook_disabled: 409,
  webhooks_unavailable: 503,
  malformed_json: 400,
  malformed_request: 400,
  payload_too_large: 413,
  unsupported_media_type: 415,
  not_found: 404,
  method_not_allowed: 405,
  validation_failed: 422,
  webhook_url_not_allowed: 422,
  idempotency_key_reused: 422,
  idempotency_in_progress: 409,
  authentication_required: 401,
  permission_denied: 403,
  csrf_failed: 403,
  second_factor_required: 403,
  reauthentication_required: 403,
  invalid_credentials: 401,
  totp_required: 401,
  conflict: 409,
  service_unavailable: 503,
  internal_error: 500,
}

const catalog = Object.entries(problemCatalog)

test.each(catalog.map(([code, { status }]) => [code, status] as const))(
  '%s has the specified status %i',
  (code, status) => expect(statuses[code]).toBe(status),
)

test.each(catalog)('%s explains in sentences what happened and what to do', (_code, entry) => {
  expect(entry.title).toMatch(/^[A-Z]\S/)
  expect(entry.detail).toMatch(/^[A-Z].*[.}]$/)
  expect(entry.explanation).toMatch(/^[A-Z].*\.$/)
})

test('titles are unique', () => {
  expect(new Set(catalog.map(([, { title }]) => title)).size).toBe(catalog.length)
})

describe('a problem', () => {
  test.each(catalog.map(([code]) => code as ProblemCode))(
    '%s has the values of its catalog entry',
    (code) => {
      const problem = new Problem(code)
      expect(problem).toBeInstanceOf(Error)
      expect(problem).toMatchObject({
        name: 'Problem',
        code,
        status: problemCatalog[code].status,
        title: problemCatalog[code].title,
        errors: undefined,
        headers: {},
      })
    },
  )

  test('contains the given facts in its message', () => {
    const { message } = new Problem('insufficient_scope', { facts: { scope: 'dns:write' } })
    expect(message).toBe('The API key lacks the required scope dns:write.')
  })

  test('keeps the placeholder of a missing fact', () => {
    expect(new Problem('method_not_allowed').message).toContain('{method}')
  })

  test('does not replace placeholders within facts', () => {
    const facts = { reason: 'it is {limit}.', limit: 'secret' }
    const { message } = new Problem('conflict', { facts })
    expect(message).toMatch(/it is \{limit\}\.$/)
  })

  test('inserts facts literally', () => {
    const { message } = new Problem('webhook_url_not_allowed', { facts: { reason: "$& $1 $'" } })
    expect(message).toBe("The URL cannot receive webhooks: $& $1 $'")
  })

  test('has header fields for the response', () => {
    const headers = { 'Retry-After': '7' }
    expect(new Problem('service_unavailable', { headers }).headers).toEqual(headers)
  })
})

test('missing records and those of others have the same response', () => {
  expect(notFound()).toMatchObject({ code: 'not_found', status: 404, errors: undefined })
  expect(notFound().message).toBe(notFound().message)
})

test('a failed validation lists the invalid members', () => {
  const errors = [
    { pointer: '/events/0', message: 'is not an event pattern' },
    { pointer: '/url', message: 'is missing' },
  ]
  const problem = validationFailed(...errors)
  expect(problem).toMatchObject({ code: 'validation_failed', status: 422, errors })
})
