import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { randomBytes } from 'node:crypto'
import { createCursors, decodePlainCursor } from '../../src/lists/cursor.ts'

const secret = randomBytes(32)
const cursors = createCursors([secret])
const id = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'
const good = cursors.encode('webhooks', id)
const plain = (list: string, position: string) =>
  Buffer.from(`${list}:${position}`).toString('base64url')

describe('a cursor', () => {
  test('returns its position', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(cursors.decode('webhooks', cursors.encode('webhooks', text))).toBe(text)
      }),
    )
  })

  test('is the same for the same position, so that the end of the event log is recognized', () => {
    expect(cursors.encode('webhooks', id)).toBe(good)
    expect(createCursors([Buffer.from(secret)]).encode('webhooks', id)).toBe(good)
  })

  test('needs no encoding in a query', () => {
    expect(good).toMatch(/^[\w-]{107}$/)
  })

  test('shows nothing of its position, not even the number of its digits', () => {
    const shown = ['1', '502', '999999999999999999'].map((position) =>
      cursors.encode('events', `409ec9c0.${position}.1764345600000`),
    )
    expect(new Set(shown.map(({ length }) => length)).size).toBe(1)
    for (const cursor of shown) {
      expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(/events|409ec9c0/)
    }
    // Positions that follow each other differ in half of the bits.
    const [one, two] = ['501', '502'].map((position) =>
      Buffer.from(cursors.encode('events', position), 'base64url'),
    )
    const same = one!.filter((byte, index) => byte === two![index]).length
    expect(same).toBeLessThan(12)
  })

  test('of every server secret is read, and the first makes them', () => {
    const [next, former] = [randomBytes(32), secret]
    const both = createCursors([next, former])
    expect(both.decode('webhooks', good)).toBe(id)
    expect(both.encode('webhooks', id)).not.toBe(good)
    expect(createCursors([next]).decode('webhooks', good)).toBeUndefined()
  })

  test.each([
    ['of another list', cursors.encode('api-keys', id)],
    ['of a list whose name starts with this one', cursors.encode('webhooks-more', id)],
    ['of another installation', createCursors([randomBytes(32)]).encode('webhooks', id)],
    ['empty', ''],
    ['that is a plain id', id],
    ['that is not authenticated', plain('webhooks', id)],
    ['that is not base64url', '!!!'],
    ['padded', `${good}==`],
    ['with a space', `${good} `],
    ['with a character outside base64url', `${good.slice(0, 4)}*${good.slice(4)}`],
    ['that is cut off', good.slice(0, 85)],
    ['that is longer', `${good}${good}`],
  ])('%s is refused', (_case, cursor) => {
    expect(cursors.decode('webhooks', cursor)).toBeUndefined()
  })

  test('is refused with any other character in any place', () => {
    for (let index = 0; index < good.length; index++) {
      const other = good[index] === 'A' ? 'B' : 'A'
      const changed = good.slice(0, index) + other + good.slice(index + 1)
      expect(cursors.decode('webhooks', changed)).toBeUndefined()
    }
  })
})

describe('a cursor of version 1.0.0', () => {
  test('returns its position', () => {
    expect(decodePlainCursor('events', plain('events', '1.2'))).toBe('1.2')
  })

  test.each([
    ['of another list', plain('event', '1')],
    ['padded', `${plain('events', '1')}=`],
    ['of bytes that are not UTF-8', Buffer.from('events:\xff\xfe', 'latin1').toString('base64url')],
    ['of this version', cursors.encode('events', '1')],
  ])('%s is refused', (_case, cursor) => {
    expect(decodePlainCursor('events', cursor)).toBeUndefined()
  })
})
