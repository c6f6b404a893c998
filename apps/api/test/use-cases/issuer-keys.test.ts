import { processClock } from '@hosting/core/clock'
import { createAddressPolicy, parseNetwork } from '@hosting/core/network'
import {
  issuerCacheMs,
  issuerDocumentBytesMax,
  issuerFailureCacheMs,
  issuerReadAgainMs,
  issuerReadTimeoutMs,
  readIdentityToken,
} from '@hosting/core/workloads'
import { createJsonReader, createResolver } from '@hosting/process'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { startIssuer, type Issuer } from '../../../../test/support/issuer.ts'
import type { Reply } from '../../../../test/support/receiver.ts'
import { createIssuerKeys, IssuerUnreachable } from '../../src/use-cases/issuer-keys.ts'

const policy = createAddressPolicy({ own: [], allowed: [parseNetwork('127.0.0.0/8')] })
const reader = createJsonReader(policy, createResolver())

let issuer: Issuer
/** The reply to requests for the key set. `undefined`: the keys. */
let reply: Reply | undefined
/** Runs before each reply to a request for the key set. */
let beforeReply: () => void

beforeEach(async () => {
  reply = undefined
  beforeReply = () => undefined
  issuer = await startIssuer(({ path }) => {
    if (path !== '/keys') return undefined
    beforeReply()
    return reply
  })
})
afterEach(() => issuer.close())

/** The cache of a process, with a clock that the test moves. */
function start() {
  let time = 1_000_000
  const pass = (ms: number) => void (time += ms)
  return { pass, ...startWith({ now: () => time }) }
}

/** The cache of a process, with its own clock by default. */
function startWith(options: { now?: () => number }) {
  const keys = createIssuerKeys(reader, { onRead: () => undefined, ...options })
  return {
    /** The ids of the issuer's keys, for a token that it has signed. */
    async get(token = issuer.sign({})): Promise<unknown[]> {
      const unverified = readIdentityToken(token)!
      const found = await keys.get({ issuer: issuer.url, tenantId: 'tenant', unverified })
      return found.keys.map(({ kid }) => kid)
    },
    /** How often both documents were requested. */
    reads: () => issuer.requests.length / 2,
  }
}

/** Moves the clock of this process, as a jump of the database's clock does. */
function moveProcessClock(ms: number): void {
  const wallMs = processClock.readWallMs()
  const referenceMs = processClock.nowMs() + ms
  processClock.adjust({ sentMs: wallMs, receivedMs: wallMs, referenceMs })
}

describe('the keys of an issuer', () => {
  test('are cached for 10 minutes', async () => {
    const { get, pass, reads } = start()
    await Promise.all([get(), get(), get()])
    pass(issuerCacheMs - 1)
    await get()
    expect(reads()).toBe(1)
    pass(1)
    await get()
    expect(reads()).toBe(2)
  })

  test('are read again for an unknown key id, once in 30 seconds, and concurrent lookups wait for it', async () => {
    const { get, pass, reads } = start()
    const [first] = await get()
    issuer.rotateKey()
    const [[second], ...others] = await Promise.all([get(), get(), get()])
    expect(second).not.toBe(first)
    expect(others).toEqual([[second], [second]])
    expect(reads()).toBe(2)
    issuer.rotateKey()
    pass(issuerReadAgainMs - 1)
    expect(await get()).toEqual([second])
    expect(reads()).toBe(2)
    pass(1)
    expect(await get()).not.toEqual([second])
    expect(reads()).toBe(3)
  })

  test('remain known while the issuer fails, but not for an unknown key id', async () => {
    const { get, pass } = start()
    const old = issuer.sign({})
    const known = await get(old)
    issuer.rotateKey()
    reply = { status: 500 }
    await expect(get()).rejects.toThrow(IssuerUnreachable)
    expect(await get(old)).toEqual(known)
    reply = undefined
    pass(issuerReadAgainMs)
    expect(await get()).not.toEqual(known)
  })

  test('are read again 5 seconds after a failure', async () => {
    const { get, pass } = start()
    reply = { status: 500 }
    await expect(get()).rejects.toThrow(IssuerUnreachable)
    reply = undefined
    pass(issuerFailureCacheMs - 1)
    await expect(get()).rejects.toThrow(IssuerUnreachable)
    pass(1)
    expect(await get()).toHaveLength(1)
  })

  test('are read again 5 seconds after a failure, however long the failed read took', async () => {
    const { get, pass, reads } = start()
    reply = { status: 500 }
    beforeReply = () => pass(issuerReadTimeoutMs)
    await expect(get()).rejects.toThrow(IssuerUnreachable)
    pass(issuerFailureCacheMs - 1)
    await expect(get()).rejects.toThrow(IssuerUnreachable)
    expect(reads()).toBe(1)
    pass(1)
    await expect(get()).rejects.toThrow(IssuerUnreachable)
    expect(reads()).toBe(2)
  })

  test("are cached for 10 minutes, even if the database's clock jumps", async () => {
    const { get, reads } = startWith({})
    await get()
    moveProcessClock(issuerCacheMs)
    try {
      await get()
    } finally {
      moveProcessClock(-issuerCacheMs)
    }
    expect(reads()).toBe(1)
  })

  test('may have 64 KiB', async () => {
    const sized = (bytes: number) => ({ status: 200, body: '{"keys":[]}'.padEnd(bytes) })
    reply = sized(issuerDocumentBytesMax)
    expect(await start().get()).toEqual([])
    reply = sized(issuerDocumentBytesMax + 1)
    await expect(start().get()).rejects.toThrow(IssuerUnreachable)
  })

  test.each<[string, Reply]>([
    ['a redirect', { status: 302, headers: { location: '/.well-known/openid-configuration' } }],
    ['no content', { status: 204 }],
    ['a broken connection', 'reset'],
    ['no JSON', { status: 200, body: 'keys' }],
    ['null', { status: 200, body: 'null' }],
    ['no keys', { status: 200, body: '{}' }],
    ['a key that is no object', { status: 200, body: '{"keys":[null]}' }],
  ])('cannot be read if the key set is %s', async (_what, given) => {
    reply = given
    await expect(start().get()).rejects.toThrow(IssuerUnreachable)
  })

  test('cannot be read if the issuer does not respond within 5 seconds', async () => {
    reply = 'hang'
    await expect(start().get()).rejects.toThrow(IssuerUnreachable)
  })
})
