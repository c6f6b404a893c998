import { unstableFailureRate } from '@hosting/core/webhooks'
import { waitingCountMax } from '@hosting/postgres/webhooks'
import { Type } from 'typebox'
import {
  count,
  described,
  lastFailure,
  nullable,
  oneTimeText,
  strictObject,
  text,
  time,
  uuid,
  wordOf,
  wordOrNull,
} from './schemas.ts'

const health = described(
  strictObject({
    state: wordOf(
      ['unknown', 'healthy', 'failing'],
      '`failing` from the fifth failed attempt in a row until a success. `unknown` until the first success since the endpoint was created or enabled.',
    ),
    failing_since: nullable(
      time('When the first failed attempt of the current incident started. Null unless failing.'),
    ),
    consecutive_failures: count(
      'The number of failed attempts since the last success, or since the endpoint was enabled.',
    ),
    ...lastFailure,
    failure_rate: nullable(
      Type.Number({
        minimum: 0,
        description: `Failed attempts divided by all attempts of the last 24 hours, 0 to 1. Null without any. From ${unstableFailureRate} on, a healthy endpoint is called unstable.`,
      }),
    ),
  }),
  'Whether the receiver accepts requests, counted over all attempts.',
)

export const webhookRecord = strictObject({
  id: uuid('The id of the endpoint.'),
  url: text('The URL that receives the events, as it was given.'),
  events: Type.Array(Type.String(), {
    description: 'The patterns of the subscribed events: `*`, `<resource>.*` or an event type.',
  }),
  description: nullable(text('The description that was given, for people. Null if there is none.')),
  enabled: Type.Boolean({
    description: 'Whether deliveries are sent. Deliveries to a disabled endpoint wait.',
  }),
  created_at: time('When the endpoint was created.'),
  updated_at: time('When the endpoint was last changed.'),
  disabled_at: nullable(time('When the endpoint was disabled. Null while it is enabled.')),
  secret_rotated_at: nullable(
    time('When the signing secret was last rotated. Null if it never was.'),
  ),
  previous_secret_expires_at: nullable(
    time('When the last of the old signing secrets ends. Null if only the current one is valid.'),
  ),
  last_success_at: nullable(time('When an attempt last succeeded. Null if none has.')),
  last_failure_at: nullable(time('When an attempt last failed. Null if none has.')),
  waiting_deliveries: Type.Integer({
    minimum: 0,
    maximum: waitingCountMax,
    description: `The number of deliveries that are not finished. ${waitingCountMax} means ${waitingCountMax} or more.`,
  }),
  disabled_reason: wordOrNull(
    ['manual', 'failing'],
    'Why the endpoint is disabled: `manual` by a request, `failing` by `disable_after_failing_hours`. Null while enabled.',
  ),
  rate_limit_per_second: nullable(
    Type.Integer({
      description: 'The most attempts per second to the endpoint. Null if there is no limit.',
    }),
  ),
  disable_after_failing_hours: nullable(
    Type.Integer({
      description:
        'After how many hours of an open incident the endpoint is disabled. Null for never.',
    }),
  ),
  header_names: Type.Array(Type.String(), {
    description: 'The names of the custom headers, in lower case, sorted. Values are not returned.',
  }),
  standard_webhooks: Type.Boolean({
    description: 'Whether each attempt also carries the headers of Standard Webhooks.',
  }),
  health,
})

const webhookMember = described(webhookRecord, 'The endpoint.')

export const webhookResponse = strictObject({ webhook: webhookMember })

export const webhookAndSecretResponse = strictObject({
  webhook: webhookMember,
  secret: oneTimeText('The signing secret, `whsec_…`. It is returned only once.'),
})

export const incidentRecord = strictObject({
  id: uuid('The id of the incident.'),
  opened_at: time('When the first failed attempt of the incident started.'),
  closed_at: nullable(time('When the incident was closed. Null while it is open.')),
  closed_by: wordOrNull(
    ['success', 'disabled', 'deleted'],
    'What closed the incident: a successful attempt, or disabling or deleting the endpoint. Null while it is open.',
  ),
  failed_attempts: Type.Integer({
    minimum: 1,
    description: 'The number of failed attempts, including the five that opened the incident.',
  }),
  ...lastFailure,
})
