import fc from 'fast-check'
import { validBodiesOf, type Draft } from './drafts.ts'
import type { Operation, Schema } from './operations.ts'
import { anyButNul } from './values.ts'

/**
 * Valid requests of an operation, each with one parameter or member at a limit that the document states: what a random
 * value rarely is.
 */
export function extremesOf(operation: Operation): readonly Draft[] {
  const { listener, method, path, operationId, parameters } = operation
  const usual: Omit<Draft, 'target' | 'body'> = {
    caller: operationId.startsWith('auth.') ? 'session' : 'personal key',
    method,
    headers: {},
  }
  const target = listener.base + path.replace(/\{(\w+)\}/g, '{{$1}}')
  const body = bodyOf(operation)
  const queries = parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name, schema }) =>
      limitsOf(schema).map((value) => `?${name}=${encodeURIComponent(String(value))}`),
    )
  return [
    ...queries.map((query) => ({ ...usual, target: target + query, body })),
    ...extremeBodiesOf(operation, body).map((value) => ({
      ...usual,
      target,
      body: { kind: 'json' as const, value },
    })),
  ]
}

/** A valid body: always the same, because the values of extreme members are what varies. */
function bodyOf(operation: Operation): Draft['body'] {
  const good = validBodiesOf(operation)
  if (!good) return { kind: 'none' }
  return { kind: 'json', value: fc.sample(good, { numRuns: 1, seed: 1 })[0] }
}

function extremeBodiesOf({ requestBody }: Operation, body: Draft['body']): readonly unknown[] {
  const { properties = {} } = requestBody?.content['application/json']?.schema ?? {}
  if (body.kind !== 'json' || typeof body.value !== 'object') return []
  return Object.entries(properties).flatMap(([name, schema]) =>
    limitsOf(schema).map((value) => ({ ...(body.value as object), [name]: value })),
  )
}

/** The values at the limits of a schema. */
function limitsOf(schema: Schema): readonly unknown[] {
  const { type, enum: allowed, anyOf, minimum, maximum } = schema
  if (allowed) return allowed
  if (anyOf) return anyOf.flatMap(limitsOf)
  if (Array.isArray(type)) {
    return type.flatMap((each: string) => limitsOf({ ...schema, type: each }))
  }
  if (type === 'null') return [null]
  if (type === 'boolean') return [false, true]
  if (type === 'integer') return [minimum, maximum].filter((value) => value !== undefined)
  return type === 'string' ? textLimitsOf(schema) : []
}

/** The shortest and the longest text, unless a text has further rules. */
function textLimitsOf({ format, pattern, minLength = 0, maxLength }: Schema): readonly string[] {
  if (format !== undefined || (pattern !== undefined && pattern !== anyButNul)) return []
  return [minLength, maxLength]
    .filter((length) => length !== undefined)
    .map((length) => 'a'.repeat(length))
}
