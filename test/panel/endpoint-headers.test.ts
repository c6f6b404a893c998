import { createSecretsStore } from '@hosting/core/secrets-store'
import { customHeadersContext } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })
const store = createSecretsStore([{ id: 'test', key: Buffer.alloc(32, 7) }])

async function enter() {
  return visitorOf(api, await makeSignedIn(api, await api.makeTenant()))
}

type Visitor = Awaited<ReturnType<typeof enter>>

const fields = { url: 'https://hooks.example.com/in', events: '*' }

/** Adds an endpoint in the panel and returns its id. */
async function add(visitor: Visitor, more: Record<string, string>): Promise<string> {
  const { status, headers } = await visitor.post('/webhooks/new', {
    do: 'create',
    ...fields,
    ...more,
  })
  expect(status).toBe(303)
  return /\/webhooks\/([0-9a-f-]{36})/.exec(headers['location']!)![1]!
}

const save = (visitor: Visitor, id: string, more: Record<string, string>) =>
  visitor.post(`/webhooks/${id}/edit`, { do: 'save', ...fields, ...more })

async function storedOf(endpointId: string): Promise<unknown> {
  const row = await api.database.prisma.webhookHeaders.findUnique({ where: { endpointId } })
  return row && JSON.parse(store.decrypt(row.encrypted, customHeadersContext(row.id)))
}

describe('the form of an endpoint', () => {
  test('sets custom headers, shows their names only, and keeps them if the field stays empty', async () => {
    const visitor = await enter()
    const headers = 'Authorization: Bearer a:b\r\n\r\nX-Env:  test '
    const id = await add(visitor, { headers })
    const stored = { Authorization: 'Bearer a:b', 'X-Env': 'test' }
    expect(await storedOf(id)).toEqual(stored)
    for (const path of [`/webhooks/${id}/settings`, `/webhooks/${id}/edit`]) {
      const { text } = await visitor.get(path)
      expect(text).toContain('authorization')
      expect(text).not.toContain('Bearer a:b')
    }
    expect((await save(visitor, id, { headers: '' })).status).toBe(303)
    expect(await storedOf(id)).toEqual(stored)
  })

  test('replaces and removes custom headers', async () => {
    const visitor = await enter()
    const id = await add(visitor, { headers: 'X-A: 1' })
    await save(visitor, id, { headers: 'X-B: 2' })
    expect(await storedOf(id)).toEqual({ 'X-B': '2' })
    await save(visitor, id, { remove_headers: 'true' })
    expect(await storedOf(id)).toBeNull()
  })

  test('asks for the headers again if another host is entered, or lets the person remove them', async () => {
    const visitor = await enter()
    const id = await add(visitor, { headers: 'X-A: 1' })
    const form = { do: 'save', ...fields, url: 'https://other.example.com/in' }
    const { text } = await visitor.submit(`/webhooks/${id}/edit`, form)
    expect(text).toContain('must be given, because the scheme, host or port of the URL changes')
    expect(text).toContain('https://other.example.com/in')
    expect(await storedOf(id)).toEqual({ 'X-A': '1' })
    await save(visitor, id, { url: form.url, headers: 'X-B: 2' })
    expect(await storedOf(id)).toEqual({ 'X-B': '2' })
    await save(visitor, id, { remove_headers: 'true' })
    expect(await storedOf(id)).toBeNull()
  })

  test('asks the person to confirm their identity before the URL changes to another host', async () => {
    const tenant = await api.makeTenant()
    const ana = await makeSignedIn(api, tenant, { confirmedMsAgo: 301_000 })
    const visitor = visitorOf(api, ana)
    const id = await add(visitor, { headers: 'X-A: 1' })
    const { headers } = await save(visitor, id, {
      url: 'https://other.example.com/in',
      headers: 'X-B: 2',
    })
    expect(headers['location']).toMatch(/^\/confirm/)
    expect(await storedOf(id)).toEqual({ 'X-A': '1' })
  })

  test.each([
    ['X-A: 1\nHost: a', '“Host” has a reserved name'],
    ['X-A: 1\nX-A: 2', '“X-A” is given twice'],
    ['X-A: 1\nno colon', 'Line 2 has no colon'],
    ['two words: 1', '“two words” must have a name of'],
  ])('explains the error in %j next to the field', async (headers, message) => {
    const visitor = await enter()
    const { text } = await visitor.submit('/webhooks/new', { do: 'create', ...fields, headers })
    expect(text).toContain(message)
  })

  test('turns Standard Webhooks on and off', async () => {
    const visitor = await enter()
    const id = await add(visitor, { standard_webhooks: 'true' })
    const isOn = async () =>
      (await api.database.prisma.webhookEndpoint.findUnique({ where: { id } }))!.standardWebhooks
    expect(await isOn()).toBe(true)
    await save(visitor, id, {})
    expect(await isOn()).toBe(false)
    await api.database.prisma.webhookSecret.updateMany({
      where: { endpointId: id },
      data: { standardForm: false },
    })
    const refused = await save(visitor, id, { standard_webhooks: 'true' })
    expect((await visitor.get(refused.headers['location']!)).text).toContain('Rotate the secret')
  })
})
