import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { fields, isReplay, useIdempotentRequests } from '../support/idempotent-requests.ts'
import { makeKeyWith, statusWith } from '../support/keys.ts'
import { invalid, notFound, refusalOf } from '../support/refusals.ts'
import { makeWebhook, url } from '../support/webhooks.ts'

const api = useApi({ LOG_LEVEL: 'fatal' })

const reused = { status: 422, code: 'idempotency_key_reused' }

const { asAdmin, send, countKeys, actionsOf } = useIdempotentRequests(api)

describe('repeating a request', () => {
  test('returns the stored status and body with `Idempotency-Replayed: true` and the token as null', async () => {
    const { tenant, token } = await asAdmin()
    const first = await send({ token, body: fields })
    expect(first.status).toBe(201)
    expect(first.body.token).toMatch(/^hctl_/)
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    for (let time = 0; time < 2; time++) {
      const again = await send({ token, body: fields })
      expect(again.status).toBe(201)
      expect(again.headers['idempotency-replayed']).toBe('true')
      expect(again.headers['content-type']).toBe(first.headers['content-type'])
      expect(again.text).toBe(JSON.stringify({ ...first.body, token: null }))
    }
    expect(await countKeys(tenant.id)).toBe(2)
    expect(await actionsOf(tenant.id)).toEqual(['api_key.create'])
    expect(await statusWith(api, first.body.token)).toBe(200)
  })

  test('ignores the order of members and white space', async () => {
    const { tenant, token } = await asAdmin()
    await send({ token, body: '{"name":"Deploy","scopes":["*"],"rate_limit_per_minute":60}' })
    const again = await send({
      token,
      body: '{ "rate_limit_per_minute": 6e1,\n "scopes": ["\\u002a"], "name": "Deploy" }',
    })
    expect(isReplay(again)).toBe(true)
    expect(await countKeys(tenant.id)).toBe(2)
  })

  test.each([
    ['a list in another order', { ...fields, scopes: ['dns:read', 'sites:read'] }],
    ['a member more', { ...fields, kind: 'personal' }],
    ['another value', { ...fields, name: 'deploy' }],
  ])('422 idempotency_key_reused for %s', async (_what, body) => {
    const { tenant, token } = await asAdmin()
    const scopes = ['sites:read', 'dns:read']
    const first = _what.startsWith('a list') ? { ...fields, scopes } : fields
    expect((await send({ token, body: first })).status).toBe(201)
    expect(refusalOf(await send({ token, body }))).toEqual(reused)
    expect(await countKeys(tenant.id)).toBe(2)
    expect(isReplay(await send({ token, body: first }))).toBe(true)
  })

  test('422 idempotency_key_reused for another path and for another method', async () => {
    const { token } = await asAdmin()
    const [one, two] = [await makeKeyWith(api, token), await makeKeyWith(api, token)]
    const path = `/api-keys/${one.id}`
    expect((await send({ token, path: `${path}/rotate` })).status).toBe(200)
    expect(refusalOf(await send({ token, path: `/api-keys/${two.id}/rotate` }))).toEqual(reused)
    expect(refusalOf(await send({ token, verb: 'delete', path }))).toEqual(reused)
    expect((await send({ token, verb: 'delete', path, once: 'b' })).status).toBe(204)
    const changed = await send({ token, verb: 'patch', path, body: {}, once: 'b' })
    expect(refusalOf(changed)).toEqual(reused)
    expect(await statusWith(api, two.token)).toBe(200)
  })

  test('another caller with the same Idempotency-Key creates its own key', async () => {
    const { tenant, token } = await asAdmin()
    const sameUser = await makeKeyWith(api, token)
    const colleague = await tenant.makeKey()
    const stranger = await asAdmin()
    const made = new Set<string>()
    for (const each of [token, sameUser.token, colleague.token, stranger.token]) {
      const response = await send({ token: each, body: fields })
      expect(response.status).toBe(201)
      expect(isReplay(response)).toBe(false)
      made.add(response.body.key.id as string)
    }
    expect(made.size).toBe(4)
  })

  test('a request with another Idempotency-Key, or without one, creates another key', async () => {
    const { tenant, token } = await asAdmin()
    await send({ token, body: fields })
    await send({ token, body: fields, once: 'Once' })
    await api.call('post', '/api-keys', { token, body: fields })
    await api.call('post', '/api-keys', { token, body: fields })
    expect(await countKeys(tenant.id)).toBe(5)
  })

  test('an Idempotency-Key can be reused after 24 hours, even for another request', async () => {
    const { id, token } = await asAdmin()
    const first = await send({ token, body: fields })
    const expire =
      "UPDATE idempotency_records SET expires_at = now() - interval '1 s' WHERE caller = $1"
    const { rows } = await api.database.pool.query<{ hours: number }>(
      `SELECT (extract(epoch FROM expires_at - now()) / 3600)::float AS hours FROM idempotency_records
       WHERE caller = $1`,
      [`key:${id}`],
    )
    expect(rows[0]!.hours).toBeCloseTo(24, 1)
    await api.database.pool.query(expire, [`key:${id}`])
    const second = await send({ token, body: { ...fields, name: 'Other' } })
    expect(second.status).toBe(201)
    expect(second.body.key.id).not.toBe(first.body.key.id)
    expect(isReplay(await send({ token, body: { ...fields, name: 'Other' } }))).toBe(true)
  })
})

describe('every kind of change', () => {
  test('a key is rotated once, and the replay contains no token', async () => {
    const { tenant, token } = await asAdmin()
    const { id } = await makeKeyWith(api, token)
    const request = { token, path: `/api-keys/${id}/rotate`, body: { grace_seconds: 60 } }
    const first = await send(request)
    const again = await send(request)
    expect(again.body).toEqual({ ...first.body, token: null })
    expect(await statusWith(api, first.body.token)).toBe(200)
    expect(await actionsOf(tenant.id)).toEqual(['api_key.create', 'api_key.rotate'])
  })

  test('a revocation is replayed without a body', async () => {
    const { token } = await asAdmin()
    const { id } = await makeKeyWith(api, token)
    const request = { token, verb: 'delete', path: `/api-keys/${id}` } as const
    expect(isReplay(await send(request))).toBe(false)
    const { status, text, headers } = await send(request)
    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect(headers['idempotency-replayed']).toBe('true')
  })

  test('webhooks are created, changed and deleted once', async () => {
    const { tenant, token } = await asAdmin()
    const body = { url, events: ['*'] }
    const made = await send({ token, path: '/webhooks', body })
    expect(made.status).toBe(201)
    const again = await send({ token, path: '/webhooks', body })
    expect(again.body).toEqual({ ...made.body, secret: null })
    const path = `/webhooks/${made.body.webhook.id}`
    const change = { token, verb: 'patch', path, body: { description: 'New' }, once: 'b' } as const
    const changed = await send(change)
    await send({ ...change, body: { description: 'Newer' }, once: 'c' })
    const replayed = await send(change)
    expect({ status: replayed.status, body: replayed.body }).toEqual({
      status: 200,
      body: changed.body,
    })
    const removal = { token, verb: 'delete', path, once: 'd' } as const
    expect((await send(removal)).status).toBe(204)
    expect(isReplay(await send(removal))).toBe(true)
    expect(await actionsOf(tenant.id)).toEqual([
      'webhook.create',
      'webhook.update',
      'webhook.update',
      'webhook.delete',
    ])
  })

  test('a GET ignores the header', async () => {
    const { token } = await asAdmin()
    for (let time = 0; time < 2; time++) {
      const headers = { 'idempotency-key': '' }
      const response = await api.call('get', '/api-keys', { token, headers })
      expect(response.status).toBe(200)
      expect(isReplay(response)).toBe(false)
    }
  })
})

describe('Idempotency-Key header', () => {
  let token = ''
  beforeAll(async () => {
    token = (await asAdmin()).token
  })

  test.each([
    ['empty', ''],
    ['of 256 characters', 'a'.repeat(256)],
    ['not ASCII', 'clé'],
    ['with a control character', 'a\tb'],
  ])('422 validation_failed if it is %s', async (_what, once) => {
    expect(refusalOf(await send({ token, body: fields, once }))).toEqual(
      invalid('/Idempotency-Key'),
    )
  })

  test('422 validation_failed, not 500, for the deepest possible body', async () => {
    const depth = 120_000
    for (const body of [
      '['.repeat(depth) + ']'.repeat(depth),
      `{"name":${'{"a":'.repeat(depth / 3)}1${'}'.repeat(depth / 3)}}`,
    ]) {
      const response = await send({ token, body, once: body.slice(0, 9).replace(/\W/g, '-') })
      expect({ status: response.status, code: response.body.code }).toEqual({
        status: 422,
        code: 'validation_failed',
      })
    }
  })

  test.each([
    ['of 1 character', '~'],
    ['of 255 characters', 'a'.repeat(255)],
    ['with spaces and quotes', '"a b"; \'c\''],
  ])('may be %s', async (_what, once) => {
    expect((await send({ token, body: fields, once })).status).toBe(201)
    expect(isReplay(await send({ token, body: fields, once }))).toBe(true)
  })

  test('an unknown path is 404 with or without the header', async () => {
    const path = '/api-keys/nonsense/rotate'
    for (let time = 0; time < 2; time++) {
      expect(refusalOf(await send({ token, path }))).toEqual(notFound)
    }
    const webhook = await makeWebhook(api, token)
    expect((await send({ token, verb: 'delete', path: `/webhooks/${webhook.id}` })).status).toBe(
      204,
    )
  })
})
