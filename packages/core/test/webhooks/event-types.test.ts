import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { eventTypes, isPublishable } from '../../src/webhooks/event-types.ts'

const ajv = new Ajv2020({ strict: true, allErrors: true })
const types = [...eventTypes.keys()]

/** A type with the members of its data besides `object_type` and `object_id`. */
function describeType(type: string) {
  const { schema } = eventTypes.get(type)!
  const { object_type: objectType, object_id: _id, ...members } = schema.properties
  const fields = Object.entries(members).map(
    ([name, { type: kind, enum: values }]) => [name, values ?? kind] as const,
  )
  const optional = Object.keys(members).filter((name) => !schema.required.includes(name))
  return { objectType: objectType!.const!, fields: Object.fromEntries(fields), optional }
}

const accepts = (type: string, data: unknown): boolean =>
  ajv.validate(JSON.parse(JSON.stringify(eventTypes.get(type)!.schema)), data)

/** The smallest or the largest `data` of a type. */
function dataOf(type: string, { withOptional }: { withOptional: boolean }) {
  const { objectType, fields, optional } = describeType(type)
  const data: Record<string, unknown> = { object_type: objectType, object_id: '7' }
  for (const [name, kind] of Object.entries(fields)) {
    if (optional.includes(name) && !withOptional) continue
    if (kind === 'boolean') data[name] = true
    else if (kind === 'integer') data[name] = 503
    else data[name] = kind === 'string' ? 'some text' : kind[0]
  }
  return data
}

test.each(types)(
  '%s is of its resource, and has an example that fits unless it is reserved',
  (type) => {
    const { resource, reserved, example } = eventTypes.get(type)!
    expect(type.startsWith(`${resource}.`)).toBe(true)
    expect(reserved).toBe(type === 'invoice.ready')
    expect(example === null ? reserved : accepts(type, example)).toBe(true)
  },
)

describe.each(types)('the data of %s', (type) => {
  const { objectType, fields, optional } = describeType(type)
  const whole = dataOf(type, { withOptional: true })

  test('is accepted with and without its optional members', () => {
    expect(accepts(type, whole)).toBe(true)
    expect(accepts(type, dataOf(type, { withOptional: false }))).toBe(true)
  })

  test('has no other members', () => {
    for (const name of ['email', 'change', 'will_retry', 'account_id', 'hostname', 'data', '']) {
      expect(accepts(type, { ...whole, [name]: whole[name] ?? 'plan' })).toBe(name in whole)
    }
    expect(Object.keys(whole)).toEqual(['object_type', 'object_id', ...Object.keys(fields)])
  })

  test('has all required members', () => {
    for (const name of Object.keys(whole)) {
      const { [name]: _left, ...rest } = whole
      expect(accepts(type, rest)).toBe(optional.includes(name))
    }
  })

  test('has exactly one object type', () => {
    for (const other of ['other', '', objectType.toUpperCase(), null]) {
      expect(accepts(type, { ...whole, object_type: other })).toBe(false)
    }
  })

  test('has members of the specified types', () => {
    for (const [name, value] of Object.entries(whole)) {
      for (const wrong of [null, typeof value === 'number' ? 7.5 : 7, {}, [], [value]]) {
        expect(accepts(type, { ...whole, [name]: wrong })).toBe(false)
      }
      expect(accepts(type, { ...whole, [name]: typeof value === 'boolean' ? 'true' : true })).toBe(
        false,
      )
    }
  })

  test('has the listed values and no others', () => {
    for (const [name, kind] of Object.entries(fields)) {
      if (typeof kind === 'string') continue
      for (const value of kind) expect(accepts(type, { ...whole, [name]: value })).toBe(true)
      for (const value of ['other', '', kind[0]!.toUpperCase(), `${kind[0]} `]) {
        expect(accepts(type, { ...whole, [name]: value })).toBe(false)
      }
    }
  })

  test('is an object', () => {
    for (const data of [null, [], 'data', 7, [whole]]) expect(accepts(type, data)).toBe(false)
  })
})

describe('the types whose data names a change', () => {
  test('are those ending `.updated`, and `dns.records_changed`', () => {
    const withChange = types.filter((type) => 'change' in describeType(type).fields)
    const specified = types.filter(
      (type) => type.endsWith('.updated') || type === 'dns.records_changed',
    )
    expect(withChange).toEqual(specified)
  })
})

describe('publishing', () => {
  test('is possible for every type except the reserved one, the ping and operational events', () => {
    const closed = types.filter((type) => !isPublishable(type))
    const operational = types.filter((type) => /^(endpoint|api_key)\./.test(type))
    expect(operational).toHaveLength(6)
    expect(closed).toEqual([...operational, 'invoice.ready', 'webhook.ping'])
  })

  test.each([
    '',
    '*',
    'site.*',
    'site',
    'site.unknown',
    'SITE.CREATED',
    'constructor',
    '__proto__',
  ])('is not possible for %j, which is not a type', (type) =>
    expect(isPublishable(type)).toBe(false),
  )
})
