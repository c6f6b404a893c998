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
}

const unlimited: KeyReach = {
  kind: 'personal',
  scopes: ['*'],
  expiresAt: null,
  allowlist: null,
  rateLimitPerMinute: 600,
}

describe('of a limited caller', () => {
  test.each<[what: string, change: Partial<KeyReach>]>([
    ['itself', {}],
    ['a key of the organization', { kind: 'organization' }],
    ['fewer scopes', { scopes: ['dns:read'] }],
    ['no scopes', { scopes: [] }],
    ['the read scope of a write scope', { scopes: ['sites:read', 'apikeys:read'] }],
    ['a sooner end', { expiresAt: at(-1) }],
    ['a narrower list', { allowlist: list('10.1.0.0/16') }],
    ['a lower limit', { rateLimitPerMinute: 59 }],
  ])('%s is no wider', (_what, change) => {
    expect(widerAspect(limited, { ...limited, ...change })).toBeUndefined()
  })

  test.each<[what: string, aspect: string, change: Partial<KeyReach>]>([
    ['a further scope', 'scopes', { scopes: ['dns:read', 'mail:read'] }],
    ['the write scope of a read scope', 'scopes', { scopes: ['dns:write'] }],
    ['`*:read`', 'scopes', { scopes: ['*:read'] }],
    ['`*`', 'scopes', { scopes: ['*'] }],
    ['a later end by 1 ms', 'expires_at', { expiresAt: at(1) }],
    ['no end', 'expires_at', { expiresAt: null }],
    ['a wider network', 'ip_allowlist', { allowlist: list('10.0.0.0/7') }],
    ['another address', 'ip_allowlist', { allowlist: list('10.0.0.1', '11.0.0.1') }],
    ['no list', 'ip_allowlist', { allowlist: null }],
    ['a higher limit by 1', 'rate_limit_per_minute', { rateLimitPerMinute: 61 }],
  ])('%s is wider by %s', (_what, aspect, change) => {
    expect(widerAspect(limited, { ...limited, ...change })).toBe(aspect)
  })
})

describe('of an unlimited caller', () => {
  test('nothing is wider', () => {
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

describe('of a key of the organization', () => {
  const organization: KeyReach = { ...unlimited, kind: 'organization' }

  test('a personal key is wider, however narrow', () => {
    expect(widerAspect(organization, { ...limited, scopes: [] })).toBe('kind')
  })

  test('another of the organization is not', () => {
    expect(widerAspect(organization, organization)).toBeUndefined()
  })
})
