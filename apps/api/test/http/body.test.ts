import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { deflateSync, gzipSync } from 'node:zlib'
import { useApi } from '../../../../test/support/api.ts'
import { serviceToken } from '../../../../test/support/environment.ts'
import { buildEvent } from '../support/events.ts'
import { url } from '../support/webhooks.ts'

const api = useApi()

let token = ''
beforeAll(async () => {
  token = (await (await api.makeTenant()).makeKey()).token
})

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream

async function send(target: string, body: Body, headers: Record<string, string>) {
  const init = { method: 'POST', body, headers, duplex: 'half' }
  const response = await fetch(target, init)
  const { code, errors } = (await response.json()) as { code?: string; errors?: object[] }
  return { status: response.status, code, errors }
}

const json = { 'content-type': 'application/json' }

/** POST /webhooks, or whatever is tested of its body. */
const post = (body: Body, headers: Record<string, string> = json) =>
  send(`${api.url}/api/v1/webhooks`, body, { authorization: `Bearer ${token}`, ...headers })

const postInternal = (body: Body) =>
  send(`${api.internalUrl}/internal/v1/events`, body, {
    authorization: `Bearer ${serviceToken}`,
    ...json,
  })

const good = JSON.stringify({ url, events: ['*'] })
const malformed = { status: 400, code: 'malformed_json' }
const tooLarge = { status: 413, code: 'payload_too_large' }
const unsupported = { status: 415, code: 'unsupported_media_type' }

const streamOf = (text: string): ReadableStream => new Blob([text]).stream()

/** A JSON body of exactly this number of bytes. */
const bodyOfBytes = (bytes: number): string => `{"x":"${'a'.repeat(bytes - '{"x":""}'.length)}"}`

describe('malformed JSON', () => {
  test.each([
    '{',
    '{"url":',
    '{"url":1,}',
    "{'url':1}",
    '{} {}',
    'undefined',
    'NaN',
    '  ',
    '[1,]',
    '\0',
  ])('400 malformed_json for %j', async (body) => {
    expect(await post(body)).toMatchObject(malformed)
    expect(await postInternal(body)).toMatchObject(malformed)
  })

  test('400 malformed_json for invalid UTF-8', async () => {
    const body = Buffer.concat([
      Buffer.from('{"description":"'),
      Buffer.from([0xff, 0xc0]),
      Buffer.from('"}'),
    ])
    expect(await post(body)).toMatchObject(malformed)
  })

  test('400 malformed_json for compressed text that is truncated or not compressed', async () => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    expect(await post(gzipSync(good).subarray(0, -10), headers)).toMatchObject(malformed)
    expect(await post('plain', headers)).toMatchObject(malformed)
  })
})

describe('large bodies', () => {
  const limits = [
    ['the public port, 256 KiB', 256 * 2 ** 10, post],
    ['the internal port, 4 MiB', 4 * 2 ** 20, postInternal],
  ] as const

  test.each(limits)('up to the limit are read on %s', async (_where, limitBytes, postThere) => {
    expect(await postThere(bodyOfBytes(limitBytes))).toMatchObject({ code: 'validation_failed' })
  })

  test.each(limits)(
    'one byte over the limit get 413 payload_too_large on %s',
    async (_where, limitBytes, postThere) => {
      expect(await postThere(bodyOfBytes(limitBytes + 1))).toMatchObject(tooLarge)
    },
  )

  test.each(limits)(
    'over the limit get 413 even without Content-Length, on %s',
    async (_where, limitBytes, postThere) => {
      expect(await postThere(streamOf(bodyOfBytes(limitBytes + 1)))).toMatchObject(tooLarge)
    },
  )

  test('413 for a small compressed body that is too large when decompressed', async () => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    expect(await post(gzipSync(bodyOfBytes(2 ** 24)), headers)).toMatchObject(tooLarge)
  })

  test('422, not 500, for deep nesting', async () => {
    const depth = 100_000
    expect(await post('['.repeat(depth) + ']'.repeat(depth))).toMatchObject({ status: 422 })
    const nested = '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)
    expect(await postInternal(nested)).toMatchObject({ status: 422 })
    const event = JSON.stringify({ ...buildEvent(randomUUID()), data: 0 })
    expect(await postInternal(event.replace('"data":0', `"data":${nested}`))).toMatchObject({
      status: 422,
    })
  })
})

describe('content types', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonx',
    'application/problem+json',
    'text/json',
    'nonsense',
    'application/json; charset=latin1',
    'application/json; charset=nonsense',
  ])('415 unsupported_media_type for %s', async (type) => {
    expect(await post(good, { 'content-type': type })).toMatchObject(unsupported)
  })

  test('415 unsupported_media_type for a body without a content type', async () => {
    expect(await post(Buffer.from(good), {})).toMatchObject(unsupported)
  })

  test.each(['compress', 'nonsense', 'gzip, gzip'])(
    '415 unsupported_media_type for the encoding %s',
    async (encoding) => {
      const headers = { ...json, 'content-encoding': encoding }
      expect(await post(good, headers)).toMatchObject(unsupported)
    },
  )

  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('201 for %s', async (type) => {
    expect(await post(good, { 'content-type': type })).toMatchObject({ status: 201 })
  })

  test('201 for a compressed body, and for a body without Content-Length', async () => {
    const packed = { ...json, 'content-encoding': 'gzip' }
    expect(await post(gzipSync(good), packed)).toMatchObject({ status: 201 })
    const deflated = { ...json, 'content-encoding': 'deflate' }
    expect(await post(deflateSync(good), deflated)).toMatchObject({ status: 201 })
    expect(await post(streamOf(good))).toMatchObject({ status: 201 })
  })
})

describe('checks before the body', () => {
  test.each([
    ['malformed', '{', json],
    ['too large', bodyOfBytes(2 ** 20), json],
    ['of another type', good, { 'content-type': 'text/plain' }],
  ])('401 and 403 take precedence over a body that is %s', async (_what, body, headers) => {
    const stranger = await post(body, { ...headers, authorization: 'Bearer nonsense' })
    expect(stranger).toMatchObject({ status: 401, code: 'invalid_api_key' })
    const reader = await (await api.makeTenant()).makeKey({ scopes: ['*:read'] })
    const refused = await post(body, { ...headers, authorization: `Bearer ${reader.token}` })
    expect(refused).toMatchObject({ status: 403, code: 'insufficient_scope' })
  })

  test('the body of a request that takes none is not read', async () => {
    const response = await fetch(`${api.url}/api/v1/webhooks/${randomUUID()}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
      body: '{',
    })
    expect(response.status).toBe(404)
  })
})
