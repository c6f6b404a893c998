import { expect, test } from '@jest/globals'
import { readClientName } from '../../src/device-login/decisions.ts'

test.each([
  ['laptop of ana', 'laptop of ana'],
  ['  ana@laptop  ', 'ana@laptop'],
  ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ['a', 'a'],
  ['a'.repeat(64), 'a'.repeat(64)],
  [` ${'é'.repeat(64)} `, 'é'.repeat(64)],
  ['🖥'.repeat(64), '🖥'.repeat(64)],
  ['המחשב של אנה', 'המחשב של אנה'],
])('%j becomes %j', (given, name) => {
  expect(readClientName(given)).toEqual({ name })
})

test.each([
  '',
  '   ',
  'a'.repeat(65),
  '🖥'.repeat(65),
  'two\nlines',
  'at the end\n',
  '\tat the start',
  'bell\u0007',
  'delete\u007f',
  'next line\u0085',
  'separator\u2028',
  ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'].map(
    (override) => `abc${override}def`,
  ),
])('%j is refused', (given) => {
  expect(readClientName(given)).toEqual({ error: expect.any(String) })
})
