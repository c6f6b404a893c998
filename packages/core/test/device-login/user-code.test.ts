import { describe, expect, test } from '@jest/globals'
import { createUserCode, hashUserCode, readUserCode } from '../../src/device-login/codes.ts'

const pattern = /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/

test('a user code is XXXX-XXXX of twenty equally likely letters, and unique', () => {
  const codes = Array.from({ length: 2_000 }, createUserCode)
  for (const code of codes) expect(code).toMatch(pattern)
  // Among 2,000 draws from 20 ** 8, two are equal once in 12,800 runs; among 100, once in five million.
  expect(new Set(codes.slice(0, 100)).size).toBe(100)
  expect(new Set(codes).size).toBeGreaterThan(codes.length - 3)
  const counts = Map.groupBy(codes.join('').replaceAll('-', ''), (letter) => letter)
  expect(counts.size).toBe(20)
  for (const [, found] of counts) expect(Math.abs(found.length - 800)).toBeLessThan(200)
})

describe('readUserCode', () => {
  test.each([
    'WDJB-MJHT',
    'wdjbmjht',
    ' wdjb mjht ',
    'Wd Jb-mJ\u00a0hT\t',
    'W-D-J-B-M-J-H-T',
    'WDJB\u2013MJHT',
    'WDJB \u2014 MJHT\n',
    '\uff37DJB-MJHT',
  ])('%j is accepted; case, spaces and dashes are ignored', (text) => {
    expect(readUserCode(text)).toBe('WDJB-MJHT')
  })

  test.each([
    '',
    '----',
    'WDJB-MJH',
    'WDJB-MJHTT',
    'WDJB-MJH1',
    'WDJB-MJHA',
    'WDJB_MJHT',
    'WDJB-MJH\u017f',
    'WDJB-MJHT\0',
  ])('%j is not a user code', (text) => {
    expect(readUserCode(text)).toBeUndefined()
  })

  test('every created code is parsed as itself', () => {
    for (let time = 0; time < 100; time++) {
      const code = createUserCode()
      expect(readUserCode(code.toLowerCase().replace('-', ' '))).toBe(code)
    }
  })
})

test('the hash is keyed: it differs with another server secret', () => {
  const hashes = [1, 2].map((byte) => hashUserCode(Buffer.alloc(32, byte), 'WDJB-MJHT'))
  expect(hashes.map(({ length }) => length)).toEqual([32, 32])
  expect(hashes[0]!.equals(hashes[1]!)).toBe(false)
  expect(hashes[0]!.equals(hashUserCode(Buffer.alloc(32, 1), 'WDJB-MJHT'))).toBe(true)
})
