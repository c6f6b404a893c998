import { processClock } from '@hosting/core/clock'
import { createAddressPolicy, parseNetwork } from '@hosting/core/network'
import {
  issuerCacheMs,
  issuerDocumentBytesMax,
  issuerFailureCacheMs,
  issuerFailureCacheMsMax,
  issuerKeysKeptMs,
  issuerReadAgainMs,
  issuerReadTimeoutMs,
  readIdentityToken,
} from '@hosting/core/workloads'
import { createJsonReader, createResolver } from '@hosting/process'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { makeCertificates } from '../../../../test/support/certificates.ts'
import { startIssuer, type Issuer } from '../../../../test/support/issuer.ts'
import { startReceiver, type Reply } from '../../../../test/support/receiver.ts'
import { createIssuerKeys, IssuerUnreachable } from '../../src/api/issuers/issuer-keys.ts'

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
      return found.map(({ kid }) => kid)
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

  test('are read again 5 seconds after a failure, and twice as late after each further one, up to a minute', async () => {
    const { get, pass, reads } = start()
    reply = { status: 500 }
    await expect(get()).rejects.toMatchObject({ retryInMs: issuerFailureCacheMs })
    for (const seconds of [5, 10, 20, 40, 60, 60]) {
      const before = reads()
      pass(seconds * 1_000 - 1)
      await expect(get()).rejects.toThrow(IssuerUnreachable)
      expect(reads()).toBe(before)
      pass(1)
      await expect(get()).rejects.toThrow(IssuerUnreachable)
      expect(reads()).toBe(before + 1)
    }
    pass(issuerFailureCacheMsMax)
    reply = undefined
    expect(await get()).toHaveLength(1)
    reply = { status: 500 }
    pass(issuerCacheMs + issuerKeysKeptMs)
    await expect(get()).rejects.toMatchObject({ retryInMs: issuerFailureCacheMs })
  })

  test('live on for an hour after their read while reads fail', async () => {
    const { get, pass, reads } = start()
    const token = issuer.sign({})
    const known = await get(token)
    reply = { status: 500 }
    pass(issuerCacheMs)
    expect(await get(token)).toEqual(known)
    expect(reads()).toBe(2)
    pass(issuerKeysKeptMs - issuerCacheMs - 1)
    expect(await get(token)).toEqual(known)
    pass(1)
    await expect(get(token)).rejects.toThrow(IssuerUnreachable)
  })

  test('of an issuer that flaps are the last ones that were read', async () => {
    const { get, pass } = start()
    for (let round = 0; round < 3; round++) {
      reply = undefined
      issuer.rotateKey()
      const token = issuer.sign({})
      const known = await get(token)
      reply = 'reset'
      pass(issuerCacheMs)
      expect(await get(token)).toEqual(known)
      pass(issuerReadAgainMs)
    }
  })

  test('that are published during a read are found by another one', async () => {
    const { get, reads } = start()
    beforeReply = () => {
      beforeReply = () => undefined
      issuer.rotateKey()
    }
    await get()
    issuer.rotateKey()
    expect(await get()).toHaveLength(1)
    expect(reads()).toBe(2)
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

  test.each<[string, string]>([
    [
      'a key set that is nested 30,000 deep',
      `{"keys":[${'['.repeat(30_000)}${']'.repeat(30_000)}]}`,
    ],
    [
      'a configuration instead of keys',
      `{"issuer":"x","keys":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`,
    ],
  ])('cannot be read if the issuer publishes %s', async (_what, body) => {
    reply = { status: 200, body }
    await expect(start().get()).rejects.toThrow(IssuerUnreachable)
  })
})

test.each([
  [
    'has expired',
    { addresses: ['127.0.0.1'], selfSigned: true, notAfterDate: new Date(Date.now() - 60_000) },
  ],
  ['is self-signed', { addresses: ['127.0.0.1'], selfSigned: true }],
  ['is from an unknown authority', { addresses: ['127.0.0.1'] }],
])(
  'an issuer whose certificate %s cannot be read, and the error says so',
  async (what, options) => {
    const receiver = await startReceiver({ tls: await makeCertificates(options) })
    const errors: unknown[] = []
    const keys = createIssuerKeys(reader, { onRead: (_issuer, error) => errors.push(error) })
    const url = `https://127.0.0.1:${receiver.port}`
    const unverified = readIdentityToken(issuer.sign({}))!
    await expect(keys.get({ issuer: url, tenantId: 'tenant', unverified })).rejects.toThrow(
      `The issuer ${url} cannot be read: the certificate ${what}.`,
    )
    expect(errors).toMatchObject([{ message: expect.stringContaining(what) }])
    await receiver.close()
  },
)
