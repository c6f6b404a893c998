import { describe, expect, test } from '@jest/globals'
import { isCommonPassword } from '../../src/api/use-cases/passwords.ts'

const email = 'ana.garcia@example.test'

describe('common passwords are refused:', () => {
  test.each([
    ['one character repeated', 'aaaaaaaaaaaa'],
    ['another character repeated', 'éééééééééééé'],
    ['an emoji repeated', '🔑'.repeat(12)],
    ['a text of two characters repeated', '121212121212'],
    ['a text of four characters repeated', 'abcdabcdabcdab'],
    ['a common word and digits', 'password1234'],
    ['a common word in another case', 'PassWord1234'],
    ['a common word with punctuation', '!!password!!'],
    ['a common word with digits for letters', 'P@ssw0rd1234'],
    ['another common word', 'sunshine2026!'],
    ['a run of digits', '123456789012'],
    ['a run of letters', 'abcdefghijkl'],
    ['a run of the keyboard', 'qwertyuiopas'],
    ['a run backwards', 'lkjihgfedcba'],
    ['a listed one of 12 characters', '1qaz2wsx3edc'],
    ['the own address', email],
    ['the own address in another case', email.toUpperCase()],
    ['the own address without punctuation', 'anagarciaexampletest'],
    ['the own local part with digits', 'ana.garcia2026'],
  ])('%s', (_what, password) => {
    expect(isCommonPassword(password, email)).toBe(true)
  })
})

test.each([
  'correct horse battery',
  'correct horse battery staple',
  'staple battery horse',
  'a sentence of my own',
  'Tr0ub4dor&3-and-more',
  'xK9#mQ2$vL7!',
  'ñandú y colibrí',
  '🔑🗝️🔒🔓🏠🏡🚪🛋️🛏️🪑🚿🛁',
  'new-password-of-the-team',
])('%j is accepted', (password) => {
  expect(isCommonPassword(password, email)).toBe(false)
})

test('a hostile password is checked within a second of CPU time', () => {
  const before = process.cpuUsage()
  for (const text of ['!', '1', 'a1', '0a', '@']) isCommonPassword(text.repeat(128) + 'ü', email)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(1_000)
})
