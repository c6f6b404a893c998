import {
  deliveryStatuses,
  errorClasses,
  keyAccountsMax,
  keyStatuses,
  overlapSecondsMax,
  oneTimeCodeLengthMax,
} from '@hosting/core'
import { waitingCountMax } from '@hosting/postgres'
import { Type, type Static, type TSchema } from 'typebox'

// The schemas of the API's records, and the small ones that routes share.

/** Makes a schema nullable. */
export const nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [(schema as { type?: string }).type!, 'null'] })

/** An object without additional members. */
export const strictObject = <T extends Type.TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

export const uuid = Type.String({ format: 'uuid' })
export const time = Type.String({ format: 'date-time' })
const text = Type.String()

/** A one-time secret. A replayed response holds null in its place. */
export const oneTimeText = (description: string) =>
  nullable(Type.String({ description: `${description} Null in a replayed response.` }))

/** The body of an operation without input: none, or an empty object. */
export const emptyBody = Type.Optional(strictObject({}))

/** The path parameter `id`. */
export const idParams = strictObject({ id: uuid })

const errorClass = Type.Unsafe<string | null>({ enum: [...errorClasses, null] })

/** The last failed attempt, as endpoints and incidents describe it. */
const lastFailure = {
  last_status_code: nullable(Type.Integer()),
  last_error_class: errorClass,
}

export const webhookRecord = strictObject({
  id: uuid,
  url: text,
  events: Type.Array(text),
  description: nullable(text),
  enabled: Type.Boolean(),
  created_at: time,
  updated_at: time,
  disabled_at: nullable(time),
  secret_rotated_at: nullable(time),
  previous_secret_expires_at: nullable(time),
  last_success_at: nullable(time),
  last_failure_at: nullable(time),
  waiting_deliveries: Type.Integer({
    minimum: 0,
    maximum: waitingCountMax,
    description: `${waitingCountMax} means ${waitingCountMax} or more.`,
  }),
  disabled_reason: Type.Unsafe<'manual' | 'failing' | null>({
    enum: ['manual', 'failing', null],
    description: '`failing`: by `disable_after_failing_hours`. Null while enabled.',
  }),
  rate_limit_per_second: nullable(Type.Integer()),
  disable_after_failing_hours: nullable(Type.Integer()),
  header_names: Type.Array(text, {
    description: 'The names of the custom headers, in lower case, sorted. Values are not returned.',
  }),
  standard_webhooks: Type.Boolean({
    description: 'Whether each attempt also carries the headers of Standard Webhooks.',
  }),
  health: strictObject({
    state: Type.String({
      enum: ['unknown', 'healthy', 'failing'],
      description:
        '`failing` from the fifth failed attempt in a row until a success. `unknown` until the first success since the endpoint was created or enabled.',
    }),
    failing_since: nullable(time),
    consecutive_failures: Type.Integer({ minimum: 0 }),
    ...lastFailure,
  }),
})

export const incidentRecord = strictObject({
  id: uuid,
  opened_at: time,
  closed_at: nullable(time),
  closed_by: Type.Unsafe<'success' | 'disabled' | 'deleted' | null>({
    enum: ['success', 'disabled', 'deleted', null],
  }),
  failed_attempts: Type.Integer({ minimum: 1 }),
  ...lastFailure,
})

export const webhookAndSecretResponse = strictObject({
  webhook: webhookRecord,
  secret: oneTimeText('The signing secret. It is returned only once.'),
})

const attempt = strictObject({
  id: uuid,
  number: Type.Integer({ minimum: 1 }),
  started_at: time,
  duration_ms: Type.Integer({ minimum: 0 }),
  status_code: nullable(Type.Integer()),
  error_class: errorClass,
})

const deliveryMembers = {
  id: uuid,
  webhook_id: uuid,
  event: strictObject({ id: uuid, type: text, created_at: time }),
  status: Type.String({ enum: [...deliveryStatuses] }),
  attempt_count: Type.Integer(),
  next_attempt_at: nullable(time),
  created_at: time,
  completed_at: nullable(time),
  redelivery_of: nullable(uuid),
  webhook: strictObject({
    id: uuid,
    url: text,
    description: nullable(text),
    deleted: Type.Boolean(),
  }),
  last_attempt: nullable(attempt),
}

export const deliverySummary = strictObject(deliveryMembers)

export const deliveryRecord = strictObject({
  ...deliveryMembers,
  attempts: Type.Array(attempt),
  payload: strictObject({
    id: uuid,
    type: text,
    created_at: time,
    tenant_id: uuid,
    data: Type.Record(Type.String(), Type.Unknown()),
  }),
})

const personReference = strictObject({ id: uuid, name: text })

export const keyRecord = strictObject({
  id: text,
  name: text,
  kind: Type.String({ enum: ['personal', 'organization'] }),
  source: Type.String({ enum: ['panel', 'api', 'device'] }),
  scopes: Type.Array(text),
  status: Type.String({
    enum: [...keyStatuses],
    description: 'If several apply, the first of `revoked`, `expired` and `disabled`.',
  }),
  expires_at: nullable(time),
  ip_allowlist: nullable(Type.Array(text)),
  rate_limit_per_minute: Type.Integer(),
  enabled: Type.Boolean(),
  accounts: nullable(
    Type.Array(uuid, {
      description: 'The ids of the accounts that the key is limited to; null if it is not limited.',
    }),
  ),
  parent_key_id: nullable(Type.String({ description: 'The id of the key that created it.' })),
  user: personReference,
  created_by: nullable(personReference),
  created_at: time,
  updated_at: time,
  rotated_at: nullable(time),
  previous_secret_expires_at: nullable(time),
  revoked_at: nullable(time),
  last_used_at: nullable(time),
  last_used_ip: nullable(text),
  requests_today: Type.Integer(),
})

/** The accounts that a key is limited to, in a body. */
export const keyAccounts = nullable(
  Type.Array(uuid, {
    minItems: 1,
    maxItems: keyAccountsMax,
    description:
      'Limits the key to these accounts, as if they were the only ones assigned to its user; null for no limit.',
  }),
)

/** The format of a key id. */
export const keyIdPattern = '^[a-z2-7]{12}$'

/** A key id in a path. Malformed ids are not found. */
export const keyParams = strictObject({ id: Type.String({ pattern: keyIdPattern }) })

/** The optional body of a rotation. */
export const rotationBody = Type.Optional(
  strictObject({
    grace_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: overlapSecondsMax,
        description:
          'The overlap period: how long the current secret stays valid. With 0 or without this member, all old secrets end immediately.',
      }),
    ),
  }),
)

/** An authenticator code as people type it. */
export const totpCode = Type.String({
  minLength: 1,
  maxLength: oneTimeCodeLengthMax,
  description: 'The current code of the authenticator app.',
})

export const sessionResponse = strictObject({
  user: strictObject({
    id: uuid,
    name: text,
    email: nullable(text),
    kind: Type.String({ enum: ['human', 'service'] }),
  }),
  tenant: strictObject({ id: uuid, slug: text, name: text }),
  csrf_token: oneTimeText('Send it with every write in the `X-CSRF-Token` header.'),
  confirmed_at: time,
  expires_at: Type.String({
    format: 'date-time',
    description: 'When the session expires unless it is used again.',
  }),
  impersonator: Type.Unsafe<{ id: string; name: string } | null>({
    anyOf: [strictObject({ id: uuid, name: text }), { type: 'null' }],
    description: 'The person who impersonates the user; null without impersonation.',
  }),
})
