import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decodeCursor, encodeCursor } from '../../src/lists/cursor.ts'

const id = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'
const good = encodeCursor('webhooks', id)

test('returns its id', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(decodeCursor('webhooks', encodeCursor('webhooks', text))).toBe(text)
    }),
  )
})

test('needs no encoding in a query', () => {
  expect(good).toMatch(/^[\w-]+$/)
  expect(encodeURIComponent(good)).toBe(good)
})

test('does not contain the id in plain text', () => expect(good).not.toContain(id))

test.each([
  ['of another list', encodeCursor('api-keys', id)],
  ['of a list whose name starts with this one', encodeCursor('webhooks-more', id)],
  ['of a list whose name this one starts with', encodeCursor('web', id)],
  ['empty', ''],
  ['that is a plain id', id],
  ['that is not base64url', '!!!'],
  ['padded', `${good}==`],
  ['with a space', `${good} `],
  ['with a character outside base64url', `${good.slice(0, 4)}*${good.slice(4)}`],
  ['in base64 of another alphabet', Buffer.from('webhooks:\u00ff\u00fe').toString('base64')],
  ['of bytes that are not UTF-8', Buffer.from('webhooks:\xff\xfe', 'latin1').toString('base64url')],
])('refuses a cursor %s', (_case, cursor) => {
  expect(decodeCursor('webhooks', cursor)).toBeUndefined()
})

test('refuses a cursor whose last character has unused bits set', () => {
  const cursor = encodeCursor('webhooks', 'ab')
  const alphabet = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
  const read = alphabet.filter(
    (last) => decodeCursor('webhooks', cursor.slice(0, -1) + last) === 'ab',
  )
  expect(read).toEqual([cursor.at(-1)])
})
