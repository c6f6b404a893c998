import {
  allowlistMax,
  overlapSecondsMax,
  rateLimitMax,
  validSecretsMax,
} from '@hosting/core/api-keys'
import {
  deviceCodeLifetimeMs,
  deviceKeyLifetimeDays,
  devicePendingMax,
  devicePollIntervalMs,
  deviceStartsPerMinute,
} from '@hosting/core/device-login'
import { confirmationMs } from '@hosting/core/sessions'
import {
  endpointsMax,
  patternsMax,
  recordsKeptDays,
  signatureToleranceSeconds,
  endpointDescriptionLengthMax,
} from '@hosting/core/webhooks'
import { Type } from 'typebox'
import { read } from './define-route.ts'
import { strictObject, text } from '../schemas/common.ts'

const features = ['api_keys', 'device_login', 'webhooks'] as const

/** The limits, which are the same in every edition so far. */
const limits = {
  requests_per_key_per_minute: rateLimitMax,
  valid_secrets: validSecretsMax,
  ip_allowlist_entries: allowlistMax,
  rotation_grace_seconds: overlapSecondsMax,
  device_codes_per_address_per_minute: deviceStartsPerMinute,
  device_pending_requests_per_address: devicePendingMax,
  device_code_lifetime_seconds: deviceCodeLifetimeMs / 1_000,
  device_poll_interval_seconds: devicePollIntervalMs / 1_000,
  device_approval_confirmation_seconds: confirmationMs / 1_000,
  device_key_validity_days: deviceKeyLifetimeDays,
  webhook_endpoints: endpointsMax,
  webhook_event_patterns: patternsMax,
  webhook_description_characters: endpointDescriptionLengthMax,
  webhook_attempt_retention_days: recordsKeptDays,
  webhook_signature_tolerance_seconds: signatureToleranceSeconds,
}

export const getEditionRoute = read({
  operationId: 'tenant.edition',
  withoutTurn: 'no records',
  path: '/tenant/edition',
  summary: "Get the organization's edition with its features and limits",
  description: 'Use it to show the limits instead of copying them into your program.',
  auth: 'any',
  returns: {
    status: 200,
    description: 'The edition.',
    schema: strictObject({
      edition: text('The name of the edition, for example `standard`.'),
      features: Type.Array(Type.String(), { description: 'The names of the features.' }),
      limits: Type.Record(Type.String(), Type.Unsafe<number | number[]>({}), {
        description:
          'The limits by name. Each name ends with what is counted or with the unit. New limits may be added.',
      }),
    }),
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
