import type { ProblemCode } from '@hosting/core/problems'
import { takesIdempotencyKey, takesTurn, type Route } from './route.ts'
import { isSessionOnly, needsCredentials, permissionOf } from '../access/check-access.ts'
import { anyBody } from '../schemas/validation.ts'

/** Every problem that a route can return: its own and those that its members imply. */
export function problemsOf(route: Route): ProblemCode[] {
  const { auth, method, confirmed, refusesImpersonation, needsSecretsStore } = route
  const { params, query, body, problems, withoutSecondFactor } = route
  const when = (condition: unknown, ...codes: ProblemCode[]) => (condition ? codes : [])
  const byKey = auth !== 'service' && auth !== 'none'
  const bySession = byKey && auth !== 'sign_in'
  const isIdempotent = byKey && takesIdempotencyKey(route)
  const isChecked = body !== undefined && body !== anyBody
  const needsPermission = permissionOf(auth) !== undefined
  const codes: ProblemCode[] = [
    ...when(needsCredentials(route), 'malformed_request'),
    ...when(bySession || auth === 'service', 'authentication_required'),
    ...when(auth === 'service', 'invalid_service_token'),
    ...when(byKey, 'invalid_api_key', 'api_key_ip_denied', 'rate_limited'),
    ...when(takesTurn(route), 'rate_limited'),
    ...when(isSessionOnly(route), 'api_key_not_allowed'),
    ...when(bySession && withoutSecondFactor !== true, 'second_factor_required'),
    ...when(byKey && method !== 'GET', 'csrf_failed'),
    ...when(needsPermission && !isSessionOnly(route), 'insufficient_scope'),
    ...when(needsPermission, 'permission_denied'),
    ...when(confirmed, 'reauthentication_required'),
    ...when(refusesImpersonation, 'conflict'),
    ...when(params, 'not_found'),
    ...when(body, 'malformed_json', 'payload_too_large', 'unsupported_media_type'),
    ...when(isChecked || query || isIdempotent, 'validation_failed'),
    ...when(isIdempotent, 'idempotency_key_reused', 'idempotency_in_progress'),
    ...problems,
    'internal_error',
    'service_unavailable',
    ...when(needsSecretsStore, 'webhooks_unavailable'),
  ]
  return [...new Set(codes)]
}
