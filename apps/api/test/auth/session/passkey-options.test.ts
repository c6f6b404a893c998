import { describe, expect, test } from '@jest/globals'
import { hash } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { freshAddress } from '../../support/addresses.ts'
import { withPasskeys } from '../../support/passkeys.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'

const api = useApi(withPasskeys)
const byAddress = useApi({ ...withPasskeys, PUBLIC_URL: 'http://127.0.0.1:8080' })
const path = '/auth/session/passkey-options'

const ask = (ip = freshAddress(), options = {}) =>
  api.call('post', path, { headers: { 'x-forwarded-for': ip }, ...options })

describe('POST /auth/session/passkey-options', () => {
  test('200 returns options for the host of PUBLIC_URL without credentials, and stores no challenge', async () => {
    const { status, body } = await ask()
    expect(status).toBe(200)
    expect(body).toEqual({
      options: {
        rpId: 'localhost',
        challenge: expect.stringMatching(/^[\w-]{75}$/),
        timeout: 300_000,
        userVerification: 'required',
      },
    })
    const challenge = Buffer.from(body.options.challenge as string, 'base64url')
    const nonceHash = Uint8Array.from(hash('sha256', challenge, 'buffer'))
    const stored = api.database.prisma.usedNonce.findUnique({ where: { nonceHash } })
    expect(await stored).toBeNull()
  })

  test('each challenge is different', async () => {
    const [first, second] = [await ask(), await ask()]
    expect(first.body.options.challenge).not.toBe(second.body.options.challenge)
  })

  test('429 rate_limited with Retry-After after 10 requests in a minute from an IPv6 /64', async () => {
    const ip = freshAddress()
    for (let count = 0; count < 10; count++) expect((await ask(ip)).status).toBe(200)
    const refused = await ask(ip.replace(/::1$/, '::2'))
    expect(refusalOf(refused)).toEqual({ status: 429, code: 'rate_limited' })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await ask()).status).toBe(200)
  })

  test('409 conflict if the host of PUBLIC_URL is an IP address', async () => {
    const headers = { 'x-forwarded-for': freshAddress() }
    expect(refusalOf(await byAddress.call('post', path, { headers }))).toEqual({
      status: 409,
      code: 'conflict',
    })
  })

  test('422 for an unknown member', async () => {
    expect(refusalOf(await ask(freshAddress(), { body: { email: 'ana@example.test' } }))).toEqual(
      invalid('/email'),
    )
  })
})

describe('GET /sign-in', () => {
  const show = async (ip: string) => {
    const response = await fetch(`${api.url}/sign-in`, { headers: { 'x-forwarded-for': ip } })
    const text = await response.text()
    return { status: response.status, offers: text.includes('Sign in with a passkey') }
  }

  test('counts its challenges like the API: over the limit, the page does not offer passkeys', async () => {
    const ip = freshAddress()
    for (let count = 0; count < 5; count++) {
      expect(await show(ip)).toEqual({ status: 200, offers: true })
      expect((await ask(ip)).status).toBe(200)
    }
    const sameNetwork = ip.replace(/::1$/, '::2')
    expect(await show(sameNetwork)).toEqual({ status: 200, offers: false })
    expect((await ask(ip)).status).toBe(429)
    expect(await show(freshAddress())).toEqual({ status: 200, offers: true })
  })

  test('parallel requests of an address get at most 10 challenges', async () => {
    const ip = freshAddress()
    const pages = await Promise.all(Array.from({ length: 20 }, () => show(ip)))
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(pages.filter(({ offers }) => offers)).toHaveLength(10)
  })
})
