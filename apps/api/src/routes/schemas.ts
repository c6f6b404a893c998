import { deliveryStatuses, errorClasses } from '@hosting/core'
import { waitingCountMax } from '@hosting/postgres'
import { Type, type Static, type TSchema } from 'typebox'

// The records that the API returns (docs/specification/index.md), and small schemas that routes share.

/** A schema whose value may also be null. */
export const nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [(schema as { type?: string }).type!, 'null'] })

/** An object that takes no other member. */
export const strictObject = <T extends Type.TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

export const uuid = Type.String({ format: 'uuid' })
export const time = Type.String({ format: 'date-time' })
const text = Type.String()

/**
 * What is shown once. A replay of the answer holds null in its place
 * (docs/specification/requests.md#idempotency).
 */
export const oneTimeText = (description: string) =>
  nullable(Type.String({ description: `${description} Null where an answer is replayed.` }))

/** The body of an operation that asks for nothing: none, or an empty object. */
export const emptyBody = Type.Optional(strictObject({}))

/** `{ id }` of a path. */
export const idParams = strictObject({ id: uuid })

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
    description: `${waitingCountMax} means as many or more.`,
  }),
})

export const webhookAndSecretAnswer = strictObject({
  webhook: webhookRecord,
  secret: oneTimeText('The signing secret. It is shown here alone.'),
})

const attempt = strictObject({
  id: uuid,
  number: Type.Integer({ minimum: 1 }),
  started_at: time,
  duration_ms: Type.Integer({ minimum: 0 }),
  status_code: nullable(Type.Integer()),
  error_class: Type.Unsafe<string | null>({ enum: [...errorClasses, null] }),
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
  status: Type.String({ enum: ['active', 'expired', 'revoked'] }),
  expires_at: nullable(time),
  ip_allowlist: nullable(Type.Array(text)),
  rate_limit_per_minute: Type.Integer(),
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
