import { describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import {
  createSigningSecret,
  standardWebhooksHeaders,
  standardWebhooksKey,
} from '../../src/webhooks/signature.ts'

const body = '{"id":"evt","data":{"primary_domain":"bücher.example"}}'
const eventId = '0190a3b0-7c1e-7d2a-9b7e-0a4f5c6d7e8f'
const unixSeconds = Math.floor(Date.now() / 1_000)

/** The headers that an endpoint with these secrets gets. */
const headersBy = (secrets: readonly string[]) =>
  standardWebhooksHeaders({
    body,
    eventId,
    unixSeconds,
    keys: secrets.map((secret) => standardWebhooksKey(secret)!),
  })

describe('the key of a signing secret', () => {
  test('is the 32 bytes that its base64 encodes', () => {
    const bytes = Buffer.alloc(32, 0xfb)
    expect(standardWebhooksKey(`whsec_${bytes.toString('base64')}`)).toEqual(bytes)
  })

  test('exists for every new secret', () => {
    for (let times = 0; times < 200; times++) {
      expect(standardWebhooksKey(createSigningSecret())).toHaveLength(32)
    }
  })

  test.each([
    ['base64url without padding', `whsec_${Buffer.alloc(32, 0xfb).toString('base64url')}`],
    ['base64 without padding', `whsec_${Buffer.alloc(32, 1).toString('base64').slice(0, -1)}`],
    ['31 bytes', `whsec_${Buffer.alloc(31).toString('base64')}`],
    ['33 bytes', `whsec_${Buffer.alloc(33).toString('base64')}`],
    ['no prefix', Buffer.alloc(32).toString('base64')],
    ['other characters', `whsec_${'-'.repeat(43)}=`],
    ['a digit that carries too many bits', `whsec_${'A'.repeat(42)}B=`],
  ])('does not exist for %s', (_what, secret) => {
    expect(standardWebhooksKey(secret)).toBeUndefined()
  })
})

describe('the headers', () => {
  test('match openssl', () => {
    // printf '%s' "evt.1764000000.{}" | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101…01 -binary | base64
    const headers = standardWebhooksHeaders({
      body: '{}',
      eventId: 'evt',
      unixSeconds: 1_764_000_000,
      keys: [Buffer.alloc(32, 1)],
    })
    expect(headers).toEqual({
      'webhook-id': 'evt',
      'webhook-timestamp': '1764000000',
      'webhook-signature': 'v1,ABX1k2PaPwqNaXQtFVYHtWuKLS74zJ/IvwQm4GQtWsY=',
    })
  })

  test('have one v1 per secret, in their order, separated by spaces', () => {
    const secrets = Array.from({ length: 10 }, createSigningSecret)
    const single = secrets.map((secret) => headersBy([secret])['webhook-signature'])
    expect(headersBy(secrets)['webhook-signature']).toBe(single.join(' '))
  })

  test('are verified by the standardwebhooks package with any valid secret', () => {
    const secrets = [createSigningSecret(), createSigningSecret()]
    const headers = headersBy(secrets)
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    }
  })

  test('are refused by it with another secret, another body and another id', () => {
    const secret = createSigningSecret()
    const headers = headersBy([secret])
    expect(() => new Webhook(createSigningSecret()).verify(body, headers)).toThrow(/signature/i)
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow(/signature/i)
    const other = { ...headers, 'webhook-id': 'other' }
    expect(() => new Webhook(secret).verify(body, other)).toThrow(/signature/i)
  })
})
