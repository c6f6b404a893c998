import { overlapSecondsMax } from '@hosting/core/api-keys'
import { externalIdPattern } from '@hosting/core/ids'
import { oneTimeCodeLengthMax } from '@hosting/core/sessions'
import { errorClasses, filterTextLengthMax } from '@hosting/core/webhooks'
import { Type, type Static, type TSchema } from 'typebox'

// The small schemas that routes and records share. Each member has the description that the reference shows.

/** A record as a response has it: what its schema describes. */
export type RecordOf<Schema extends TSchema> = DeepReadonly<Static<Schema>>

type DeepReadonly<T> = T extends Date
  ? T
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T

/** Makes a schema nullable. */
export const nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [(schema as { type?: string }).type!, 'null'] })

/** A schema with the description that it has in one place. */
export const described = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Static<T>>({ ...schema, description })

/** An object without additional members. */
export const strictObject = <T extends Type.TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

/** An object without additional members that is a component of this name in the OpenAPI document. */
export const component = <T extends Type.TProperties>(title: string, properties: T) =>
  Object.assign(Type.Object(properties, { additionalProperties: false }), { title })

/** The id of a record. The items of an array have no description of their own. */
export const uuid = (description?: string) =>
  Type.String({ format: 'uuid', ...(description !== undefined && { description }) })

/** A time of a response, in ISO 8601. */
export const time = (description: string) =>
  Type.Unsafe<Date>({ type: 'string', format: 'date-time', description })

/** A time of a request, in ISO 8601. */
export const timeText = (description: string) => Type.String({ format: 'date-time', description })

/** Text of a response. */
export const text = (description: string) => Type.String({ description })

/** A text that a list is filtered by. */
export const filterText = (description: string) =>
  Type.String({ minLength: 1, maxLength: filterTextLengthMax, description })

/** One of several words. */
export const wordOf = <const Word extends string>(words: readonly Word[], description: string) =>
  Type.Unsafe<Word>({ type: 'string', enum: [...words], description })

/** One of several words, or null. */
export const wordOrNull = <const Word extends string>(
  words: readonly Word[],
  description: string,
) => Type.Unsafe<Word | null>({ type: ['string', 'null'], enum: [...words, null], description })

/** A number of things. */
export const count = (description: string) => Type.Integer({ minimum: 0, description })

/** A one-time secret. A replayed response holds null in its place. */
export const oneTimeText = (description: string) =>
  nullable(Type.String({ description: `${description} Null in a replayed response.` }))

/** The body of an operation without input: none, or an empty object. */
export const emptyBody = Type.Optional(strictObject({}))

/** The path parameter `id` of a record. */
export const idParams = (record: string) => strictObject({ id: uuid(`The id of the ${record}.`) })

const personMembers = {
  id: uuid('The id of the user.'),
  name: text('The name of the user.'),
}

/** A person or service user that a record refers to. */
export const personRecord = component('Person', personMembers)

/** A user as the API returns it. */
export const userRecord = described(
  component('User', {
    ...personMembers,
    email: nullable(text('The email address of the user. Null for a service user.')),
    kind: wordOf(
      ['human', 'service'],
      '`human` for a person, `service` for the user that an organization key acts as.',
    ),
  }),
  'The user.',
)

/** What every record of an organization contains. */
export const tenantMembers = {
  id: uuid('The id of the organization.'),
  slug: text('The short name of the organization, which the platform chooses.'),
  name: text('The name of the organization.'),
}

/** An organization as the API returns it. */
export const tenantRecord = described(component('Organization', tenantMembers), 'The organization.')

/** The last failed attempt, as endpoints and incidents describe it. */
export const lastFailure = {
  last_status_code: nullable(
    Type.Integer({
      description:
        'The HTTP status of the last failed attempt. Null if there was no valid response, or no failure.',
    }),
  ),
  last_error_class: wordOrNull(
    errorClasses,
    'Why the last failed attempt failed. Null if none has failed.',
  ),
}

/** The optional body of a rotation. */
export const rotationBody = Type.Optional(
  strictObject({
    grace_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: overlapSecondsMax,
        description:
          'The overlap period: how long the current secret stays valid, in seconds. With 0 or without this member, all old secrets end immediately.',
      }),
    ),
  }),
)

/** An authenticator code as people type it. */
export const totpCode = Type.String({
  minLength: 1,
  maxLength: oneTimeCodeLengthMax,
  description: 'The current code of the authenticator app, 6 digits.',
})

/** The session of a person. */
export const sessionResponse = component('SignedIn', {
  user: userRecord,
  tenant: tenantRecord,
  csrf_token: oneTimeText('Send it with every write in the `X-CSRF-Token` header.'),
  confirmed_at: time(
    'When the person last confirmed their identity, by signing in or by a confirmation. Sensitive operations need a confirmation within the last 5 minutes.',
  ),
  expires_at: time('When the session expires unless it is used again.'),
  impersonator: nullable(
    described(personRecord, 'The person who impersonates the user; null without impersonation.'),
  ),
})

const externalIdText =
  'The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization.'

/** An external id in a record. */
export const externalId = nullable(text(`${externalIdText} Null for none.`))

/** An external id in a body. */
export const newExternalId = (rule = '') =>
  nullable(
    Type.String({
      pattern: externalIdPattern,
      description: [externalIdText, rule, 'Default: null, for none.'].filter(Boolean).join(' '),
    }),
  )

/** A list is filtered by an external id. */
export const externalIdFilter = (noun: string) =>
  Type.String({
    pattern: externalIdPattern,
    description: `Only the ${noun} with this external id.`,
  })
