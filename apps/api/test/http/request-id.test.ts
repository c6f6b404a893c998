import { describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { useApi } from '../../../../test/support/api.ts'

const api = useApi()

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const send = (path: string, given?: string) => {
  const call = request(api.url).get(path)
  return given === undefined ? call : call.set('X-Request-Id', given)
}

describe('X-Request-Id', () => {
  test.each([
    ['a response', '/api/v1/openapi.json'],
    ['a page', '/docs'],
    ['a refusal', '/api/v1/auth/me'],
    ['an unknown path', '/nothing'],
  ])('is on %s, with a new value each time', async (_what, path) => {
    const ids = [await send(path), await send(path)].map(({ headers }) => headers['x-request-id'])
    for (const id of ids) expect(id).toMatch(uuidv7)
    expect(new Set(ids).size).toBe(2)
  })

  test('is in the responses of the internal port', async () => {
    for (const path of ['/healthz', '/metrics', '/readyz', '/internal/v1/events']) {
      const { headers } = await request(api.internalUrl).get(path)
      expect(headers['x-request-id']).toMatch(uuidv7)
    }
  })

  test.each(['a', '0', 'checkout-42.retry_1', 'A'.repeat(128), '...', '-'])(
    "is the caller's value if it is %s",
    async (given) => {
      const { headers, body } = await send('/api/v1/auth/me', given)
      expect(headers['x-request-id']).toBe(given)
      expect(body.request_id).toBe(given)
    },
  )

  test.each(['', ' ', 'a b', 'a/b', 'a:b', 'é', 'a,b', '<script>', 'A'.repeat(129), 'a, a'])(
    "is not the caller's value if it is %j",
    async (given) => {
      const { headers, body } = await send('/api/v1/auth/me', given)
      expect(headers['x-request-id']).toMatch(uuidv7)
      expect(body.request_id).toBe(headers['x-request-id'])
    },
  )

  test("is not the caller's value if it is sent twice", async () => {
    const { headers } = await request(api.url)
      .get('/docs')
      .set('X-Request-Id', ['first', 'second'] as never)
    expect(headers['x-request-id']).toMatch(uuidv7)
  })
})
