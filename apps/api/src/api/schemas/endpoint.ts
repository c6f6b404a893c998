import {
  customHeadersMax,
  disableAfterHoursMax,
  endpointAccountsMax,
  endpointRateLimitMax,
  errorClasses,
  failuresToOpen,
  incidentAttemptsMax,
  patternsMax,
  unstableFailureRate,
  endpointDescriptionLengthMax,
  endpointUrlLengthMax,
  type CustomHeaders,
} from '@hosting/core/webhooks'
import { waitingCountMax } from '@hosting/postgres/webhooks'
import { Type, type Static } from 'typebox'
import {
  component,
  count,
  described,
  externalId,
  lastFailure,
  newExternalId,
  nullable,
  oneTimeText,
  strictObject,
  text,
  time,
  uuid,
  wordOf,
  wordOrNull,
  type RecordOf,
} from './common.ts'

/** A new endpoint. */
export const endpointBody = strictObject({
  url: Type.String({
    format: 'webhook-url',
    description: `Where events are sent: HTTPS to a public address, without credentials or a fragment. At most ${endpointUrlLengthMax.toLocaleString('en')} characters.`,
  }),
  events: Type.Array(Type.String({ format: 'event-pattern' }), {
    minItems: 1,
    maxItems: patternsMax,
    uniqueItems: true,
    description: 'Which events are sent, as patterns: `*`, `<resource>.*` or an exact event type.',
  }),
  description: Type.Optional(
    nullable(
      Type.String({
        maxLength: endpointDescriptionLengthMax,
        format: 'visible-text',
        description: 'A description for people. Default: null, for none.',
      }),
    ),
  ),
  enabled: Type.Optional(
    Type.Boolean({
      description:
        'Whether deliveries are sent. Deliveries to a disabled endpoint wait until it is enabled. Default: true.',
    }),
  ),
  rate_limit_per_second: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: endpointRateLimitMax,
        description:
          'The most attempts per second to the endpoint. Further deliveries wait, which uses up no attempt. Default: null, for no limit.',
      }),
    ),
  ),
  disable_after_failing_hours: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: disableAfterHoursMax,
        description:
          'Disables the endpoint when an incident has been open for this long. Its deliveries wait until it is enabled. Default: null, for never.',
      }),
    ),
  ),
  headers: Type.Optional(
    Type.Unsafe<CustomHeaders | null>({
      type: ['object', 'null'],
      maxProperties: customHeadersMax,
      propertyNames: Type.String({ format: 'header-name' }),
      additionalProperties: Type.String({ format: 'header-value' }),
      description:
        'Custom headers, which every attempt carries: values by name. They are stored encrypted and never returned. An update replaces all; null or `{}` removes all.',
    }),
  ),
  standard_webhooks: Type.Optional(
    Type.Boolean({
      description:
        'Whether each attempt also carries `webhook-id`, `webhook-timestamp` and `webhook-signature`, as Standard Webhooks defines them. Default: false.',
    }),
  ),
  external_id: Type.Optional(newExternalId()),
  accounts: Type.Optional(
    nullable(
      Type.Array(uuid(), {
        minItems: 1,
        maxItems: endpointAccountsMax,
        description:
          'Only events of these accounts of the organization are delivered, by the `account_id` in their data. Events without an account are not. Default: null, for all events.',
      }),
    ),
  ),
})

/** The settings of a new endpoint. */
export type EndpointFields = Static<typeof endpointBody>

/** A change of an endpoint. Partial() drops the options of its object, so they are repeated. */
export const endpointChangeBody = Type.Partial(endpointBody, { additionalProperties: false })

/** The settings of an endpoint that change. */
export type EndpointChange = Static<typeof endpointChangeBody>

const health = described(
  component('WebhookHealth', {
    state: wordOf(
      ['unknown', 'healthy', 'failing'],
      `\`failing\` from ${failuresToOpen} failed attempts in a row until a success. \`unknown\` until the first success since the endpoint was created or enabled.`,
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
        description: `Failed attempts divided by all attempts since the last incident was closed, in the last 24 hours at most: 0 to 1. Null if there was no attempt. From ${unstableFailureRate} on, a healthy endpoint is called unstable.`,
      }),
    ),
    failure_rate_24h: nullable(
      Type.Number({
        minimum: 0,
        description:
          'Failed attempts divided by all attempts of the last 24 hours, 0 to 1. Null if there was no attempt.',
      }),
    ),
  }),
  'Whether the receiver accepts requests, counted over all attempts.',
)

export const endpointRecord = component('Webhook', {
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
  external_id: externalId,
  accounts: nullable(
    Type.Array(uuid(), {
      description:
        'The ids of the accounts whose events are delivered. Null for all events, also those without an account.',
    }),
  ),
  health,
})

/** An endpoint as the API returns it. */
export type EndpointRecord = RecordOf<typeof endpointRecord>

const endpointMember = described(endpointRecord, 'The endpoint.')

export const endpointResponse = component('WebhookResult', { webhook: endpointMember })

export const endpointAndSecretResponse = component('WebhookAndSecret', {
  webhook: endpointMember,
  secret: oneTimeText('The signing secret, `whsec_…`. It is returned only once.'),
})

const incidentMembers = {
  id: uuid('The id of the incident.'),
  opened_at: time('When the first failed attempt of the incident started.'),
  closed_at: nullable(time('When the incident was closed. Null while it is open.')),
  closed_by: wordOrNull(
    ['success', 'disabled', 'deleted'],
    'What closed the incident: a successful attempt, or disabling or deleting the endpoint. Null while it is open.',
  ),
  failed_attempts: Type.Integer({
    minimum: failuresToOpen,
    description: `The number of failed attempts, including the ${failuresToOpen} that opened the incident.`,
  }),
  ...lastFailure,
}

export const incidentRecord = component('Incident', incidentMembers)

/** An incident as the API returns it. */
export type IncidentRecord = RecordOf<typeof incidentRecord>

/** An incident with what happened in it. */
export const incidentResponse = component('IncidentResult', {
  incident: described(
    component('IncidentDetails', {
      ...incidentMembers,
      timeline: Type.Array(
        component('IncidentSpan', {
          start: time('When the first attempt of the span started.'),
          end: time('When the last attempt of the span ended.'),
          error_class: wordOf(errorClasses, 'Why its attempts failed.'),
          status_code: nullable(
            Type.Integer({
              description: 'The HTTP status of its responses. Null if there was no valid response.',
            }),
          ),
          attempts: count('The number of its failed attempts.'),
        }),
        {
          description:
            'What happened, oldest first, at most 100 spans. Successive attempts that failed in the same way are a span; of an incident with more of them, each of 100 equal parts is a span with its most frequent failure.',
        },
      ),
      affected: nullable(
        count(
          'The number of events whose first attempt failed in the incident. Null if they were not counted in time.',
        ),
      ),
      delivered_since: nullable(count('Those of them that have arrived since.')),
      missing: nullable(count('Those of them that have not arrived.')),
      complete: Type.Boolean({
        description: `Whether all failed attempts were read. Of an incident with more than ${incidentAttemptsMax.toLocaleString('en')}, \`timeline\` and the numbers of events are of the first ones; without enough time, \`timeline\` is empty and the numbers are null.`,
      }),
    }),
    'The incident.',
  ),
})

/** An incident with what happened in it, as the API returns it. */
export type IncidentDetailsRecord = RecordOf<typeof incidentResponse>['incident']
