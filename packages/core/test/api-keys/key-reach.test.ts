import { describe, expect, test } from '@jest/globals'
import { toAllowlist } from '../../src/api-keys/allowlist.ts'
import { widerAspect, type KeyReach } from '../../src/api-keys/key-reach.ts'

const end = new Date('2027-01-01T00:00:00Z')
const at = (ms: number) => new Date(end.getTime() + ms)
const list = (...entries: string[]) => toAllowlist(entries)

const limited: KeyReach = {
  kind: 'personal',
  scopes: ['apikeys:write', 'sites:write', 'dns:read'],
  expiresAt: end,
  allowlist: list('10.0.0.0/8', '2001:db8::/32'),
  rateLimitPerMinute: 60,
  accounts: ['a', 'b'],
}

const unlimited: KeyReach = {
  kind: 'personal',
  scopes: ['*'],
  expiresAt: null,
  allowlist: null,
  rateLimitPerMinute: 600,
  accounts: null,
}

describe('for a limited caller', () => {
  test.each<[what: string, change: Partial<KeyReach>]>([
    ['itself', {}],
    ['an organization key', { kind: 'organization' }],
    ['fewer scopes', { scopes: ['dns:read'] }],
    ['no scopes', { scopes: [] }],
    ['the read scope of a write scope', { scopes: ['sites:read', 'apikeys:read'] }],
    ['an earlier expiry', { expiresAt: at(-1) }],
    ['a narrower list', { allowlist: list('10.1.0.0/16') }],
    ['a lower limit', { rateLimitPerMinute: 59 }],
    ['fewer accounts', { accounts: ['b'] }],
    ['the same accounts in another order', { accounts: ['b', 'a'] }],
  ])('%s is no wider', (_what, change) => {
    expect(widerAspect(limited, { ...limited, ...change })).toBeUndefined()
  })

  test.each<[what: string, aspect: string, change: Partial<KeyReach>]>([
    ['an additional scope', 'scopes', { scopes: ['dns:read', 'mail:read'] }],
    ['the write scope of a read scope', 'scopes', { scopes: ['dns:write'] }],
    ['`*:read`', 'scopes', { scopes: ['*:read'] }],
    ['`*`', 'scopes', { scopes: ['*'] }],
    ['an expiry 1 ms later', 'expires_at', { expiresAt: at(1) }],
    ['no expiry', 'expires_at', { expiresAt: null }],
    ['a wider network', 'ip_allowlist', { allowlist: list('10.0.0.0/7') }],
    ['another address', 'ip_allowlist', { allowlist: list('10.0.0.1', '11.0.0.1') }],
    ['no list', 'ip_allowlist', { allowlist: null }],
    ['another account', 'accounts', { accounts: ['a', 'c'] }],
    ['no limit to accounts', 'accounts', { accounts: null }],
    ['a higher limit by 1', 'rate_limit_per_minute', { rateLimitPerMinute: 61 }],
  ])('%s is wider by %s', (_what, aspect, change) => {
    expect(widerAspect(limited, { ...limited, ...change })).toBe(aspect)
  })
})

describe('for an unlimited caller', () => {
  test('no key is wider', () => {
    for (const target of [unlimited, limited]) {
      for (const kind of ['personal', 'organization'] as const) {
        expect(widerAspect(unlimited, { ...target, kind })).toBeUndefined()
      }
    }
  })

  test('`*:read` covers every read scope, and neither `*` nor a write scope', () => {
    const reader: KeyReach = { ...unlimited, scopes: ['*:read'] }
    const aspectOf = (scopes: KeyReach['scopes']) => widerAspect(reader, { ...reader, scopes })
    expect(aspectOf(['sites:read', '*:read', 'webhooks:read'])).toBeUndefined()
    expect(aspectOf(['sites:write'])).toBe('scopes')
    expect(aspectOf(['*'])).toBe('scopes')
  })
})

describe('for an organization key', () => {
  const organization: KeyReach = { ...unlimited, kind: 'organization' }

  test('even a narrow personal key is wider', () => {
    expect(widerAspect(organization, { ...limited, scopes: [] })).toBe('kind')
  })

  test('another organization key is not', () => {
    expect(widerAspect(organization, organization)).toBeUndefined()
  })
})
