import { hashUserCode, readUserCode } from '@hosting/core/device-login'
import { hashRecoveryCode } from '@hosting/core/sessions'
import { bareCode } from '@hosting/core/text'
import { expect, test } from '@jest/globals'

const separators: readonly string[] = Array.from(
  ' \t\r\n\u00a0\u1680\u2000\u2009\u200a\u202f\u205f\u3000\u2028\u2029' +
    '-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d' +
    '\u00ad\u034f\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u2060\u2066\ufe0f\ufeff',
)

test.each(separators.map((text) => [text.codePointAt(0)!.toString(16), text] as const))(
  'a code that a person types loses U+%s',
  (_name, text) => {
    expect(bareCode(`${text}123${text}456${text}`)).toBe('123456')
    expect(readUserCode(`${text}bcdf${text}ghjk`)).toBe('BCDF-GHJK')
    const key = Buffer.alloc(32)
    expect(hashRecoveryCode(key, 'u', `abcde${text}fghjk`)).toEqual(
      hashRecoveryCode(key, 'u', 'abcde-fghjk'),
    )
  },
)

test('a code in full width is read, and other letters stay what they are', () => {
  expect(bareCode('１２３ ４５６')).toBe('123456')
  expect(readUserCode('ＢＣＤＦ－ＧＨＪＫ')).toBe('BCDF-GHJK')
  expect(readUserCode('BCDF-GHJ\u212a')).toBeUndefined()
  expect(hashUserCode(Buffer.alloc(32), 'BCDF-GHJK')).toHaveLength(32)
})
