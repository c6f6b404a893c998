import { expect, test } from '@jest/globals'
import { createHash } from 'node:crypto'
import { createDeviceCode, hashDeviceCode, isDeviceCode } from '../../src/device-login/codes.ts'

test('a device code has 256 random bits after its prefix', () => {
  const codes = Array.from({ length: 100 }, createDeviceCode)
  expect(new Set(codes).size).toBe(100)
  for (const code of codes) {
    expect(Buffer.from(code.slice('dc_'.length), 'base64url')).toHaveLength(32)
    expect(isDeviceCode(code)).toBe(true)
  }
})

test('malformed codes are recognized without a query', () => {
  const code = createDeviceCode()
  for (const text of ['', 'dc_', code.slice(1), `${code}A`, `${code}\n`, ` ${code}`, `${code}\0`]) {
    expect(isDeviceCode(text)).toBe(false)
  }
})

test('the hash is SHA-256', () => {
  const code = createDeviceCode()
  expect(hashDeviceCode(code)).toEqual(createHash('sha256').update(code).digest())
})
