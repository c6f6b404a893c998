import { describe, expect, test } from '@jest/globals'
import { createHash } from 'node:crypto'
import { hashRequest, withoutOneTimeSecrets } from '../../src/idempotency/request-hash.ts'

describe('the hash of a request', () => {
  const serverSecret = Buffer.alloc(32, 1)
  const request = { method: 'POST', path: '/api/v1/api-keys', body: { name: 'a', scopes: ['*'] } }
  const hash = hashRequest(serverSecret, request)

  test('is the same for the same request, with members in any order', () => {
    const body = { scopes: ['*'], name: 'a' }
    expect(hashRequest(serverSecret, { ...request, body })).toEqual(hash)
    expect(hash).toHaveLength(32)
  })

  test.each([
    ['another method', { ...request, method: 'PATCH' }],
    ['another path', { ...request, path: '/api/v1/api-keyz' }],
    ['a query', { ...request, path: '/api/v1/api-keys?a=1' }],
    ['another body', { ...request, body: { name: 'b', scopes: ['*'] } }],
    ['no body', { ...request, body: undefined }],
    ['an empty body', { ...request, body: {} }],
    ['a body of null', { ...request, body: null }],
    ['a part of the path in the method', { ...request, method: 'POST /api', path: '/v1/api-keys' }],
  ])('differs for %s', (_what, other) => {
    expect(hashRequest(serverSecret, other)).not.toEqual(hash)
  })

  test('no body, an empty body and null are different requests', () => {
    const hashes = [undefined, {}, null].map((body) =>
      hashRequest(serverSecret, { ...request, body }).toString('hex'),
    )
    expect(new Set(hashes).size).toBe(3)
  })

  test('is keyed: without the server secret the request cannot be guessed', () => {
    expect(hashRequest(Buffer.alloc(32, 2), request)).not.toEqual(hash)
    const text = `idempotency:v1:POST /api/v1/api-keys\n${JSON.stringify(request.body)}`
    expect(createHash('sha256').update(text).digest()).not.toEqual(hash)
  })
})

describe('a response without its one-time secrets', () => {
  test.each(['token', 'secret', 'otpauth_uri', 'recovery_codes', 'csrf_token'])(
    'has null for %s and everything else unchanged',
    (member) => {
      const body = { key: { id: 'a', token: 'kept' }, [member]: ['shown', 'once'], other: 1 }
      expect(withoutOneTimeSecrets(body)).toEqual({ ...body, [member]: null })
      expect(Object.keys(withoutOneTimeSecrets(body) as object)).toEqual(Object.keys(body))
      expect(body[member]).toEqual(['shown', 'once'])
    },
  )

  test.each([undefined, null, 'text', 1, {}, { webhook: { id: 1 } }])(
    'is unchanged for %j',
    (body) => {
      expect(withoutOneTimeSecrets(body)).toEqual(body)
    },
  )
})
