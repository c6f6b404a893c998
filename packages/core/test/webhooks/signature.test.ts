import { describe, expect, test } from '@jest/globals'
import { createHmac } from 'node:crypto'
import { Stripe } from 'stripe'
import {
  createSigningSecret,
  signatureHeader,
  signingSecretContext,
  signingSecretPrefix,
} from '../../src/webhooks/signature.ts'

const stripe = new Stripe('sk_test_unused')
const body = Buffer.from('{"id":"evt","data":{"primary_domain":"bücher.example"}}')
const newest = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const older = 'whsec_older'

describe('a signing secret', () => {
  const secrets = Array.from({ length: 200 }, createSigningSecret)

  test('has the prefix and 32 random bytes in standard base64 with padding', () => {
    expect(signingSecretPrefix).toBe('whsec_')
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32)
    }
  })

  test('is unique', () => expect(new Set(secrets).size).toBe(secrets.length))

  test('has the context of its record', () => {
    expect(signingSecretContext('1')).not.toBe(signingSecretContext('2'))
  })
})

describe('the header', () => {
  test('matches openssl', () => {
    // printf '%s' "1764000000.$body" | openssl dgst -sha256 -hmac "$secret"
    expect(signatureHeader(body, [newest, older], 1_764_000_000)).toBe(
      't=1764000000,' +
        'v1=0000265410c42410be8ed80b2b8832cd049d199898c7d69fdab37bd4e7f7f540,' +
        'v1=57a17bfd6a156d002a4d71e2bc381e900ee5551ada6556a235745a2fd64b12ed',
    )
  })

  test('is keyed with the whole secret, including the prefix, as UTF-8', () => {
    const secret = 'whsec_ключ'
    const expected = createHmac('sha256', Buffer.from(secret, 'utf8'))
      .update(Buffer.concat([Buffer.from('1.'), body]))
      .digest('hex')
    expect(signatureHeader(body, [secret], 1)).toBe(`t=1,v1=${expected}`)
  })

  test('signs bytes, even if they are not text', () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe])
    const expected = createHmac('sha256', newest)
      .update(Buffer.concat([Buffer.from('7.'), bytes]))
      .digest('hex')
    expect(signatureHeader(bytes, [newest], 7)).toBe(`t=7,v1=${expected}`)
  })

  test('has one v1 per secret, in the order of the secrets', () => {
    const secrets = Array.from({ length: 10 }, createSigningSecret)
    const single = secrets.map((secret) => signatureHeader(body, [secret], 5).slice('t=5,'.length))
    expect(signatureHeader(body, secrets, 5)).toBe(['t=5', ...single].join(','))
  })
})

describe('a receiver that verifies with the stripe package', () => {
  const now = 1_795_176_000
  const verify = (payload: string | Buffer, header: string, secret: string): unknown =>
    stripe.webhooks.constructEvent(payload, header, secret, undefined, undefined, now * 1_000)

  test('accepts the signed body', () => {
    const header = signatureHeader(body, [newest], now)
    expect(verify(body, header, newest)).toEqual(JSON.parse(body.toString()))
    expect(verify(body.toString(), header, newest)).toEqual(JSON.parse(body.toString()))
  })

  test('accepts either secret during a rotation', () => {
    const header = signatureHeader(body, [newest, older], now)
    expect(verify(body, header, newest)).toBeDefined()
    expect(verify(body, header, older)).toBeDefined()
  })

  test('refuses another secret', () => {
    const header = signatureHeader(body, [newest, older], now)
    expect(() => verify(body, header, createSigningSecret())).toThrow(/signature/i)
  })

  test('refuses a changed body', () => {
    const header = signatureHeader(body, [newest], now)
    expect(() => verify(`${body.toString()} `, header, newest)).toThrow(/signature/i)
  })

  test('refuses a changed time', () => {
    const header = signatureHeader(body, [newest], now).replace(`t=${now}`, `t=${now - 1}`)
    expect(() => verify(body, header, newest)).toThrow(/signature/i)
  })

  test('refuses a signature older than five minutes', () => {
    expect(() => verify(body, signatureHeader(body, [newest], now - 301), newest)).toThrow(
      /tolerance/,
    )
    expect(verify(body, signatureHeader(body, [newest], now - 300), newest)).toBeDefined()
  })
})
