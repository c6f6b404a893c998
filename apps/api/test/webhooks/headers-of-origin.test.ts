import { createSecretsStore } from '@hosting/core/secrets-store'
import { customHeadersContext } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { callWith, makePerson, makeSignedIn, sessionOf } from '../../../../test/support/session.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { untilBlocked } from '../support/until.ts'

const api = useApi({ WEBHOOK_ALLOWED_NETWORKS: '' })
const store = createSecretsStore([{ id: 'test', key: Buffer.alloc(32, 7) }])
const url = 'https://hooks.example.com/in'
const otherHost = 'https://other.example.com/in'
const headers = { Authorization: 'Bearer for-the-first-host' }

async function makeEndpoint(token: string, given: object | null = headers): Promise<string> {
  const body = { url, events: ['*'], headers: given }
  return (await api.call('post', '/webhooks', { token, body })).body.webhook.id as string
}

const update = (token: string, id: string, body: unknown) =>
  api.call('patch', `/webhooks/${id}`, { token, body })

/** The URL and the headers of attempts that start now. */
async function sentTo(id: string): Promise<{ url: string; headers: unknown }> {
  const { prisma } = api.database
  const endpoint = await prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } })
  const row = await prisma.webhookHeaders.findUnique({ where: { endpointId: id } })
  const encrypted = row && JSON.parse(store.decrypt(row.encrypted, customHeadersContext(row.id)))
  return { url: endpoint.url, headers: encrypted }
}

describe('a change of the URL of an endpoint with custom headers', () => {
  test.each([
    ['host', otherHost],
    ['port', 'https://hooks.example.com:8443/in'],
    ['subdomain', 'https://a.hooks.example.com/in'],
  ])('422 at /headers if the %s changes without new headers', async (_what, changed) => {
    const { token } = await api.makeAdmin()
    const id = await makeEndpoint(token)
    expect(refusalOf(await update(token, id, { url: changed }))).toEqual(invalid('/headers'))
    expect(await sentTo(id)).toEqual({ url, headers })
  })

  test.each([['https://hooks.example.com/elsewhere?a=b'], ['https://HOOKS.example.com:443/in']])(
    '200 keeps the headers for %s, which has the same origin',
    async (changed) => {
      const { token } = await api.makeAdmin()
      const id = await makeEndpoint(token)
      expect((await update(token, id, { url: changed })).status).toBe(200)
      expect(await sentTo(id)).toEqual({ url: changed, headers })
    },
  )

  test('200 replaces or removes the headers for another host', async () => {
    const { token } = await api.makeAdmin()
    const given = { 'X-Other': 'for-the-other-host' }
    for (const [after, stored] of [
      [given, given],
      [null, null],
      [{}, null],
    ]) {
      const id = await makeEndpoint(token)
      expect((await update(token, id, { url: otherHost, headers: after })).status).toBe(200)
      expect(await sentTo(id)).toEqual({ url: otherHost, headers: stored })
    }
  })

  test('200 needs no headers if the endpoint has none', async () => {
    const { token } = await api.makeAdmin()
    const id = await makeEndpoint(token, null)
    expect((await update(token, id, { url: otherHost })).status).toBe(200)
  })
})

describe('a session that changes the origin of an endpoint with custom headers', () => {
  const change = { url: otherHost, headers: null }

  test('403 reauthentication_required if it was not confirmed in the last 5 minutes', async () => {
    const { tenant, token } = await api.makeAdmin()
    const id = await makeEndpoint(token)
    const call = callWith(api, await makeSignedIn(api, tenant, { confirmedMsAgo: 301_000 }))
    const refused = { status: 403, code: 'reauthentication_required' }
    const path = `/webhooks/${id}`
    expect(refusalOf(await call('patch', path, { body: change }))).toEqual(refused)
    expect(await sentTo(id)).toEqual({ url, headers })
    const samePlace = { url: `${url}?a=b`, events: ['site.*'] }
    expect((await call('patch', path, { body: samePlace })).status).toBe(200)
    const bare = await makeEndpoint(token, null)
    expect((await call('patch', `/webhooks/${bare}`, { body: change })).status).toBe(200)
  })

  test('200 if it was confirmed', async () => {
    const { tenant, token } = await api.makeAdmin()
    const id = await makeEndpoint(token)
    const call = callWith(api, await makeSignedIn(api, tenant))
    expect((await call('patch', `/webhooks/${id}`, { body: change })).status).toBe(200)
    expect(await sentTo(id)).toEqual({ url: otherHost, headers: null })
  })

  test('409 conflict while impersonating', async () => {
    const { tenant, token } = await api.makeAdmin()
    const id = await makeEndpoint(token)
    const { id: userId } = await makePerson(api, tenant)
    const admin = await makeSignedIn(api, tenant)
    const started = await callWith(api, admin)('post', '/auth/impersonation', {
      body: { user_id: userId },
    })
    const call = callWith(api, sessionOf(started))
    const refused = await call('patch', `/webhooks/${id}`, { body: change })
    expect(refusalOf(refused)).toEqual({ status: 409, code: 'conflict' })
    expect(await sentTo(id)).toEqual({ url, headers })
  })
})

describe('two concurrent changes of an endpoint, one of the URL and one of the headers', () => {
  test.each([
    ['the same key', false],
    ['two keys', true],
  ])('by %s: no header reaches a host that it was not given for', async (_what, byTwo) => {
    const { tenant, token } = await api.makeAdmin()
    const second = byTwo ? (await tenant.makeKey()).token : token
    const id = await makeEndpoint(token, null)
    const { moved, set } = await api.database.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM webhook_endpoints WHERE id = ${id}::uuid FOR UPDATE`
      const first = update(token, id, { url: otherHost }).then(({ status }) => status)
      await untilBlocked(api, 1)
      const next = update(second, id, { headers }).then(refusalOf)
      await untilBlocked(api, 2)
      return { moved: first, set: next }
    })
    expect(await moved).toBe(200)
    expect(await set).toEqual({ status: 409, code: 'conflict' })
    expect(await sentTo(id)).toEqual({ url: otherHost, headers: null })
  })
})
