import {
  allowlistMax,
  keyAccountsMax,
  keyIdPattern,
  keyNameLengthMax,
  keyScopesMax,
  keyStatuses,
  rateLimitMax,
  scopeUsesKeptDays,
  wideAllowlistText,
} from '@hosting/core/api-keys'
import { rateWindowMs } from '@hosting/core/rate-limit'
import {
  audienceLengthMax,
  claimNameLengthMax,
  conditionsMax,
  conditionValueLengthMax,
  conditionValuesMax,
  tokenLifetimeSecondsDefault,
  tokenLifetimeSecondsMax,
  tokenLifetimeSecondsMin,
  type WorkloadConditions,
} from '@hosting/core/workloads'
import { Type, type Static } from 'typebox'
import {
  component,
  count,
  described,
  externalId,
  newExternalId,
  nullable,
  personRecord,
  strictObject,
  text,
  time,
  timeText,
  uuid,
  wordOf,
  type RecordOf,
} from './common.ts'

/** The kinds of keys. */
export const keyKinds = ['personal', 'organization'] as const

const conditionValue = Type.String({ minLength: 1, maxLength: conditionValueLengthMax })

/** Each claim with the strings that it may equal. */
const workloadConditions = Type.Unsafe<WorkloadConditions>({
  type: 'object',
  propertyNames: Type.String({ minLength: 1, maxLength: claimNameLengthMax }),
  additionalProperties: Type.Union([
    conditionValue,
    Type.Array(conditionValue, { minItems: 1, maxItems: conditionValuesMax }),
  ]),
  minProperties: 1,
  maxProperties: conditionsMax,
  description: `The claims that the identity token must have: each with one string, or with up to ${conditionValuesMax}. A name that begins with \`/\` is a JSON Pointer to a nested claim. A string may end in \`*\`, for any rest.`,
})

const tokenLifetime = Type.Integer({
  minimum: tokenLifetimeSecondsMin,
  maximum: tokenLifetimeSecondsMax,
  description: `How long an exchanged token is valid, in seconds. Default: ${tokenLifetimeSecondsDefault}.`,
})

const singleUse = Type.Boolean({
  description:
    'Whether each identity token is exchanged once. If not, the processes of a machine can share one. Default: true for GitHub and GitLab, false for other issuers.',
})

const audienceText = 'The audience that the identity token must name.'

const issuerText = 'The issuer of the identity tokens, whose OpenID Connect configuration is read.'

const workloadRecord = {
  issuer: text(issuerText),
  conditions: workloadConditions,
  token_lifetime_seconds: tokenLifetime,
  single_use: singleUse,
  audience: text(audienceText),
}

/** What a new workload key exchanges for its tokens. */
const newKeyWorkload = described(
  strictObject({
    issuer: Type.String({ minLength: 1, description: issuerText }),
    conditions: workloadConditions,
    token_lifetime_seconds: Type.Optional(tokenLifetime),
    single_use: Type.Optional(singleUse),
    audience: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: audienceLengthMax,
        format: 'visible-text',
        description: `${audienceText} No other key of the issuer that is neither revoked nor expired may have it. It cannot be changed later. Default: a URL with the id of the key.`,
      }),
    ),
  }),
  'Makes a workload key, which has no token: a CI job or a machine exchanges an identity token for a short-lived token at `POST /auth/token`. Only for `organization` keys.',
)

/** What a new workload key exchanges for its tokens. */
export type WorkloadFields = Static<typeof newKeyWorkload>

/** A change of what a workload key exchanges. */
const keyWorkloadChange = described(
  Type.Object(
    {
      conditions: Type.Optional(workloadConditions),
      token_lifetime_seconds: Type.Optional(tokenLifetime),
      single_use: Type.Optional(singleUse),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  'Only for workload keys, and only with a session. Other conditions end all exchanged tokens.',
)

/** The members of a workload key that change. */
export type WorkloadChange = Static<typeof keyWorkloadChange>

export const keyRecord = component('Key', {
  id: text('The key id: 12 characters, the public part of the token.'),
  name: text('The name of the key, for people.'),
  kind: wordOf(
    keyKinds,
    '`personal` acts as its user. `organization` acts as a service user of its own and outlives the people who created it.',
  ),
  source: wordOf(
    ['panel', 'api', 'device', 'workload'],
    'How the key was created: in the panel, by the API, by a device login, or, `workload`, as a workload key.',
  ),
  workload: nullable(
    described(
      component('KeyWorkload', workloadRecord),
      'What a workload key exchanges for its tokens. Null for other keys.',
    ),
  ),
  scopes: Type.Array(Type.String(), {
    description:
      'What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. The roles of its user limit it further.',
  }),
  status: wordOf(
    keyStatuses,
    'Only `active` keys are accepted. If several apply, the first of `revoked`, `expired` and `disabled`.',
  ),
  expires_at: nullable(time('When the key expires. Null if it does not expire.')),
  ip_allowlist: nullable(
    Type.Array(Type.String(), {
      description: 'The IP addresses and CIDR ranges that may use the key. Null for all.',
    }),
  ),
  ip_allowlist_wide: Type.Optional(
    Type.Boolean({
      description: `True if the entries of the IP allowlist together admit ${wideAllowlistText}. Otherwise left out.`,
    }),
  ),
  rate_limit_per_minute: Type.Integer({
    description: `The most requests in any ${rateWindowMs / 1_000} seconds.`,
  }),
  enabled: Type.Boolean({ description: 'False if the key was disabled.' }),
  accounts: nullable(
    Type.Array(uuid(), {
      description: 'The ids of the accounts that the key is limited to; null if it is not limited.',
    }),
  ),
  external_id: externalId,
  parent_key_id: nullable(
    text('The id of the key that created it. Null if it was created with a session.'),
  ),
  user: described(personRecord, 'The user or service user that the key acts as.'),
  created_by: nullable(
    described(personRecord, 'The user who created the key. Null if that user has been deleted.'),
  ),
  created_at: time('When the key was created.'),
  updated_at: time('When the key was last changed.'),
  rotated_at: nullable(time('When the key was last rotated. Null if it never was.')),
  previous_secret_expires_at: nullable(
    time('When the last of the old secrets ends. Null if only the current one is valid.'),
  ),
  previous_secret_last_used_at: nullable(
    time(
      'When one of the old secrets that are still valid was last used, whatever the response. It may lag by up to 10 seconds. Null if none was used, or none is valid.',
    ),
  ),
  revoked_at: nullable(time('When the key was revoked. Null if it is not revoked.')),
  last_used_at: nullable(
    time(
      'When the key was last used, whatever the response. It may lag by up to 10 seconds. Null if it was never used.',
    ),
  ),
  last_used_ip: nullable(
    text('The client address of the last use. Null if the key was never used.'),
  ),
  requests_today: count(
    'The number of requests today, in UTC, whatever the responses. It may lag by up to 10 seconds.',
  ),
  unused_scopes: nullable(
    Type.Array(Type.String(), {
      description: `The scopes that no request has needed in the last ${scopeUsesKeptDays} days: if several scopes cover a request, it needs the narrowest. Null if the key is younger, or its requests were not counted for so long.`,
    }),
  ),
})

/** A key as the API returns it. */
export type KeyRecord = RecordOf<typeof keyRecord>

export const keyResponse = component('KeyResult', { key: described(keyRecord, 'The key.') })

const keyName = Type.String({
  minLength: 1,
  maxLength: keyNameLengthMax,
  format: 'visible-text',
  description: 'A name for people, with at least one visible character and no control characters.',
})

const keyScopes = Type.Array(Type.String({ format: 'scope' }), {
  minItems: 1,
  maxItems: keyScopesMax,
  description:
    'What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. No scope gives more than the roles of the user.',
})

const keyAllowlist = nullable(
  Type.Array(Type.String({ format: 'ip-network' }), {
    minItems: 1,
    maxItems: allowlistMax,
    description:
      'IP addresses or CIDR ranges that may use the key, without host bits; null for all, which is the default.',
  }),
)

const keyRateLimit = Type.Integer({
  minimum: 1,
  maximum: rateLimitMax,
  description: `The most requests in any ${rateWindowMs / 1_000} seconds. Default: ${rateLimitMax}, which is also the maximum.`,
})

/** The accounts that a key is limited to, in a body. */
export const keyAccounts = nullable(
  Type.Array(uuid(), {
    minItems: 1,
    maxItems: keyAccountsMax,
    description:
      'Limits the key to these accounts, as if they were the only ones assigned to its user; null for no limit, which is the default.',
  }),
)

const keyExternalId = newExternalId('Only for `organization` keys.')

/** A new key. */
export const keyBody = strictObject({
  name: keyName,
  scopes: keyScopes,
  kind: Type.Optional(
    wordOf(
      keyKinds,
      '`personal` acts as you. `organization` acts as a service user of its own with the role admin. Default: `personal`.',
    ),
  ),
  expires_at: Type.Optional(
    nullable(
      timeText('When the key expires. It cannot be changed later. Default: null, for no expiry.'),
    ),
  ),
  ip_allowlist: Type.Optional(keyAllowlist),
  accounts: Type.Optional(keyAccounts),
  rate_limit_per_minute: Type.Optional(keyRateLimit),
  workload: Type.Optional(newKeyWorkload),
  external_id: Type.Optional(keyExternalId),
})

/** The settings of a new key. */
export type KeyFields = Static<typeof keyBody>

/** A change of a key. */
export const keyChangeBody = strictObject({
  name: Type.Optional(keyName),
  scopes: Type.Optional(keyScopes),
  ip_allowlist: Type.Optional(keyAllowlist),
  accounts: Type.Optional(keyAccounts),
  enabled: Type.Optional(
    Type.Boolean({
      description: 'False disables the key until it is enabled again. Default: unchanged.',
    }),
  ),
  rate_limit_per_minute: Type.Optional(keyRateLimit),
  workload: Type.Optional(keyWorkloadChange),
  external_id: Type.Optional(keyExternalId),
})

/** The settings of a key that change. */
export type KeyChange = Static<typeof keyChangeBody>

/** A key id in a path. Malformed ids are not found. */
export const keyParams = strictObject({
  id: Type.String({ pattern: keyIdPattern, description: 'The key id.' }),
})
