import { addressGroup } from '@hosting/core/network'
import { exchangeLimit, liveTokensMax, refusedExchangeLimit } from '@hosting/core/workloads'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { startIssuer } from '../../../../test/support/issuer.ts'
import { freshAddress } from '../support/addresses.ts'
import { behindProxy } from '../support/device.ts'
import {
  exchange,
  makeWorkloadKey,
  problemOf,
  useIssuer,
  workloadsOf,
} from '../support/workloads.ts'

const api = useApi(behindProxy)
const other = useApi(behindProxy)
const issuer = useIssuer()

const { makeKey, tokenFor, exchangesOf } = workloadsOf(api, issuer)
const statusWith = async (token: string, at = api): Promise<number> =>
  (await at.call('get', '/auth/me', { token })).status

/** Adds valid tokens to a key, as exchanges do. */
const addTokens = (keyId: string, count: number) =>
  api.database.pool.query(
    `INSERT INTO api_key_secrets (id, key_id, hash, expires_at)
     SELECT uuid_v7(), $1, sha256(n::text::bytea), now() + interval '10 min' FROM generate_series(1, $2::int) n`,
    [keyId, count],
  )

/** Counts calls, as requests do. */
const countCalls = (operation: string, caller: string, count: number) =>
  api.database.pool.query(
    `INSERT INTO counted_calls (id, operation, caller, created_at)
     SELECT uuid_v7(), $1, $2, clock_timestamp() FROM generate_series(1, $3::int)`,
    [operation, caller, count],
  )

describe('the limits and issuers of POST /auth/token', () => {
  test("an unknown key id triggers a new read of the issuer's keys, at most once in 30 seconds", async () => {
    const own = await startIssuer()
    try {
      const key = await makeWorkloadKey(api, own)
      const tokenOf = () => own.sign({ aud: key.audience, repository_id: '1234' })
      const exchangeThree = () =>
        Promise.all([1, 2, 3].map(async () => (await exchange(api, tokenOf())).status))
      expect(await exchangeThree()).toEqual([200, 200, 200])
      expect(own.requests).toHaveLength(2)
      own.rotateKey()
      expect(await exchangeThree()).toEqual([200, 200, 200])
      expect(own.requests).toHaveLength(4)
      own.rotateKey()
      expect(await exchangeThree()).toEqual([400, 400, 400])
      expect(own.requests).toHaveLength(4)
    } finally {
      await own.close()
    }
  })

  test.each([
    ['an error', { status: 500 }],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1/' } }],
    ['no JSON', { status: 200, body: '<html>' }],
    ['too much', { status: 200, body: JSON.stringify({ a: 'x'.repeat(70_000) }) }],
    [
      'another issuer',
      {
        status: 200,
        body: JSON.stringify({
          issuer: 'https://other.example',
          jwks_uri: 'https://other.example/',
        }),
      },
    ],
  ])(
    '503 if the issuer responds with %s, and the identity token remains usable',
    async (_what, reply) => {
      const own = await startIssuer()
      try {
        const key = await makeWorkloadKey(api, own)
        own.respondWith(reply)
        const token = own.sign({ aud: key.audience, repository_id: '1234' })
        const refused = await exchange(api, token)
        expect(problemOf(refused)).toMatchObject({ status: 503, code: 'service_unavailable' })
        expect(refused.headers['retry-after']).toBeDefined()
        own.respondWith(undefined)
        expect((await exchange(other, token)).status).toBe(200)
        expect(await exchangesOf(key)).toMatchObject([
          { outcome: 'refused', details: { cause: 'unreachable' } },
          { outcome: 'success' },
        ])
      } finally {
        await own.close()
      }
    },
  )

  test('503 for an issuer in a network that outgoing requests may not reach', async () => {
    const key = await makeKey({
      workload: { issuer: 'http://192.0.2.1', conditions: { repository_id: '1234' } },
    })
    const token = tokenFor(key, { iss: 'http://192.0.2.1' })
    expect(problemOf(await exchange(api, token))).toMatchObject({ status: 503 })
  })

  test(`429 after ${refusedExchangeLimit.max} refused exchanges from an address, over all processes`, async () => {
    const ip = freshAddress()
    const all = await Promise.all(
      Array.from({ length: refusedExchangeLimit.max + 6 }, (_, index) =>
        exchange(index % 2 ? api : other, 'nonsense', { ip }),
      ),
    )
    const statuses = all.map(({ status }) => status)
    expect(statuses.filter((status) => status === 400)).toHaveLength(refusedExchangeLimit.max)
    expect(statuses.filter((status) => status === 429)).toHaveLength(6)
    const key = await makeKey()
    const token = tokenFor(key)
    const limited = await exchange(api, token, { ip })
    expect(limited.status).toBe(429)
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0)
    expect((await exchange(api, token)).status).toBe(200)
  })

  test(`429 for more than ${liveTokensMax} valid tokens of a key; the identity token remains usable, and expired tokens do not count`, async () => {
    const key = await makeKey()
    const first = (await exchange(api, tokenFor(key))).body.access_token as string
    await addTokens(key.id, liveTokensMax - 1)
    const token = tokenFor(key)
    expect((await exchange(api, token)).status).toBe(429)
    expect(await statusWith(first)).toBe(200)
    await api.database.pool.query(
      `UPDATE api_key_secrets SET expires_at = now() WHERE id = (
         SELECT id FROM api_key_secrets WHERE key_id = $1 AND hash = sha256('1'))`,
      [key.id],
    )
    expect((await exchange(api, token)).status).toBe(200)
  })

  test('a 429 is audited once a minute for the key that the token names, whoever caused it', async () => {
    const key = await makeKey()
    await addTokens(key.id, liveTokensMax)
    const limited = { outcome: 'refused', reason: 'rate_limited', actorType: 'anonymous' }
    for (let count = 0; count < 3; count++) {
      expect((await exchange(api, tokenFor(key))).status).toBe(429)
    }
    expect(await exchangesOf(key)).toMatchObject([limited])
    expect((await exchangesOf(key))[0]!.details).toEqual({
      issuer: issuer.url,
      subject: 'repo:acme/site:ref:refs/heads/main',
    })
    const named = await makeKey()
    const ip = freshAddress()
    await countCalls('auth.token.refused', addressGroup(ip), refusedExchangeLimit.max)
    expect((await exchange(api, tokenFor(named), { ip })).status).toBe(429)
    expect(await exchangesOf(named)).toMatchObject([limited])
  })

  test('race: of 8 concurrent 429 on two processes, one is audited', async () => {
    const key = await makeKey()
    await addTokens(key.id, liveTokensMax)
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, index) => exchange(index % 2 ? api : other, tokenFor(key))),
    )
    expect(all.map(({ status }) => status)).toEqual(Array(8).fill(429))
    expect(await exchangesOf(key)).toHaveLength(1)
  })

  test(`429 after ${refusedExchangeLimit.max} answers 503 to an address`, async () => {
    const own = await startIssuer()
    try {
      const key = await makeWorkloadKey(api, own)
      own.respondWith({ status: 500 })
      const ip = freshAddress()
      await countCalls('auth.token.refused', addressGroup(ip), refusedExchangeLimit.max - 1)
      const token = own.sign({ aud: key.audience, repository_id: '1234' })
      const unread = await exchange(api, token, { ip })
      expect(problemOf(unread)).toMatchObject({ status: 503 })
      expect(unread.headers['retry-after']).toBe('5')
      expect((await exchange(api, token, { ip })).status).toBe(429)
      expect(own.requests).toHaveLength(1)
    } finally {
      await own.close()
    }
  })

  test('race: of 6 concurrent exchanges on two processes, two get the last two tokens', async () => {
    const key = await makeKey()
    await addTokens(key.id, liveTokensMax - 2)
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, index) => exchange(index % 2 ? api : other, tokenFor(key))),
    )
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 200, 429, 429, 429, 429])
  })

  test(`429 for more than ${exchangeLimit.max} exchanges of a key in a minute`, async () => {
    const key = await makeKey()
    await countCalls('auth.token', key.id, exchangeLimit.max)
    const token = tokenFor(key)
    expect((await exchange(api, token)).status).toBe(429)
    await api.database.pool.query('DELETE FROM counted_calls WHERE caller = $1', [key.id])
    expect((await exchange(api, token)).status).toBe(200)
  })
})
