import { expect, test } from '@jest/globals'
import { isEmailAddress, isVisibleText, toOneLine } from '../../src/text/visible-text.ts'

test.each([
  'a',
  'CI of the shop',
  '  spaces around  ',
  'ana@laptop',
  '<script>alert(1)</script>',
  'Łódź, Ærø, naïve',
  'e\u0301 as a decomposed letter',
  'Việt Nam'.normalize('NFD'),
  'המחשב של אנה',
  'שָׁלוֹם',
  'می\u200Cخواهم',
  'क्षि, क्\u200Dष',
  'ไทยที่นี่',
  '개발 서버',
  '開発\u3000サーバー',
  '葛\u{E0100}飾',
  '👩\u200D💻',
  '❤\uFE0F\u200D🔥',
  '1\uFE0F\u20E3',
  '🏴',
  '👍🏽',
  'A⠀blank in the middle',
])('%j is visible text', (text) => {
  expect(isVisibleText(text)).toBe(true)
})

test.each([
  ['nothing', ''],
  ['spaces', '   '],
  ['no-break spaces', '\u00A0\u3000'],
  ['a newline', 'two\nlines'],
  ['a newline at the end', 'name\n'],
  ['a tab', 'a\tb'],
  ['ESC', 'a\u001B[31mb'],
  ['NEXT LINE', 'a\u0085b'],
  ['LINE SEPARATOR', 'a\u2028b'],
  ['PARAGRAPH SEPARATOR', 'a\u2029b'],
  ['RIGHT-TO-LEFT OVERRIDE', 'invoice\u202Efdp.exe'],
  ['a bidirectional isolate', 'a\u2066b\u2069'],
  ['a left-to-right mark', 'a\u200E'],
  ['only ZERO WIDTH SPACE', '\u200B'],
  ['ZERO WIDTH SPACE', 'ad\u200Bmin'],
  ['WORD JOINER', 'ad\u2060min'],
  ['SOFT HYPHEN', 'ad\u00ADmin'],
  ['the byte order mark', '\uFEFFadmin'],
  ['only tag characters', '\u{E0041}\u{E0042}'],
  ['a tag character', 'a\u{E0041}'],
  ['HANGUL FILLER', '\u3164'],
  ['HALFWIDTH HANGUL FILLER', 'a\uFFA0'],
  ['BRAILLE PATTERN BLANK', '\u2800\u2800'],
  ['MUSICAL SYMBOL NULL NOTEHEAD', '\u{1D159}'],
  ['COMBINING GRAPHEME JOINER', 'a\u034F'],
  ['KHMER VOWEL INHERENT AQ', 'ក\u17B4'],
  ['only combining marks', '\u0301\u0302'],
  ['a combining mark first', '\u0301a'],
  ['only a joiner', '\u200D'],
  ['a joiner first', '\u200Da'],
  ['a joiner after a space', 'a \u200Cb'],
  ['only a variation selector', '\uFE0F'],
  ['nine combining marks in a row', `a${'\u0301'.repeat(9)}`],
  ['ARABIC NUMBER SIGN, a format character', '\u0600'],
  ['an interlinear annotation', 'a\uFFF9b'],
  ['half a surrogate pair', 'a\uD800'],
])('%s is refused', (_what, text) => {
  expect(isVisibleText(text)).toBe(false)
})

test('eight combining marks in a row are allowed', () => {
  expect(isVisibleText(`a${'\u0301'.repeat(8)}b`)).toBe(true)
})

test('a hostile text of 100,000 characters is checked within 200 ms of CPU time', () => {
  const texts = ['a', ' ', 'a\u0301', '\u0301', 'a '].map((part) => `${part.repeat(50_000)}\n`)
  const before = process.cpuUsage()
  for (const text of texts) expect(isVisibleText(text)).toBe(false)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(200)
})

test.each([
  'ana@example.com',
  "o'brien+tag@mail.example.com",
  'jürgen@bücher.example',
  'root@localhost',
  'ana@[192.0.2.1]',
  'ana@[IPv6:2001:db8::1]',
  '"ana,b"@example.com',
  '{ana}|100%@example.com',
])('%j is an email address', (text) => {
  expect(isEmailAddress(text)).toBe(true)
})

test.each([
  'ana',
  '@example.com',
  'ana@',
  'a@b@example.com',
  'ana b@example.com',
  'ana@example.com\n',
  'ana@example.com\r\nBcc: eve@example.com',
  'ana\u0001@example.com',
  'ana@example.com\u0000',
  'ana\u007F@example.com',
  'ana\u0085@example.com',
  'moc.elpmaxe@\u202Eana',
  'ana\u2066@example.com',
  'ana\u200B@example.com',
  '\u00ADana@example.com',
  '\uFEFFana@example.com',
  'eve@example.com,ana@example.com',
  'eve,ana@example.com',
  'eve;ana@example.com',
  'Ana<ana@example.com>',
  'ana>@example.com',
  'ana@example.com>',
  '(ana)@example.com',
  'an"a@example.com',
  'ana\\@example.com',
])('%j is no email address', (text) => {
  expect(isEmailAddress(text)).toBe(false)
})

test('a text on one line has no line breaks, control characters and bidirectional controls', () => {
  expect(toOneLine('Acme\r\nReply-To: eve\u2028x\u202Ey\u0007 می\u200Cخواهم')).toBe(
    'Acme Reply-To: eve x y  می\u200Cخواهم',
  )
})
