import { uuidSource } from '@hosting/core/ids'
import { parseAddress } from '@hosting/core/network'
import { Problem, validationFailed, type FieldError } from '@hosting/core/problems'
import {
  emailAddressMessage,
  isEmailAddress,
  isVisibleText,
  visibleTextMessage,
} from '@hosting/core/text'
import { isEventPattern } from '@hosting/core/webhooks'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { Type, type TSchema } from 'typebox'

const uuidPattern = new RegExp(`^${uuidSource}$`, 'i')

/** Whether a text is a UUID in upper or lower case. */
export const isUuid = (text: string): boolean => uuidPattern.test(text)

const formats = {
  uuid: uuidPattern,
  date: isDate,
  'date-time': isDateTime,
  'event-pattern': isEventPattern,
  'ip-address': (text: string) => parseAddress(text) !== undefined,
  'visible-text': isVisibleText,
  'email-address': isEmailAddress,
  // Use cases check these, for more specific messages. The formats are only for the OpenAPI document.
  scope: true as const,
  'client-name': true as const,
  'header-name': true as const,
  'header-value': true as const,
  'ip-network': true as const,
  'webhook-url': true as const,
}

const formatMessages: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  date: 'must be a date, such as 2026-11-23',
  'date-time': 'must be an RFC 3339 date and time with an offset',
  'ip-address': 'must be an IPv4 or IPv6 address',
  'visible-text': visibleTextMessage,
  'email-address': emailAddressMessage,
  'event-pattern': 'must be "*", "<resource>.*" or a type of the event types list',
}

/** The schemas of texts that are only hashed or compared, so that they may hold what PostgreSQL cannot store. */
const anyTextSchemas = new WeakSet<object>()

/** A schema for text of any characters. Do not store such a text. */
export function anyText(description: string) {
  const schema = Type.String({ description })
  anyTextSchemas.add(schema)
  return schema
}

/** Marks the schema of a member whose texts are checked later. */
export function withUncheckedTexts<T extends TSchema>(schema: T): T {
  anyTextSchemas.add(schema)
  return schema
}

/** The schema of a body that the use case checks itself: it may be missing, and hold anything. */
export const anyBody = withUncheckedTexts(Type.Optional(Type.Unknown()))

const options = { strict: true, allowUnionTypes: true, formats, useDefaults: true }
/** Stops at the first error. Checks the size of an array or object before its members. */
const strictAjv = new Ajv2020(options)
const thoroughAjv = new Ajv2020({ ...options, allErrors: true })

/** Larger values, by members and items, get only the first error, because listing an error for each is slow. */
const thoroughMax = 1_000

/** Validates a value, fills in defaults and returns the errors. */
export type Validator = (value: unknown) => FieldError[]

/** Creates a validator of JSON bodies. A body with an optional schema may be missing. */
export function bodyValidator(schema: TSchema): Validator {
  const validate = toValidator(schema, anyTextsOf(schema))
  if (!Type.IsOptional(schema)) return validate
  return (value) => (value === undefined ? [] : validate(value))
}

/** Creates a validator of path and query parameters, which arrive as text. It parses integers. */
export function textValidator(schema: TSchema): Validator {
  const validate = toValidator(schema, anyTextsOf(schema))
  const { properties = {} } = schema as { properties?: Record<string, TSchema> }
  const numbers = Object.keys(properties).filter((name) => Type.IsInteger(properties[name]))
  return (value) => {
    const members = value as Record<string, unknown>
    for (const name of numbers) if (name in members) members[name] = readInteger(members[name])
    return validate(value)
  }
}

/** Accepts only digits, unlike `Number`, which also accepts ` 5`, `1e1` and `0x10`. */
const readInteger = (text: unknown): unknown =>
  typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text

/** @throws Problem `validation_failed` if there is any error. */
export function requireValid(errors: readonly FieldError[]): void {
  if (errors.length > 0)
    throw new Problem('validation_failed', { errors: errors.slice(0, errorsMax) })
}

/** The maximum number of errors in a response. */
const errorsMax = 100

/** Compiles the schema when it is first used: most processes never get a request for most routes. */
function toValidator(schema: TSchema, anyTexts: ReadonlySet<string> = new Set()): Validator {
  let strict: ValidateFunction | undefined
  let thorough: ValidateFunction | undefined
  return (value) => {
    const validate = (strict ??= strictAjv.compile(schema))
    if (validate(value)) return findUnstorableTexts(value, anyTexts)
    if (!hasFewParts(value)) return withoutOtherShapes(validate.errors!).map(toError)
    thorough ??= thoroughAjv.compile(schema)
    thorough(value)
    return withoutOtherShapes(thorough.errors!).map(toError)
  }
}

/** Whether a value has at most {@link thoroughMax} members and items. Stops counting there. */
function hasFewParts(whole: unknown): boolean {
  let count = 0
  const rest = [whole]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const parts: unknown[] = Array.isArray(next) ? next : Object.values(next)
    count += parts.length
    if (count > thoroughMax) return false
    rest.push(...parts)
  }
  return true
}

/** The pointers of the parts of a body that may hold any text. */
function anyTextsOf(schema: TSchema): ReadonlySet<string> {
  if (anyTextSchemas.has(schema)) return new Set([''])
  const { properties = {} } = schema as { properties?: Record<string, TSchema> }
  const members = Object.entries(properties).filter(([, member]) => anyTextSchemas.has(member))
  return new Set(members.map(([name]) => `/${escapePointer(name)}`))
}

/**
 * Finds texts and names of members that PostgreSQL cannot store. Not recursive, because a body can be nested deeper
 * than the stack allows.
 */
function findUnstorableTexts(whole: unknown, anyTexts: ReadonlySet<string>): FieldError[] {
  const errors: FieldError[] = []
  const rest: { name: string; value: unknown; pointer: string }[] = [
    { name: '', value: whole, pointer: '' },
  ]
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { name, value, pointer } = next
    if (anyTexts.has(pointer)) continue
    const text = typeof value === 'string' ? value : ''
    const message = findUnstorable(name) ?? findUnstorable(text)
    if (message) {
      errors.push({ pointer, message })
    } else if (typeof value === 'object' && value !== null) {
      for (const [inner, member] of Object.entries(value)) {
        rest.push({ name: inner, value: member, pointer: `${pointer}/${escapePointer(inner)}` })
      }
    }
  }
  return errors.toReversed()
}

/** Why PostgreSQL cannot store a text: NUL characters and lone surrogates. */
function findUnstorable(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character'
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode'
}

function toError({ instancePath, keyword, params, message }: ErrorObject): FieldError {
  const at = (member: string): string => `${instancePath}/${escapePointer(member)}`
  switch (keyword) {
    case 'required':
      return { pointer: at(params['missingProperty']), message: 'is required' }
    case 'additionalProperties':
      return { pointer: at(params['additionalProperty']), message: 'is not a known member' }
    case 'enum':
      return {
        pointer: instancePath,
        message: `must be one of ${params['allowedValues'].join(', ')}`,
      }
    case 'const':
      return { pointer: instancePath, message: `must be ${JSON.stringify(params['allowedValue'])}` }
    case 'format':
      return {
        pointer: instancePath,
        message: formatMessages[params['format'] as string]!,
      }
    default:
      return { pointer: instancePath, message: message! }
  }
}

/** RFC 6901, section 3. */
const escapePointer = (member: string): string => member.replaceAll('~', '~0').replaceAll('/', '~1')

/** RFC 3339, section 5.6. The time must exist, and its year in UTC must be 0001 (PostgreSQL's first) to 9999. */
function isDateTime(text: string): boolean {
  const date = /^(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.exec(
    text,
  )?.[1]
  // Date.parse() accepts 30 February as 2 March.
  return (
    date !== undefined &&
    isoTextOf(date)?.startsWith(date) === true &&
    /^(?!0000)\d{4}-/.test(isoTextOf(text) ?? '')
  )
}

/** RFC 3339, section 5.6: `full-date`. */
function isDate(text: string): boolean {
  return isDateTime(`${text}T00:00:00Z`)
}

/** The time in the format of `Date`, in which a year of more than four digits has a sign. */
function isoTextOf(text: string): string | undefined {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** The 422 of a cursor that is not one of the list. */
export const foreignCursor = (pointer: '/cursor' | '/after'): Problem =>
  validationFailed({ pointer, message: 'is not a cursor of this list' })

/**
 * Leaves one error for each fault of a value that may have several shapes. Ajv lists the errors of every shape. Those of
 * the shape with the value's type remain; if the value has no type that is allowed, one error names the types.
 */
function withoutOtherShapes(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const union = errors.find(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  if (!union) return errors
  const prefix = `${union.schemaPath}/`
  const isInside = ({ schemaPath, instancePath }: ErrorObject) =>
    schemaPath.startsWith(prefix) && instancePath.startsWith(union.instancePath)
  const inside = errors.filter(isInside)
  const others = errors.filter((error) => error !== union && !isInside(error))
  const isOfType = ({ keyword, instancePath }: ErrorObject) =>
    keyword === 'type' && instancePath === union.instancePath
  const shapes = Map.groupBy(
    inside,
    ({ schemaPath }) => schemaPath.slice(prefix.length).split('/')[0],
  )
  const fitting = [...shapes.values()].filter((shape) => !shape.some(isOfType))
  if (fitting.length === 1) return withoutOtherShapes([...others, ...fitting[0]!])
  // Shapes of one type, such as objects with different members: only their errors together say what is missing.
  if (fitting.length > 1) return [...withoutOtherShapes(others), union, ...inside]
  const types = new Set(inside.filter(isOfType).map(({ params }) => String(params['type'])))
  const message = `must be ${[...types].join(' or ')}`
  return [...withoutOtherShapes(others), { ...union, keyword: 'type', message }]
}
