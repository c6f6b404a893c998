import {
  allowlistMax,
  graceSecondsMax,
  patternsMax,
  rateLimitDefault,
  validSecretsMax,
} from '@hosting/core'
import { Type } from 'typebox'
import { endpointsMax } from '../../operations/webhooks.ts'
import { route } from '../public-route.ts'
import { strictObject } from '../schemas.ts'

const features = ['api_keys', 'device_login', 'webhooks'] as const

/** The limits (docs/specification/limits.md). Every edition has the same ones. */
const limits = {
  requests_per_key_per_minute: rateLimitDefault,
  valid_secrets: validSecretsMax,
  ip_allowlist_entries: allowlistMax,
  rotation_grace_seconds: graceSecondsMax,
  device_codes_per_address_per_minute: 10,
  device_pending_requests_per_address: 5,
  device_code_lifetime_seconds: 600,
  device_poll_interval_seconds: 5,
  device_approval_confirmation_seconds: 300,
  device_key_validity_days: 90,
  webhook_endpoints: endpointsMax,
  webhook_event_patterns: patternsMax,
  webhook_description_characters: 200,
  webhook_attempt_retention_days: 30,
  webhook_signature_tolerance_seconds: 300,
}

export const getEditionRoute = route({
  operation: 'tenant.edition',
  method: 'GET',
  path: '/tenant/edition',
  summary: "Show the organization's edition, its features and limits",
  auth: 'any',
  answers: {
    200: {
      description: 'The edition.',
      schema: strictObject({
        edition: Type.String(),
        features: Type.Array(Type.String()),
        limits: Type.Record(Type.String(), Type.Unsafe<number | number[]>({})),
      }),
    },
  },
  problems: [],
  handle: ({ caller }, { config }) =>
    Promise.resolve({
      edition: caller.tenant.edition,
      features,
      limits: {
        ...limits,
        webhook_delivery_timeout_seconds: config.attemptTimeoutMs / 1_000,
        webhook_retry_delays_seconds: config.retryDelaysMs.map((delayMs) => delayMs / 1_000),
      },
    }),
})
