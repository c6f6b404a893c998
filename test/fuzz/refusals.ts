import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Draft } from './drafts.ts'
import type { Exchange } from './exchange.ts'
import type { Operation, Schema } from './operations.ts'

/** Statuses that depend on the caller, on records or on earlier requests, so that a valid request can get them. */
const dependsOnMore: ReadonlySet<number> = new Set([401, 403, 404, 409, 429])

/**
 * What an OpenAPI document cannot state: codes of problems, and parts of the errors of invalid members, each written as
 * pointer and message.
 */
const unstated: readonly string[] = [
  // Texts that PostgreSQL cannot store.
  'must be well-formed Unicode',
  'must not contain a NUL character',
  // What the value refers to.
  'is not a cursor of this list',
  'is older than the event log',
  'is not an organization',
  'of the organization',
  'has an account that was just deleted',
  'is listed twice',
  'is not an account that the user of the key can access',
  'idempotency_key_reused',
  // Order and length of a span, and how long records are kept.
  'must be in the past',
  'must be in the future',
  'must be later than since',
  'must be after since',
  'must not be before since',
  'must not be combined with cursor',
  'days ago',
  'days ahead',
  'days before until',
  '/buckets must be at most the number of milliseconds from since to until',
  // Several event types in one parameter.
  '/types must be patterns, separated by commas',
  '/types must be at most',
  '/types must not repeat a pattern',
]

/** The same of single operations. */
const unstatedOf: readonly (readonly [operations: RegExp, refusals: readonly string[]])[] = [
  [/^auth\.token$/, ['unsupported_grant_type', 'invalid_request', 'invalid_grant']],
  [/^auth\.device\.token$/, ['authorization_pending', 'slow_down', 'expired_token']],
  [/^auth\.passkeys\.create$/, ['/credential is not a valid response to options']],
  [/^auth\.session\./, ['/email is required', '/password is required', 'together with a passkey']],
  [/^auth\.password$/, ['/new_password is too common', 'in the Unicode form NFKC']],
  [
    /^api-keys\./,
    ['/external_id only an organization key', '/workload', 'api_key_policy_violation'],
  ],
  // The data of an event are described by its type.
  [/^(internal\.events|webhooks\.trigger)$/, ['/data', 'an event']],
  [/^webhooks\.(create|update)$/, ['/headers must be given, because', '/headers must not have']],
  [/^internal\.users\.sign-in-links$/, ['/return_to must']],
  [/^internal\.directory\.put$/, [' must not have more than']],
]

/**
 * Checks that the API does not refuse a request that its exact document describes.
 *
 * @throws Error that says what was refused.
 */
export function requireReason(operation: Operation, { status, text, sent }: Exchange): void {
  if (status < 400 || dependsOnMore.has(status) || sent.method === 'HEAD') return
  if (!isDescribed(operation, sent)) return
  const { code, errors } = JSON.parse(text) as {
    code: string
    errors?: readonly { pointer: string; message: string }[]
  }
  const refusals = errors?.map(({ pointer, message }) => `${pointer} ${message}`) ?? [code]
  const known = unstatedOf
    .filter(([operations]) => operations.test(operation.operationId))
    .flatMap(([, parts]) => parts)
  const unknown = refusals.filter(
    (refusal) => ![...unstated, ...known].some((part) => `${code} ${refusal}`.includes(part)),
  )
  if (unknown.length === 0) return
  throw new Error(
    `${operation.operationId} refused a valid request: ${unknown.join('; ')} ${JSON.stringify(sent)}`,
  )
}

/** Whether the exact document describes a request. One with headers that it does not name is not judged. */
function isDescribed(operation: Operation, { target, headers, body }: Draft): boolean {
  const named = operation.parameters.filter((parameter) => parameter.in === 'header')
  return (
    Object.entries(headers).every(([header, value]) =>
      named.some(({ name, schema }) => name.toLowerCase() === header && accepts(schema, value)),
    ) &&
    hasDescribedTarget(operation, target) &&
    hasDescribedBody(operation, body)
  )
}

function hasDescribedTarget({ listener, path, parameters }: Operation, target: string): boolean {
  const [pathname = '', query] = target.split(/\?(.*)/s)
  const places = parameters.filter((parameter) => parameter.in === 'path')
  const form = path.replace(/\{\w+\}/g, '([^/]+)')
  const found = new RegExp(`^${form}$`).exec(pathname.slice(listener.base.length))
  if (!found) return false
  const asked = parameters.filter((parameter) => parameter.in === 'query')
  const pairs = query === undefined ? [] : query.split('&').map((pair) => pair.split('='))
  try {
    const values = new Map(
      pairs.map(([name = '', value = '']) => [decodeURIComponent(name), decodeURIComponent(value)]),
    )
    return (
      values.size === pairs.length &&
      pairs.every((pair) => pair.length === 2) &&
      [...values.keys()].every((name) => asked.some((parameter) => parameter.name === name)) &&
      asked.every(({ name, required, schema }) =>
        values.has(name) ? accepts(schema, readText(values.get(name)!, schema)) : !required,
      ) &&
      places.every(({ schema }, index) => accepts(schema, decodeURIComponent(found[index + 1]!)))
    )
  } catch {
    // It is not percent-encoded UTF-8.
    return false
  }
}

const readText = (text: string, { type }: Schema): unknown =>
  type === 'integer' && /^\d{1,15}$/.test(text) ? Number(text) : text

function hasDescribedBody({ requestBody }: Operation, body: Draft['body']): boolean {
  const schema = requestBody?.content['application/json']?.schema
  if (!schema) return body.kind === 'none'
  return body.kind === 'json' && body.value !== undefined && accepts(schema, body.value)
}

const ajv = addFormats.default(new Ajv2020({ strict: false, validateSchema: false, logger: false }))
const compiled = new WeakMap<Schema, ValidateFunction>()

function accepts(schema: Schema, value: unknown): boolean {
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  return validate(value)
}
