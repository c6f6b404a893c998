import { signatureHeader } from '@hosting/core/webhooks'
import { verifyWebhook, WebhookVerificationError } from '@hosting/sdk'
import { describe, expect, test } from '@jest/globals'
import { Stripe } from 'stripe'

const secret = 'whsec_c2VjcmV0LW9mLXRoZS10ZXN0cw'
const event = {
  id: '0190a3b0-7c1e-7d2a-9b7e-0a4f5c6d7e8f',
  type: 'site.created',
  created_at: '2026-11-20T12:00:00.123Z',
  tenant_id: '5f0c6c2e-0b1d-4c3e-8a9f-1b2c3d4e5f60',
  data: {
    object_type: 'site',
    object_id: 's-1',
    account_id: 'a-1',
    primary_domain: 'bücher.example',
  },
}
const body = JSON.stringify(event)
const t = 1_795_176_000
const now = () => t * 1_000
const v1 = (secretOfIt = secret, bodyOfIt = body, seconds = t) =>
  signatureHeader(Buffer.from(bodyOfIt), [secretOfIt], seconds).split('v1=')[1]!
const header = `t=${t},v1=${v1()}`

const verify = (
  given: Partial<{
    body: string | Uint8Array
    header: string | null | undefined
    secret: string | readonly string[]
    now: () => number | Date
    toleranceSeconds: number
  }> = {},
) => {
  const { toleranceSeconds } = given
  return verifyWebhook(
    given.body ?? body,
    'header' in given ? given.header : header,
    given.secret ?? secret,
    { now: given.now ?? now, ...(toleranceSeconds !== undefined && { toleranceSeconds }) },
  )
}

describe('verifyWebhook', () => {
  test('returns the signed event', async () => {
    expect(await verify()).toEqual(event)
  })

  test('accepts the body as bytes, and as part of a larger buffer', async () => {
    expect(await verify({ body: Buffer.from(body) })).toEqual(event)
    const larger = new TextEncoder().encode(`xx${body}xx`)
    expect(await verify({ body: larger.subarray(2, -2) })).toEqual(event)
  })

  test('agrees with a signature made by openssl', async () => {
    // printf '1795176000.{…}' | openssl dgst -sha256 -hmac 'whsec_known'
    const known = '{"id":"i","type":"t.y","created_at":"c","tenant_id":"n","data":{}}'
    const signature = 'cc272c3596a969183c9c8eb5638bb9cf5bfb6e115bce21a0a1c23dd3e02ac27b'
    const signed = { body: known, header: `t=${t},v1=${signature}`, secret: 'whsec_known' }
    expect(await verify(signed)).toEqual(JSON.parse(known))
  })

  test('agrees with an independent implementation of the scheme', async () => {
    const { webhooks } = new Stripe('unused')
    const made = webhooks.generateTestHeaderString({ payload: body, secret, timestamp: t })
    expect(await verify({ header: made })).toEqual(event)
  })

  test('uses the clock of the machine by default', async () => {
    const seconds = Math.floor(Date.now() / 1_000)
    const fresh = signatureHeader(Buffer.from(body), [secret], seconds)
    expect(await verifyWebhook(body, fresh, secret)).toEqual(event)
    await expect(verifyWebhook(body, header.replace(`${t}`, '1000000000'), secret)).rejects.toThrow(
      WebhookVerificationError,
    )
  })
})

describe('during a rotation', () => {
  const [other, third] = ['whsec_other', 'whsec_third']

  test('any v1 may match, in any position', async () => {
    expect(await verify({ header: `t=${t},v1=${v1(other)},v1=${v1()}` })).toEqual(event)
    expect(await verify({ header: `t=${t},v1=${v1()},v1=${v1(other)}` })).toEqual(event)
    expect(await verify({ header: `v1=${v1(other)},v1=${v1()},t=${t}` })).toEqual(event)
  })

  test('any secret may match', async () => {
    expect(await verify({ secret: [other, secret] })).toEqual(event)
    expect(await verify({ secret: [secret, other] })).toEqual(event)
  })

  test('rejects if no secret matches any v1', async () => {
    const refused = {
      header: `t=${t},v1=${v1(other)},v1=${v1(third)}`,
      secret: [secret, 'whsec_x'],
    }
    await expect(verify(refused)).rejects.toMatchObject({ reason: 'signature_mismatch' })
  })
})

describe('the header', () => {
  const malformed: [what: string, header: string][] = [
    ['a word', 'nonsense'],
    ['only commas', ',,,'],
    ['no t', `v1=${v1()}`],
    ['no v1', `t=${t}`],
    ['an empty t', `t=,v1=${v1()}`],
    ['a t without a value', `t,v1=${v1()}`],
    ['two t', `t=${t},t=${t + 1},v1=${v1()}`],
    ['the same t twice', `t=${t},t=${t},v1=${v1()}`],
    ['a negative t', `t=-${t},v1=${v1()}`],
    ['a t with a sign', `t=+${t},v1=${v1()}`],
    ['a fraction', `t=${t}.0,v1=${v1()}`],
    ['an exponent', `t=1e9,v1=${v1()}`],
    ['a hexadecimal t', `t=0x6b003a40,v1=${v1()}`],
    ['an ISO time', `t=2026-11-20T12:00:00Z,v1=${v1()}`],
    ['a t that is not a number', `t=now,v1=${v1()}`],
    ['a t with a space', `t= ${t},v1=${v1()}`],
    ['digits of another script', `t=١٢٣,v1=${v1()}`],
    ['a line break in t', `t=${t}\n,v1=${v1()}`],
    ['an upper-case T', `T=${t},v1=${v1()}`],
    ['only another scheme', `t=${t},v0=${v1()}`],
    ['a longer scheme name', `t=${t},v10=${v1()}`],
    ['an upper-case scheme', `t=${t},V1=${v1()}`],
    ['a v1 without a value', `t=${t},v1`],
    ['other separators', `t=${t};v1=${v1()}`],
    ['a space before v1', `t=${t}, v1=${v1()}`],
    ['only the signature', v1()],
  ]
  test.each(malformed)('%s is header_malformed', async (_what, given) => {
    await expect(verify({ header: given })).rejects.toMatchObject({
      name: 'WebhookVerificationError',
      reason: 'header_malformed',
    })
  })

  test.each([undefined, null, ''])('%p is header_missing', async (given) => {
    await expect(verify({ header: given })).rejects.toMatchObject({ reason: 'header_missing' })
  })

  const mismatched: [what: string, header: string][] = [
    ['an empty v1', `t=${t},v1=`],
    ['a v1 in upper case', `t=${t},v1=${v1().toUpperCase()}`],
    ['a truncated v1', `t=${t},v1=${v1().slice(0, -2)}`],
    ['a v1 with trailing digits', `t=${t},v1=${v1()}00`],
    ['a v1 with a trailing space', `t=${t},v1=${v1()} `],
    ['a v1 in base64', `t=${t},v1=${Buffer.from(v1(), 'hex').toString('base64')}`],
    ['a v1 that is not hexadecimal', `t=${t},v1=${v1().slice(0, -1)}g`],
    ['a v1 in quotes', `t=${t},v1="${v1()}"`],
    ['a v1 of zeros', `t=${t},v1=${'0'.repeat(64)}`],
    ['a t that was not signed', `t=${t + 1},v1=${v1()}`],
    ['a t with a leading zero', `t=0${t},v1=${v1()}`],
  ]
  test.each(mismatched)('%s is signature_mismatch', async (_what, given) => {
    await expect(verify({ header: given })).rejects.toMatchObject({ reason: 'signature_mismatch' })
  })

  test('ignores items of later schemes', async () => {
    expect(await verify({ header: `t=${t},v0=x,v2=${v1('whsec_other')},v1=${v1()},flag` })).toEqual(
      event,
    )
  })
})

describe('the time of the signature', () => {
  const at = (seconds: number) => ({ now: () => (t + seconds) * 1_000 })
  const refused = { reason: 'timestamp_out_of_tolerance' }

  test.each([-300, 0, 300])('%p s from now is accepted', async (seconds) => {
    expect(await verify(at(seconds))).toEqual(event)
  })

  test.each([-300.001, 300.001, -86_400, 86_400])('%p s from now is rejected', async (seconds) => {
    await expect(verify(at(seconds))).rejects.toMatchObject(refused)
  })

  test('is checked before the signature, however large', async () => {
    const huge = `t=${'9'.repeat(400)},v1=${v1()}`
    await expect(verify({ header: huge })).rejects.toMatchObject(refused)
  })

  test('accepts a clock that returns a Date, and another tolerance', async () => {
    expect(await verify({ now: () => new Date(t * 1_000) })).toEqual(event)
    expect(await verify({ ...at(10), toleranceSeconds: 10 })).toEqual(event)
    await expect(verify({ ...at(11), toleranceSeconds: 10 })).rejects.toMatchObject(refused)
  })

  test.each([
    { now: () => Number.NaN },
    { now: () => new Date('nonsense') },
    { toleranceSeconds: Number.NaN },
  ])('rejects everything if the clock or the tolerance is not a number', async (given) => {
    await expect(verify(given)).rejects.toMatchObject(refused)
  })
})

describe('the body', () => {
  test.each([
    ['a byte more', `${body} `],
    ['other spacing', JSON.stringify(event, null, 1)],
    ['nothing', ''],
  ])('%s is signature_mismatch', async (_what, given) => {
    await expect(verify({ body: given })).rejects.toMatchObject({ reason: 'signature_mismatch' })
  })

  const signed = (text: string | Uint8Array) => ({
    body: text,
    header: signatureHeader(Buffer.from(text), [secret], t),
  })

  test.each([
    ['nothing', ''],
    ['a word', 'nonsense'],
    ['an event with trailing text', `${body}x`],
    ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ])('%s, signed, is body_not_json', async (_what, given) => {
    await expect(verify(signed(given))).rejects.toMatchObject({ reason: 'body_not_json' })
  })

  test.each([
    ['null', null],
    ['an array', [event]],
    ['a string', 'text'],
    ['an empty object', {}],
    ['an id that is a number', { ...event, id: 1 }],
    ['no type', { ...event, type: undefined }],
    ['a tenant_id that is null', { ...event, tenant_id: null }],
    ['a created_at that is a number', { ...event, created_at: 0 }],
    ['no data', { ...event, data: undefined }],
    ['data that is an array', { ...event, data: [] }],
  ])('%s, signed, is body_not_event', async (_what, given) => {
    const refused = verify(signed(JSON.stringify(given)))
    await expect(refused).rejects.toMatchObject({ reason: 'body_not_event' })
  })

  test('keeps unknown members', async () => {
    const later = { ...event, version: 2 }
    expect(await verify(signed(JSON.stringify(later)))).toEqual(later)
  })
})

describe('a wrong call of verifyWebhook', () => {
  test.each([[''], [[]], [[secret, '']], [undefined as never], [[undefined as never]]])(
    'the secret %p is a TypeError',
    async (given) => {
      await expect(verifyWebhook(body, header, given)).rejects.toThrow(TypeError)
    },
  )

  test('a parsed body is a TypeError', async () => {
    await expect(verifyWebhook(event as never, header, secret)).rejects.toThrow(TypeError)
  })
})
