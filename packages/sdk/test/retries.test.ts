import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../../../tools/run.ts'
import { cutShort, errorOf, hangUp, html, json, problem, useServer } from './support/server.ts'

const server = useServer()
const body = { url: 'https://hooks.example.com/in', events: ['*'] }
const id = '0199f2d4-31b5-7c60-8a55-6d1f0e2c9b47'

describe('retries', () => {
  test('a write is retried with the same Idempotency-Key and body', async () => {
    server.responders = [hangUp, html, cutShort, json(201, { webhook: { id }, secret: 'whsec_x' })]
    const { secret } = await server.client().POST('/webhooks', { body })
    expect(secret).toBe('whsec_x')
    expect(server.requests).toHaveLength(4)
    const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(server.requests.map((each) => JSON.parse(each.body) as unknown)).toEqual([
      body,
      body,
      body,
      body,
    ])
    await server.client().POST('/webhooks', { body })
    expect(server.requests[4]!.headers['idempotency-key']).not.toBe(keys[0])
  })

  test("the caller's own Idempotency-Key is kept", async () => {
    server.responders = [json(202, { delivery: { id } })]
    const headers = { 'Idempotency-Key': 'mine' }
    await server.client().POST('/webhooks/{id}/ping', { params: { path: { id } }, headers })
    expect(server.requests[0]!.headers['idempotency-key']).toBe('mine')
  })

  test('429, 503 and idempotency_in_progress are retried; after the last retry the problem is thrown', async () => {
    server.responders = [
      problem(429, 'rate_limited', { 'retry-after': '0' }),
      problem(503, 'service_unavailable', { 'retry-after': new Date().toUTCString() }),
      problem(409, 'idempotency_in_progress', { 'retry-after': '0' }),
      json(202, { delivery: { id } }),
    ]
    const params = { path: { id } }
    await server.client().POST('/webhooks/{id}/ping', { params })
    expect(server.requests).toHaveLength(4)
    server.responders = [problem(429, 'rate_limited', { 'retry-after': '0' })]
    expect(await errorOf(server.client({ retries: 1 }).GET('/auth/me'))).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 0,
    })
    expect(server.requests).toHaveLength(6)
  })

  test('a Retry-After longer than the maximum is left to the caller', async () => {
    server.responders = [problem(429, 'rate_limited', { 'retry-after': '31' })]
    expect(await errorOf(server.client().GET('/auth/me'))).toMatchObject({ retryAfterSeconds: 31 })
    expect(server.requests).toHaveLength(1)
  })

  test('an aborted signal ends the wait with its reason', async () => {
    const stopping = new AbortController()
    server.responders = [
      (...args) => {
        problem(503, 'service_unavailable', { 'retry-after': '20' })(...args)
        setTimeout(() => stopping.abort(new Error('enough')), 50)
      },
    ]
    const call = server.client().GET('/auth/me', { signal: stopping.signal })
    await expect(call).rejects.toThrow('enough')
    await expect(server.client().GET('/auth/me', { signal: stopping.signal })).rejects.toThrow(
      'enough',
    )
    expect(server.requests).toHaveLength(1)
  })

  test('operations that ignore an Idempotency-Key get none and are sent once', async () => {
    const { paths } = JSON.parse(readFileSync(`${root}docs/generated/openapi.json`, 'utf8')) as {
      paths: Record<string, Record<string, { parameters: { name: string }[] }>>
    }
    const ignoring = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(
          ([method, { parameters }]) =>
            method !== 'get' && !parameters.some(({ name }) => name === 'Idempotency-Key'),
        )
        .map(([method]) => `${method} ${path}`),
    )
    expect(ignoring.toSorted()).toEqual([
      'delete /auth/factors/passkeys/{id}',
      'delete /auth/factors/totp',
      'delete /auth/session',
      'post /auth/device/code',
      'post /auth/device/token',
      'post /auth/factors/passkeys',
      'post /auth/factors/passkeys/options',
      'post /auth/factors/totp',
      'post /auth/factors/totp/verify',
      'post /auth/password',
      'post /auth/revoke',
      'post /auth/session',
      'post /auth/session/confirm',
      'post /auth/session/passkey-options',
      'post /auth/token',
      'post /webhooks/listen/replay',
      'post /webhooks/listen/trigger',
    ])
    server.responders = [hangUp]
    const client = server.client()
    const response = { clientDataJSON: 'x', attestationObject: 'x' }
    const credential = { id: 'x', rawId: 'x', type: 'public-key' as const, response }
    await errorOf(client.POST('/auth/device/code', { body: { client_name: 'x' } }))
    await errorOf(client.POST('/auth/device/token', { body: { device_code: 'x' } }))
    await errorOf(client.POST('/auth/session', { body: { email: 'a@b.test', password: 'x' } }))
    await errorOf(client.DELETE('/auth/session'))
    await errorOf(client.POST('/auth/session/confirm', { body: { password: 'x' } }))
    await errorOf(client.POST('/auth/session/passkey-options'))
    await errorOf(client.POST('/auth/password', { body: { new_password: 'x' } }))
    await errorOf(client.POST('/auth/revoke', { body: { token: 'x' } }))
    const exchange = { grant_type: 'x', subject_token: 'x', subject_token_type: 'x' }
    await errorOf(client.POST('/auth/token', { body: exchange }))
    await errorOf(client.POST('/auth/factors/totp'))
    await errorOf(client.POST('/auth/factors/totp/verify', { body: { totp_code: 'x' } }))
    await errorOf(client.DELETE('/auth/factors/totp'))
    await errorOf(client.POST('/auth/factors/passkeys/options'))
    await errorOf(client.POST('/auth/factors/passkeys', { body: { name: 'x', credential } }))
    await errorOf(client.DELETE('/auth/factors/passkeys/{id}', { params: { path: { id: 'x' } } }))
    await errorOf(client.oauth('/token', { grant_type: 'x' }))
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(
      [...ignoring, 'post /oauth/token'].map(() => undefined),
    )
  })
})
