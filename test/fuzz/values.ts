import { eventTypes } from '@hosting/core/webhooks'
import fc, { type Arbitrary } from 'fast-check'
import { nastyTexts } from './nasty.ts'
import type { Schema } from './operations.ts'

/** Names of the run's own values, which are replaced: `{{webhook_id}}`. */
const own = (...names: string[]): Arbitrary<string> =>
  fc.constantFrom(...names.map((name) => `{{${name}}}`))

const moments = own('yesterday', 'tomorrow', 'long_ago')

/** Short lists, one in eight of which contains an invalid item. */
function listsOf(good: readonly string[], bad: readonly string[]): Arbitrary<string[]> {
  const ofGood = fc.array(fc.constantFrom(...good), { minLength: 1, maxLength: 3 })
  const withBad = fc.tuple(ofGood, fc.constantFrom(...bad)).map(([list, item]) => [...list, item])
  return fc.oneof({ arbitrary: ofGood, weight: 7 }, withBad)
}

/** What a member's name implies about its values if its schema does not. Any other text is used occasionally. */
const byName: Readonly<Record<string, Arbitrary<unknown>>> = {
  url: fc.constantFrom(
    'https://hooks.example.com/in',
    'https://hooks.example.com:8443/in?a=b',
    'https://hooks.example.com/ä?b=%20',
    'http://127.0.0.1:9/in',
    'http://[2606:4700::1111]/',
    'https://[2606:4700::1111]/',
    'https://user@hooks.example.com/',
    'https://localhost/',
    'ftp://hooks.example.com/',
    'https://exämple.com/',
    'https://1.1/',
    'https://a..b/',
  ),
  scopes: listsOf(
    ['*', '*:read', 'webhooks:read', 'webhooks:write', 'apikeys:write'],
    ['*:write', 'x:read'],
  ),
  ip_allowlist: listsOf(
    ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'],
    ['10.0.0.1/8', '::ffff:1.2.3.4/96', '0x7f.1'],
  ),
  expires_at: own('tomorrow', 'tomorrow', 'yesterday'),
  email: own('email'),
  password: own('password'),
  user_id: own('user_id'),
  tenant_id: own('tenant_id'),
  account_id: own('account_id'),
  accounts: fc.oneof(
    { arbitrary: fc.tuple(own('account_id')), weight: 7 },
    fc.array(own('account_id'), { maxLength: 2 }),
  ),
  authorization: own('authorization'),
  permission: fc.constantFrom(
    'webhooks.read',
    'webhooks.manage',
    'users.impersonate',
    'jobs.result',
  ),
  method: fc.constantFrom('GET', 'POST', 'HEAD', 'DELETE'),
  ip: fc.constantFrom('127.0.0.1', '203.0.113.9', '::1', '2001:db8::1'),
  device_code: own('device_code'),
  client_name: fc.constantFrom('laptop', ' laptop ', 'a'.repeat(64), 'é'),
  cursor: own('cursor'),
  key_id: own('key_id'),
  actor_id: own('user_id'),
  event_id: own('event_id'),
  event_ids: fc.tuple(own('event_id')),
  delivery_ids: fc.tuple(own('delivery_id')),
  webhook_id: own('webhook_id'),
  since: moments,
  until: moments,
  slug: own('slug'),
  issuer: fc.oneof(
    { arbitrary: fc.constant('https://issuer.example.com'), weight: 7 },
    fc.constantFrom('http://127.0.0.1:9', 'https://gitlab.com', 'https://issuer.example.com/?a=b'),
  ),
  'name in conditions': fc.constantFrom('sub', 'repository', 'project_id', 'a/b~c'),
  'value in conditions': fc.oneof(
    { arbitrary: fc.constantFrom('12', 'repo:acme/*', ['12', '34']), weight: 15 },
    fc.constant('a*'),
  ),
  'name in headers': fc.constantFrom('authorization', 'x-env', 'Host'),
  'value in headers': fc.constantFrom('Bearer abc', 'staging', 'a\nb'),
}

const event: Schema = {
  anyOf: [...eventTypes.values()].map(({ type, schema }) => ({
    type: 'object',
    required: ['type', 'tenant_id', 'data'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      type: { const: type },
      tenant_id: { type: 'string' },
      created_at: { type: 'string', format: 'date-time' },
      data: schema,
    },
  })),
}

const events: Schema = {
  anyOf: [
    event,
    {
      type: 'object',
      required: ['events'],
      properties: { events: { type: 'array', items: event, minItems: 1, maxItems: 5 } },
    },
  ],
}

/**
 * Values that a schema accepts, or mostly: if a name implies a meaning, also values that only look like it. The name
 * of an object implies nothing.
 */
export function valuesOf(schema: Schema, name = ''): Arbitrary<unknown> {
  const fromSchema = valuesOfSchema(schema, name)
  const isNamed = schema.type !== 'object' && Object.hasOwn(byName, name)
  const named = isNamed ? byName[name] : undefined
  return named ? fc.oneof({ arbitrary: named, weight: 12 }, fromSchema) : fromSchema
}

function valuesOfSchema(schema: Schema, name: string): Arbitrary<unknown> {
  const { type, enum: allowed, const: only, anyOf } = schema
  if (only !== undefined) return fc.constant(only)
  if (allowed) return fc.constantFrom(...allowed)
  if (anyOf) return fc.oneof(...anyOf.map((each) => valuesOf(each, name)))
  if (Array.isArray(type)) {
    return fc.oneof(...type.map((each: string) => valuesOf({ ...schema, type: each }, name)))
  }
  return makers[type as string]?.(schema, name) ?? fc.jsonValue()
}

/** Bodies of `POST /internal/v1/events`: its schema in the document does not say what the data of an event type is. */
export const publications = (): Arbitrary<unknown> => valuesOf(events)

/** Bodies of `POST /api-keys`: its schema does not say that only organization keys can be workload keys. */
export function newKeys(schema: Schema): Arbitrary<unknown> {
  const keys = valuesOf(schema) as Arbitrary<object>
  const asOrganization = (key: object) =>
    'workload' in key ? { ...key, kind: 'organization' } : key
  return fc.oneof({ arbitrary: keys.map(asOrganization), weight: 7 }, keys)
}

const makers: Readonly<Record<string, (schema: Schema, name: string) => Arbitrary<unknown>>> = {
  string: textsOf,
  integer: ({ minimum = -1_000, maximum = 1_000 }) => fc.integer({ min: minimum, max: maximum }),
  number: () => fc.double({ noNaN: true }),
  boolean: () => fc.boolean(),
  null: () => fc.constant(null),
  array: arraysOf,
  object: objectsOf,
}

function textsOf({ format, pattern, minLength = 0, maxLength = 300 }: Schema): Arbitrary<string> {
  if (pattern !== undefined && pattern !== anyButNul) return matching(pattern)
  return formats[format ?? '']?.() ?? freeTexts(minLength, Math.min(maxLength, 300))
}

/** The pattern of texts that only have a length. */
export const anyButNul = '^[^\\u0000]*$'

/** fast-check supports neither lookaheads nor Unicode properties: such texts are generated and filtered. */
function matching(pattern: string): Arbitrary<string> {
  if (!/\(\?!|\\p\{/.test(pattern)) return fc.stringMatching(new RegExp(pattern))
  const whole = new RegExp(pattern, 'u')
  const fits = (text: string): boolean => whole.test(text)
  return fc.oneof(
    fc.constantFrom(...visibleTexts.filter(fits)),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter(fits),
  )
}

const visibleTexts = ['laptop', 'deploy 7', 'Ärger', '日本語', '👩‍💻', 'e\u0301']

const formats: Readonly<Record<string, () => Arbitrary<string>>> = {
  uuid: () => fc.uuid(),
  'date-time': () =>
    fc.oneof(
      moments,
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    ),
  'event-pattern': () =>
    fc.constantFrom('*', 'site.*', 'webhook.*', 'nothing.*', ...eventTypes.keys()),
  'ip-address': () => fc.oneof(fc.ipV4(), fc.ipV6()),
}

/** A schema that requires only a length also accepts nasty texts. */
function freeTexts(minLength: number, maxLength: number): Arbitrary<string> {
  const usual = fc.string({ unit: 'grapheme', minLength, maxLength })
  const fits = ({ length }: string): boolean => length >= minLength && length <= maxLength
  return fc.oneof(
    { arbitrary: usual, weight: 14 },
    { arbitrary: nastyTexts.filter(fits), weight: 1 },
    { arbitrary: usual.map((text) => `\0${text}`.slice(0, maxLength)), weight: 1 },
  )
}

function arraysOf({ items = {}, minItems = 0, maxItems = 8, uniqueItems }: Schema) {
  const lengths = { minLength: minItems, maxLength: Math.min(maxItems, Math.max(minItems, 8)) }
  return uniqueItems
    ? fc.uniqueArray(valuesOf(items), { ...lengths, comparator: 'SameValueZero' })
    : fc.array(valuesOf(items), lengths)
}

function objectsOf(schema: Schema, name: string): Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema
  if (typeof additionalProperties === 'object') return mapsOf(schema, additionalProperties, name)
  const members = Object.entries(properties).map(([key, value]) => [key, valuesOf(value, key)])
  return fc.record(Object.fromEntries(members) as Record<string, Arbitrary<unknown>>, {
    requiredKeys: required as string[],
  })
}

/** Objects whose members can have any name. */
function mapsOf(
  { propertyNames, minProperties = 0, maxProperties = 8 }: Schema,
  values: Schema,
  name: string,
): Arbitrary<unknown> {
  const names = valuesOf({ ...propertyNames, type: 'string' }, `name in ${name}`)
  return fc.dictionary(names as Arbitrary<string>, valuesOf(values, `value in ${name}`), {
    minKeys: minProperties,
    maxKeys: Math.min(maxProperties, minProperties + 3),
  })
}
