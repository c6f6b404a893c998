import type { ProblemCode } from '@hosting/core'
import type { Route } from './route.ts'

/** Every problem that a route can give: its own, and those that its members imply. */
export function problemsOf({
  auth,
  needsSecretsStore,
  params,
  query,
  body,
  problems,
}: Route): ProblemCode[] {
  const when = (condition: unknown, ...codes: ProblemCode[]) => (condition ? codes : [])
  const byPermission = auth !== 'any' && auth !== 'service' && auth !== 'none'
  return [
    ...when(auth !== 'none', 'authentication_required'),
    ...when(auth !== 'none' && auth !== 'service', 'invalid_api_key'),
    ...when(byPermission, 'insufficient_scope', 'permission_denied'),
    ...when(params, 'not_found'),
    ...when(body, 'malformed_json', 'payload_too_large', 'unsupported_media_type'),
    ...when(body ?? query, 'validation_failed'),
    ...problems,
    'internal_error',
    'service_unavailable',
    ...when(needsSecretsStore, 'webhooks_unavailable'),
  ]
}
