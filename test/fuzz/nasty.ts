import fc, { type Arbitrary } from 'fast-check'

/** Names with a meaning in JavaScript, and other unexpected names. */
const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  'a/b~c',
  '\0',
]

const nested = (depth: number, open: string, close: string): unknown =>
  JSON.parse(open.repeat(depth) + close.repeat(depth))

/** Texts that cause problems somewhere: in PostgreSQL, in a pattern, in Unicode, by their length. */
export const nastyTexts: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\udfff\ud800',
    '\ufeff',
    '\u202e',
    '\r\nX-A: b',
    '../../etc/passwd',
    "'; SELECT 1; --",
    '${7*7}{{nothing}}',
    '%00%ff%zz',
    '<script>',
    'null',
    'NaN',
    '1e309',
    '-1',
    '٣',
    '𝟛',
    'İ'.repeat(50),
    'a'.repeat(5_000),
    '0'.repeat(400),
    '😀'.repeat(200),
    '2026-02-30T00:00:00Z',
    '2026-01-01T00:00:00+99:99',
    '9999-12-31T23:59:59.999999999-14:00',
    '0000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '00000000-0000-0000-0000-000000000000',
    'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    maxLength: 10,
  }),
)

/** JSON values of an unexpected type, size or depth. */
export const nastyValues: Arbitrary<unknown> = fc.oneof(
  nastyTexts,
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    2 ** 31,
    2 ** 53 + 2,
    -(2 ** 63),
    1e308,
    5e-324,
    [],
    {},
    [[]],
    [null],
    [{}],
    { a: 1 },
    nested(60, '[', ']'),
    nested(60, '{"a":[', ']}'),
    Array.from({ length: 200 }, () => '*'),
  ),
  fc.jsonValue({ maxDepth: 3 }),
)

/** One change of a JSON value: the position and the change. */
export interface Change {
  readonly place: number
  readonly how: 'replace' | 'drop' | 'add' | 'wrap' | 'repeat'
  readonly name: string
  readonly value: unknown
}

export const changes: Arbitrary<Change> = fc.record({
  place: fc.nat(50),
  how: fc.constantFrom('replace', 'replace', 'drop', 'add', 'wrap', 'repeat'),
  name: fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 20 })),
  value: nastyValues,
})

/** Changes a value at one position. A value has as many positions as members, including nested ones. */
export function spoil(whole: unknown, change: Change): unknown {
  const count = countPlaces(whole)
  const target = change.place % count
  let at = 0
  const walk = (value: unknown): unknown => {
    const here = at++ === target
    const spoiled = here ? spoilers[change.how](value, change) : value
    if (here || typeof spoiled !== 'object' || spoiled === null) return spoiled
    if (Array.isArray(spoiled)) return spoiled.map(walk).filter((each) => each !== undefined)
    return Object.fromEntries(Object.entries(spoiled).map(([name, each]) => [name, walk(each)]))
  }
  return walk(whole)
}

const countPlaces = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, each) => sum + countPlaces(each), 1)
    : 1

const spoilers: Readonly<Record<Change['how'], (value: unknown, change: Change) => unknown>> = {
  replace: (_value, change) => change.value,
  // JSON omits undefined members.
  drop: () => undefined,
  wrap: (value) => [value],
  repeat: (value) => (Array.isArray(value) ? [...value, ...value] : [value, value]),
  add(value, { name, value: further }) {
    if (Array.isArray(value)) return [...value, further]
    if (typeof value !== 'object' || value === null) return further
    return Object.fromEntries([...Object.entries(value), [name, further]])
  },
}

/** Text that is not valid JSON or not sent as JSON is sent. Each character is a byte. */
export const brokenBodies: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '{',
    '[1,',
    '"',
    '{"a":1,}',
    "{'a':1}",
    'undefined',
    'NaN',
    '-',
    '1e999',
    '{"a":1e999}',
    '{"a":1}{"a":2}',
    '\xef\xbb\xbf{}',
    '{"a":"\xff\xfe"}',
    '{"a":"\xed\xa0\x80"}',
    '\0',
    '{"__proto__":{"admin":true}}',
    '{"name":"a","name":"b"}',
    '['.repeat(5_000),
    '{"a":'.repeat(2_000),
    ' '.repeat(10_000),
  ),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
)
