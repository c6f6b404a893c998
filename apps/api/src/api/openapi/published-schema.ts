import { customHeaderNameLengthMax, endpointUrlLengthMax } from '@hosting/core/webhooks'

type Json = Record<string, unknown>

/**
 * What is published of our own formats, which other tools do not know: limits of the length that the format itself
 * has. The descriptions say the rest. A published schema is never narrower than the check.
 */
const wide: Readonly<Record<string, Json>> = {
  'event-pattern': {},
  scope: {},
  'visible-text': {},
  'email-address': {},
  'client-name': { minLength: 1 },
  'header-name': { minLength: 1, maxLength: customHeaderNameLengthMax },
  'header-value': { minLength: 1 },
  'ip-address': {},
  'ip-network': {},
  'webhook-url': { minLength: 1, maxLength: endpointUrlLengthMax },
}

/**
 * Converts the schema of something that is sent to the API: everything that the API accepts is valid, and closed
 * objects and enums stay closed. Alternatives exclude each other.
 */
export function toPublishedRequest(schema: unknown): unknown {
  return convert(
    schema,
    ({ format, pattern, uniqueItems, propertyNames: _names, anyOf, ...others }) => ({
      ...typed(others),
      ...(typeof format === 'string' && (wide[format] ?? { format })),
      ...(typeof pattern === 'string' && isPortable(pattern) && { pattern }),
      ...(uniqueItems === true && {
        description: `${others['description'] as string} Each at most once.`,
      }),
      ...(anyOf !== undefined && { oneOf: anyOf }),
    }),
  )
}

/**
 * Converts the schema of something that the API sends, to which members and values may be added: objects are open,
 * which is written out because some generators take an absent keyword for `false`, and enums are strings.
 */
export function toPublishedResponse(schema: unknown): unknown {
  return convert(schema, (given) => {
    const { enum: values, const: value, ...others } = toOpenObject(given)
    const known = (values ?? (value === undefined ? undefined : [value])) as unknown[] | undefined
    return known === undefined ? others : toOpenEnum(others, known)
  })
}

/** Converts the schema of an event that is delivered. Its type is constant. */
export function toPublishedEvent(schema: unknown): unknown {
  return convert(schema, (given) => {
    const { enum: values, ...others } = toOpenObject(given)
    return values === undefined ? typed(others) : toOpenEnum(others, values as unknown[])
  })
}

/** Converts a schema and all schemas within it, the inner ones first. */
function convert(schema: unknown, change: (schema: Json) => Json): unknown {
  if (Array.isArray(schema)) return schema.map((each) => convert(each, change))
  if (typeof schema !== 'object' || schema === null) return schema
  return change(
    Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [
        keyword,
        convertKeyword(keyword, value, change),
      ]),
    ),
  )
}

function convertKeyword(keyword: string, value: unknown, change: (schema: Json) => Json): unknown {
  if (keyword === 'enum' || keyword === 'examples' || keyword === 'default') return value
  if (keyword !== 'properties') return convert(value, change)
  return Object.fromEntries(
    Object.entries(value as Json).map(([name, member]) => [name, convert(member, change)]),
  )
}

function toOpenObject({
  uniqueItems: _unique,
  propertyNames: _names,
  anyOf,
  ...schema
}: Json): Json {
  const alternatives = anyOf === undefined ? {} : { oneOf: anyOf }
  if (![schema['type']].flat().includes('object')) return { ...schema, ...alternatives }
  const { patternProperties: _patterns, additionalProperties = true, ...others } = schema
  return { ...others, ...alternatives, additionalProperties: additionalProperties || true }
}

/** The values that are known today are in the description, and as a list for tools that read the extension. */
function toOpenEnum({ description, ...schema }: Json, values: readonly unknown[]): Json {
  const known = values.filter((value) => value !== null)
  const list = known.map((value) => `\`${value as string}\``).join(', ')
  return {
    ...typed({ ...schema, enum: values }, 'enum'),
    description: `${description === undefined ? '' : `${description as string} `}Known values: ${list}. More may be added.`,
    'x-extensible-enum': known,
  }
}

/** Adds the type of constant and enumerated values: generators take a schema without a type for null, or for anything. */
function typed(schema: Json, drop?: 'enum'): Json {
  const { enum: values, const: value } = schema
  const given = (values ?? (value === undefined ? undefined : [value])) as unknown[] | undefined
  const { [drop ?? '']: _dropped, ...others } = schema
  if (given === undefined || schema['type'] !== undefined) return others
  const types = [...new Set(given.map((each) => (each === null ? 'null' : typeof each)))]
  return { type: types.length === 1 ? types[0] : types, ...others }
}

/** Anchors, groups and alternatives; characters, escaped ones and classes, each with a greedy quantifier. */
const portable =
  /^(?:[\^$|(]|\(\?:|(?:\)|[^\\^$.*+?()[\]{}|]|\\[\\^$.*+?()[\]{}|/-]|\[\^?(?:[^\\\][^]|\\[\\^\][-])+\])(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})?)*$/

/**
 * Whether a pattern means the same for ECMA-262 without flags, Python's `re`, RE2 and .NET. It is in ASCII, without
 * look-arounds, back references, `\p` and `\u`, and without `.` and classes such as `\d`, which differ in what they
 * contain.
 */
export const isPortable = (pattern: string): boolean =>
  /^[ -~]*$/.test(pattern) && portable.test(pattern)
