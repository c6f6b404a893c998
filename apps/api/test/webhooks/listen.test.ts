import { streamChannels } from '@hosting/postgres/webhooks'
import { verifyWebhook } from '@hosting/sdk'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import { Webhook } from 'standardwebhooks'
import { once } from 'node:events'
import { useApi } from '../../../../test/support/api.ts'
import { listen, listenWith, type TestListener } from '../../../../test/support/listener.ts'
import { makeSignedIn } from '../../../../test/support/session.ts'
import { testAuthentication, testSecretsStore } from '../support/access.ts'
import { buildEvent, publish } from '../support/events.ts'
import { until } from '../support/until.ts'
import { makeWebhook } from '../support/webhooks.ts'
import { api, open, begin, tryWith, countSlots } from '../support/listeners.ts'

const hasty = useApi({ LISTEN_HEARTBEAT_SECONDS: '0.2' })

const request = { verb: 'get', path: '/webhooks/listen' } as const

testAuthentication(api, request)

testSecretsStore(request)

/** The text of an event's envelope as it is kept. */
async function payloadOf(eventId: string): Promise<string> {
  const { rows } = await api.database.pool.query<{ payload: string }>(
    'SELECT payload FROM events WHERE event_id = $1',
    [eventId],
  )
  return rows[0]!.payload
}

describe('GET /webhooks/listen?standard_webhooks=true', () => {
  test('each event also has the Standard Webhooks headers, which the standardwebhooks package verifies', async () => {
    const { tenant, token } = await api.makeAdmin()
    const listener = await listenWith(api.url, token, '?standard_webhooks=true')
    open.push(listener)
    const id = randomUUID()
    await publish(api, tenant.id, { id })
    const { headers, body } = await listener.next()
    expect(headers['webhook-id']).toBe(id)
    expect(headers['webhook-timestamp']).toBe(headers['Service-Timestamp'])
    expect(new Webhook(listener.secret).verify(body, headers)).toMatchObject({ id })
    // The headers of the service stay.
    await expect(
      verifyWebhook(body, headers['Service-Signature'], listener.secret),
    ).resolves.toMatchObject({ id })
  })

  test('is off by default', async () => {
    const tenant = await api.makeTenant()
    const listener = await begin((await tenant.makeKey()).token)
    await publish(api, tenant.id)
    const { headers } = await listener.next()
    expect(Object.keys(headers)).toEqual([
      'Content-Type',
      'User-Agent',
      'Service-Event',
      'Service-Delivery',
      'Service-Timestamp',
      'Service-Signature',
    ])
  })

  test.each(['?standard_webhooks=false', '?standard_webhooks=', '?standard=true'])(
    '422 for %s',
    async (query) => {
      const { token } = await (await api.makeTenant()).makeKey()
      const result = await listen(api.url, { authorization: `Bearer ${token}` }, query)
      expect(result).toMatchObject({ status: 422, code: 'validation_failed' })
    },
  )
})

describe('GET /webhooks/listen: scopes and roles', () => {
  test.each([['webhooks:read'], ['webhooks:write'], ['*:read'], ['*']] as const)(
    'a key with %s is allowed',
    async (scope) => {
      const { token } = await (await api.makeTenant()).makeKey({ scopes: [scope] })
      expect((await begin(token)).secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    },
  )

  test('a signed-in session is allowed; 401 without credentials', async () => {
    const person = await makeSignedIn(api, await api.makeTenant(), { roles: ['support'] })
    const response = await listen(api.url, { cookie: person.cookie })
    expect(response).toMatchObject({ secret: expect.any(String) })
    open.push(response as TestListener)
    expect(await listen(api.url, {})).toMatchObject({
      status: 401,
      code: 'authentication_required',
    })
  })

  test('403 insufficient_scope and permission_denied use no slot', async () => {
    const tenant = await api.makeTenant()
    const scopeless = await tenant.makeKey({ scopes: ['sites:write'] })
    expect(await tryWith(scopeless.token)).toMatchObject({ code: 'insufficient_scope' })
    const customer = await tenant.makeKey({ roles: ['customer'] })
    expect(await tryWith(customer.token)).toMatchObject({ code: 'permission_denied' })
    expect(await countSlots(tenant)).toBe(0)
  })
})

describe('GET /webhooks/listen', () => {
  test('each event arrives as an endpoint would get it, signed with the secret that the stream sent first', async () => {
    const { tenant, token } = await api.makeAdmin()
    const [listener, other] = [await begin(token), await begin(token)]
    expect(listener.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    })
    expect(listener.secret).not.toBe(other.secret)

    const { id } = await publish(api, tenant.id, { type: 'site.created' })
    const { headers, body } = await listener.next()
    expect(body).toBe(await payloadOf(id))
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhooks/1',
      'Service-Event': 'site.created',
      'Service-Delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'Service-Timestamp': expect.stringMatching(/^\d{10}$/),
      'Service-Signature': expect.stringMatching(/^t=\d{10},v1=[0-9a-f]{64}$/),
    })
    const signature = headers['Service-Signature']
    expect(await verifyWebhook(body, signature, listener.secret)).toMatchObject({ id })
    const toOther = await other.next()
    expect(toOther.body).toBe(body)
    expect(toOther.headers['Service-Delivery']).not.toBe(headers['Service-Delivery'])
    await expect(verifyWebhook(body, signature, other.secret)).rejects.toThrow('No signature')
  })

  test('events arrive once and in order, without pings, events of other organizations or earlier events', async () => {
    const [tenant, stranger] = [await api.makeTenant(), await api.makeTenant()]
    const { token } = await tenant.makeKey()
    await publish(api, tenant.id)
    const listener = await begin(token)
    await begin((await stranger.makeKey()).token)
    const { id: webhookId } = await makeWebhook(api, token)
    await api.call('post', `/webhooks/${webhookId}/ping`, { token })
    await publish(api, stranger.id)
    const first = await publish(api, tenant.id, { id: '0e0b6d6e-3f5c-4b1e-9d53-c9a1b2f0a4d1' })
    await publish(api, tenant.id, { id: first.id })
    const batch = Array.from({ length: 450 }, () => buildEvent(tenant.id))
    const { body } = await api.callInternal('post', '/events', { events: batch })
    const expected = [first.id, ...(body.items as { id: string }[]).map(({ id }) => id)]
    const got: string[] = []
    while (got.length < expected.length) {
      got.push((JSON.parse((await listener.next()).body) as { id: string }).id)
    }
    expect(got).toEqual(expected)
  })

  test('a publish for an organization without listeners announces nothing', async () => {
    const [tenant, silent] = [await api.makeTenant(), await api.makeTenant()]
    const listener = await begin((await tenant.makeKey()).token)
    const client = await api.database.pool.connect()
    const heard: string[] = []
    client.on('notification', ({ payload = '' }) => heard.push(payload.split(' ')[0]!))
    await client.query(`LISTEN ${streamChannels.published}`)
    await publish(api, silent.id)
    await publish(api, tenant.id)
    await listener.next()
    await until('it is heard', () => Promise.resolve(heard.includes(tenant.id)))
    await client.query('UNLISTEN *')
    client.release()
    expect(heard).not.toContain(silent.id)
  })

  test('heartbeats arrive, and cost the key nothing', async () => {
    const { token } = await (await hasty.makeTenant()).makeKey()
    const listener = await begin(token, hasty)
    await listener.heartbeat()
    await listener.heartbeat()
    const { headers } = await hasty.call('get', '/auth/me', { token })
    // More than that if Redis was slow to tell what the other request had cost.
    expect(Number(/;r=(\d+);/.exec(headers['ratelimit']!)![1])).toBeGreaterThanOrEqual(598)
  })

  test('HEAD returns the headers and uses no slot', async () => {
    const { tenant, token } = await api.makeAdmin()
    const head = http.request(`${api.url}/api/v1/webhooks/listen`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}` },
    })
    head.end()
    const [response] = (await once(head, 'response')) as [http.IncomingMessage]
    response.resume()
    await once(response, 'close')
    expect(response.headers['content-type']).toBe('text/event-stream')
    await until('a slot is free', async () => (await countSlots(tenant)) === 0)
  })
})

const listenersOf = (responses: readonly Awaited<ReturnType<typeof tryWith>>[]): TestListener[] => {
  const listeners = responses.filter((response): response is TestListener => 'secret' in response)
  open.push(...listeners)
  for (const refused of responses.filter((response) => !('secret' in response))) {
    expect(refused).toMatchObject({ status: 409, code: 'conflict' })
  }
  return listeners
}

describe('GET /webhooks/listen: limits', () => {
  test('of eight keys that start together five listen and the others get 409 conflict; a closed stream frees its slot', async () => {
    const tenant = await api.makeTenant()
    const keys = await Promise.all(Array.from({ length: 8 }, () => tenant.makeKey()))
    const listeners = listenersOf(await Promise.all(keys.map(({ token }) => tryWith(token))))
    expect(listeners).toHaveLength(5)
    await listeners[0]!.leave()
    await until('a slot is free', async () => (await countSlots(tenant)) === 4)
    await begin((await tenant.makeKey()).token)
    expect((await begin((await (await api.makeTenant()).makeKey()).token)).secret).toBeTruthy()
  })

  test('of six concurrent streams of one key two listen, and other callers keep their slots', async () => {
    const { tenant, token } = await api.makeAdmin()
    const attempts = Array.from({ length: 6 }, (_, index) =>
      listen([api.url, hasty.url][index % 2]!, { authorization: `Bearer ${token}` }),
    )
    expect(listenersOf(await Promise.all(attempts))).toHaveLength(2)
    const person = await makeSignedIn(api, tenant, { roles: ['support'] })
    const streams = Array.from({ length: 4 }, () => listen(api.url, { cookie: person.cookie }))
    expect(listenersOf(await Promise.all(streams))).toHaveLength(2)
    expect((await begin((await tenant.makeKey()).token)).secret).toBeTruthy()
    expect(await countSlots(tenant)).toBe(5)
  })
})
