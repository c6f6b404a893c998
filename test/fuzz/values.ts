import { eventTypes } from '@hosting/core'
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
  accounts: fc.array(own('account_id'), { maxLength: 2 }),
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
  webhook_id: own('webhook_id'),
  since: moments,
  until: moments,
  slug: own('slug'),
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

/** Values that a schema accepts, or mostly: if a name implies a meaning, also values that only look like it. */
export function valuesOf(schema: Schema, name = ''): Arbitrary<unknown> {
  const fromSchema = valuesOfSchema(schema, name)
  const named = Object.hasOwn(byName, name) ? byName[name] : undefined
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
  return makers[type as string]?.(schema) ?? fc.jsonValue()
}

/** Bodies of `POST /internal/v1/events`: its schema in the document does not say what the data of an event type is. */
export const publications = (): Arbitrary<unknown> => valuesOf(events)

const makers: Readonly<Record<string, (schema: Schema) => Arbitrary<unknown>>> = {
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
const anyButNul = '^[^\\u0000]*$'

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

function objectsOf({ properties = {}, required = [] }: Schema): Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema, name)])
  return fc.record(Object.fromEntries(members) as Record<string, Arbitrary<unknown>>, {
    requiredKeys: required as string[],
  })
}
