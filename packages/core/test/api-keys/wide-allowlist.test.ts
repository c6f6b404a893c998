import { describe, expect, test } from '@jest/globals'
import { isWideAllowlist } from '../../src/api-keys/allowlist.ts'

/** The eight /35 of a /32. */
const eighths = ['0', '2', '4', '6', '8', 'a', 'c', 'e'].map((digit) => `2001:db8:${digit}000::/35`)

describe('an IP allowlist that admits more than a /8 or a /32 is wide', () => {
  test.each<[entries: string[]]>([
    [['0.0.0.0/0']],
    [['10.0.0.0/7']],
    [['10.0.0.0/8', '192.0.2.1']],
    [['10.0.0.0/8', '10.0.0.0/9', '12.0.0.0/32']],
    [['10.0.0.0/9', '10.128.0.0/9', '192.0.2.0/24']],
    [['1.0.0.0/8', '2.0.0.0/7', '4.0.0.0/6', '128.0.0.0/1']],
    [['::ffff:10.0.0.0/103']],
    [['0:0:0:0:0:FFFF:a00:0/104', '192.0.2.1']],
    [['2000::/3']],
    [['2001:db8::/32', '2001:db9::1']],
    [['2001:db8::/33', '2001:db8:8000::/33', '2001:db9::/128']],
    [['203.0.113.7', '2001:da8::/31']],
    [[...eighths, '2001:db9::/128']],
  ])('%j', (entries) => {
    expect(isWideAllowlist(entries)).toBe(true)
  })
})

describe('an IP allowlist that admits at most a /8 and a /32 is not wide', () => {
  test.each<[entries: string[] | null]>([
    [null],
    [[]],
    [['203.0.113.7', '2001:db8::1']],
    [['10.0.0.0/8', '10.1.0.0/16', '10.0.0.0/8', '10.2.3.4', '2001:db8::/32', '2001:db8:1::/48']],
    [['10.0.0.0/9', '10.128.0.0/9']],
    [['::ffff:10.0.0.0/104', '10.0.0.0/8']],
    [['2001:db8::/33', '2001:db8:8000::/33']],
    [eighths],
    [Array.from({ length: 100 }, (_, index) => `10.${index}.0.0/16`)],
  ])('%j', (entries) => {
    expect(isWideAllowlist(entries)).toBe(false)
  })
})
