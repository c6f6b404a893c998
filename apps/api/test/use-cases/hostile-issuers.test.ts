import {
  bytesOfKeys,
  failedIssuerReadLimit,
  issuerCacheBytes,
  issuerReadTurns,
  readIdentityToken,
} from '@hosting/core/workloads'
import type { JsonReader } from '@hosting/process'
import { describe, expect, test } from '@jest/globals'
import { createIssuerKeys, IssuerUnreachable } from '../../src/api/issuers/issuer-keys.ts'

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const unverified = readIdentityToken(`${encode({ alg: 'RS256', kid: 'a' })}.e30.AA`)!
const key = { kty: 'RSA', kid: 'a', n: 'n'.repeat(342), e: 'AQAB' }
/** 64 KiB of members that take 1.5 MB of heap once they are parsed. */
const hostileKeys = { keys: [key, ...Array.from({ length: 21_000 }, () => ({}))] }

const shared = 'https://shared.example'
const isShared = (url: string) => new URL(url).hostname === 'shared.example'

/** Issuers of which each responds as `respond` says. Hanging reads end when the test releases them. */
function start(respond: (url: string) => unknown) {
  let time = 0
  const requests: { url: string; lookupsOf: string }[] = []
  const reader: JsonReader = {
    async read(url, { lookupsOf }) {
      requests.push({ url, lookupsOf })
      if (!url.endsWith('/keys')) {
        const issuer = url.replace('/.well-known/openid-configuration', '')
        return { issuer, jwks_uri: `${issuer}/keys` }
      }
      return respond(url)
    },
    close: () => undefined,
  }
  const keys = createIssuerKeys(reader, { onRead: () => undefined, now: () => time })
  return {
    requests,
    pass: (ms: number) => void (time += ms),
    get: (tenantId: string, issuer: string) => keys.get({ tenantId, issuer, unverified }),
  }
}

const attackers = Array.from({ length: 500 }, (_, index) => `https://host-${index}.example`)

describe('hostile issuers', () => {
  test('of one organization, which never respond, do not stop another one from reading a shared issuer', async () => {
    const hanging = Promise.withResolvers<never>()
    const { get, requests } = start((url) => (isShared(url) ? { keys: [key] } : hanging.promise))
    const attack = attackers.map((issuer) => get('attacker', issuer))
    const attacked = Promise.allSettled([...attack, get('attacker', shared)])
    expect(await get('victim', shared)).toHaveLength(1)
    const hosts = new Set(requests.map(({ lookupsOf }) => lookupsOf))
    expect(hosts.size).toBeLessThanOrEqual(issuerReadTurns.perKey + 1)
    expect(hosts).toContain('shared.example')
    hanging.reject(new Error('timeout'))
    await attacked
  })

  test('of one organization cause a limited number of failed reads, which count for no other one', async () => {
    const { get, requests } = start((url) => {
      if (isShared(url)) return { keys: [key] }
      throw new Error('refused')
    })
    for (const issuer of attackers) {
      await expect(get('attacker', issuer)).rejects.toThrow(IssuerUnreachable)
    }
    expect(requests).toHaveLength(2 * failedIssuerReadLimit.max)
    await expect(get('attacker', shared)).rejects.toThrow(IssuerUnreachable)
    expect(await get('victim', shared)).toHaveLength(1)
    expect(await get('attacker', shared)).toHaveLength(1)
  })

  test('a failed read that one organization caused is repeated for another one after 5 seconds', async () => {
    let isDown = true
    const { get, pass } = start(() => {
      if (isDown) throw new Error('refused')
      return { keys: [key] }
    })
    await expect(get('attacker', shared)).rejects.toThrow(IssuerUnreachable)
    isDown = false
    pass(5_000)
    expect(await get('victim', shared)).toHaveLength(1)
  })

  test('that publish 64 KiB of useless members leave only what is usable', async () => {
    const { get } = start(() => hostileKeys)
    const kept = await get('attacker', attackers[0]!)
    expect(kept).toEqual([key])
    expect(bytesOfKeys(kept)).toBeLessThan(2_000)
  })

  test('of many organizations stay within the memory of the cache', async () => {
    const modulus = 'n'.repeat(1_366)
    const many = {
      keys: Array.from({ length: 60 }, (_, index) => ({ ...key, kid: `${index}`, n: modulus })),
    }
    const token = readIdentityToken(`${encode({ alg: 'RS256', kid: '0' })}.e30.AA`)!
    let reads = 0
    const reader: JsonReader = {
      async read(url) {
        reads += 1
        const issuer = url.replace('/.well-known/openid-configuration', '')
        return url.endsWith('/keys') ? many : { issuer, jwks_uri: `${issuer}/keys` }
      },
      close: () => undefined,
    }
    const keys = createIssuerKeys(reader, { onRead: () => undefined })
    const read = (tenantId: string, issuer: string) =>
      keys.get({ tenantId, issuer, unverified: token })
    const [first] = [await read('victim', shared)]
    for (let index = 0; index < 300; index++) {
      await read(`attacker ${index % 30}`, `https://host-${index}.example`)
    }
    const before = reads
    expect(await read('victim', shared)).toBe(first)
    expect(reads).toBe(before)
    expect(issuerCacheBytes.total).toBeLessThan(300 * 50 * 2 * modulus.length)
  })
})
