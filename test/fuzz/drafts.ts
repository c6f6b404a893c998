import fc, { type Arbitrary } from 'fast-check'
import { brokenBodies, changes, nastyTexts, spoil } from './nasty.ts'
import type { Operation, Schema } from './operations.ts'
import { newKeys, publications, valuesOf } from './values.ts'

/** Who sends a request. */
export const callers = [
  'personal key',
  'organization key',
  'read-only key',
  'customer key',
  'key of another organization',
  'session',
  'session, not confirmed',
  'session without CSRF token',
  'session from another site',
  'key and session',
  'garbage',
  'nobody',
] as const

/** A request as data, so that it can be printed and shrunk; `{{names}}` are replaced when it is sent. */
export interface Draft {
  readonly caller: (typeof callers)[number]
  readonly method: string
  /** With its query, as on the wire. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: DraftBody
}

/** `bytes`: each character is one byte. */
export type DraftBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly bytes: string }

/** Requests of an operation: valid ones, and ones with something invalid. */
export function draftsOf(operation: Operation): Arbitrary<Draft> {
  const drafts = fc.record({
    caller: callersOf(operation),
    method:
      operation.method === 'GET'
        ? mostly(fc.constant('GET'), fc.constant('HEAD'))
        : fc.constant(operation.method),
    target: targetsOf(operation),
    headers: half(headers, headersOf(operation)),
    body: bodiesOf(operation),
  })
  // The listener refuses URLs of more than 8,000 bytes; replaced names make a URL longer.
  return drafts.filter(({ target }) => target.length < 7_000)
}

const mostly = <T>(usual: Arbitrary<T>, unusual: Arbitrary<T>): Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight: 7 }, { arbitrary: unusual, weight: 1 })

const half = <T>(one: Arbitrary<T>, other: Arbitrary<T>): Arbitrary<T> => fc.oneof(one, other)

/** Mostly callers who pass authorization. */
const callersOf = ({ listener, operationId }: Operation): Arbitrary<Draft['caller']> => {
  const all = fc.constantFrom(...callers)
  if (listener.name === 'internal') return mostly(fc.constant('personal key'), all)
  const usual = operationId.startsWith('auth.')
    ? fc.constant('session' as const)
    : fc.constantFrom('personal key', 'session')
  return fc.oneof({ arbitrary: usual, weight: 3 }, { arbitrary: all, weight: 2 })
}

function targetsOf({ path, parameters, listener }: Operation): Arbitrary<string> {
  const places = parameters.filter((parameter) => parameter.in === 'path')
  const filled = fc.record(
    Object.fromEntries(places.map(({ name, schema }) => [name, placesOf(name, schema)])),
  )
  return fc.tuple(filled, queriesOf(parameters)).map(([values, query]) => {
    const inner = path.replace(/\{(\w+)\}/g, (_place, name: string) => values[name]!)
    return `${listener.base}${inner}${query}`
  })
}

/** Values of a path parameter. None may lead to another path. */
const placesOf = (name: string, schema: Schema): Arbitrary<string> =>
  fc.oneof(
    { arbitrary: fc.constant(`{{${name}}}`), weight: 7 },
    {
      arbitrary: valuesOf(schema)
        .map(String)
        .filter((text) => text !== '')
        .map(encode),
      weight: 1,
    },
    { arbitrary: nastyTexts.filter((text) => text !== '').map(encode), weight: 1 },
    {
      arbitrary: fc.constantFrom(
        '%',
        '%zz',
        '%c0%ae',
        '%00',
        '..',
        '%2e%2e',
        '{{name}}',
        'a%2Fb',
        ';a=b',
      ),
      weight: 1,
    },
  )

/** A lone surrogate has no percent-encoding: its bytes are sent. */
const encode = (text: string): string =>
  text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'

function queriesOf(parameters: Operation['parameters']): Arbitrary<string> {
  const asked = parameters.filter((parameter) => parameter.in === 'query')
  const good = fc.record(
    Object.fromEntries(asked.map(({ name, schema }) => [name, valuesOf(schema, name).map(String)])),
    { requiredKeys: [] },
  )
  const pairs = good.map((values) => Object.entries(values) as [string, string][])
  const names = fc.oneof(
    fc.constantFrom(
      'limit',
      'cursor',
      'limit[]',
      '__proto__',
      'a[b]',
      ...asked.map(({ name }) => name),
    ),
    nastyTexts,
  )
  const further = fc.array(fc.tuple(names, nastyTexts), { maxLength: 3 })
  const broken = fc.constantFrom(
    '?',
    '?&&=',
    '?%',
    '?%zz=%',
    '?limit=%ff',
    '?limit=1&limit=2',
    '?cursor',
    '?a=b?c=d',
  )
  return fc.oneof(
    { arbitrary: fc.constant(''), weight: 2 },
    { arbitrary: pairs.map(toQuery), weight: 4 },
    { arbitrary: fc.tuple(pairs, further).map(([a, b]) => toQuery([...a, ...b])), weight: 3 },
    { arbitrary: broken, weight: 1 },
  )
}

/** The sender replaces `{{names}}`. */
const toQuery = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.length === 0
    ? ''
    : `?${pairs.map((pair) => pair.map((text) => (text.startsWith('{{') ? text : encode(text).slice(0, 1_500))).join('=')).join('&')}`

const visible = fc.string({
  unit: fc
    .integer({ min: 0x21, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 300,
})

/** The headers that the document names, in ASCII as it asks for. */
const headersOf = ({ parameters }: Operation): Arbitrary<Record<string, string>> => {
  const names = parameters.filter((each) => each.in === 'header').map(({ name }) => name)
  const values = half(fc.uuid(), fc.stringMatching(/^[!-~]{1,64}$/))
  return fc
    .tuple(fc.subarray(names), values)
    .map(([chosen, value]) => Object.fromEntries(chosen.map((name) => [name.toLowerCase(), value])))
}

/** Headers besides credentials and content type. Most requests have none of them. */
const headers: Arbitrary<Record<string, string>> = mostly(
  fc.constant({}),
  fc.record(
    {
      'idempotency-key': half(fc.uuid(), visible),
      'x-request-id': visible,
      'x-forwarded-for': half(visible, fc.constantFrom('10.1.2.3', '10.1.2.3, x', '::1,,', ',')),
      'x-forwarded-proto': visible,
      'x-http-method-override': fc.constantFrom('DELETE', 'TRACE'),
      accept: half(visible, fc.constantFrom('text/html', 'image/png')),
      'accept-encoding': fc.constantFrom('gzip', 'identity;q=0', '*;q=0'),
      'if-none-match': visible,
      range: fc.constant('bytes=0-1'),
      origin: half(visible, fc.constantFrom('null', 'https://elsewhere.example')),
      'sec-fetch-site': fc.constantFrom('cross-site', 'same-origin', 'nonsense'),
      'user-agent': visible,
      cookie: half(visible, fc.constantFrom('session=', 'session=a.b', '=;=', 'session; session')),
      'content-type': half(
        visible,
        fc.constantFrom(
          'application/json',
          'application/json; charset=utf-16',
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/json;charset',
        ),
      ),
      'content-encoding': fc.constantFrom('gzip', 'identity', 'br', 'nonsense', 'gzip, gzip'),
    },
    { requiredKeys: [] },
  ),
)

/** The operations whose schemas do not state all rules of their bodies. */
const makers: Readonly<Record<string, (schema: Schema) => Arbitrary<unknown>>> = {
  'internal.events': publications,
  'api-keys.create': newKeys,
}

/** Values of bodies that an operation mostly accepts. */
export function validBodiesOf({
  operationId,
  requestBody,
}: Operation): Arbitrary<unknown> | undefined {
  const schema = requestBody?.content['application/json']?.schema
  return schema && (makers[operationId]?.(schema) ?? valuesOf(schema))
}

function bodiesOf(operation: Operation): Arbitrary<DraftBody> {
  const none = fc.constant<DraftBody>({ kind: 'none' })
  const good = validBodiesOf(operation)
  const toJson = (value: unknown): DraftBody => ({ kind: 'json', value })
  const bytes = brokenBodies.map((text): DraftBody => ({ kind: 'bytes', bytes: text }))
  if (!good) return mostly(none, half(bytes, fc.jsonValue().map(toJson)))
  const spoiled = fc
    .tuple(good, fc.array(changes, { minLength: 1, maxLength: 3 }))
    .map(([value, steps]) => steps.reduce(spoil, value))
  return fc.oneof(
    { arbitrary: good.map(toJson), weight: 7 },
    { arbitrary: spoiled.map(toJson), weight: 5 },
    { arbitrary: bytes, weight: 1 },
    { arbitrary: none, weight: 1 },
  )
}
