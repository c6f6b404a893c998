import { addKeyUses } from '@hosting/postgres/api-keys'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { keyUse } from '../support/key-uses.ts'
import { callWith, makeSession, makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })

async function enter() {
  const tenant = await api.makeTenant()
  const person = await makeSignedIn(api, tenant)
  const call = callWith(api, person)
  const make = async (scopes: readonly string[]): Promise<{ id: string; token: string }> => {
    const { body } = await call('post', '/api-keys', { body: { name: 'Key', scopes } })
    return { id: body.key.id, token: body.token }
  }
  const keyOf = async (id: string) => (await call('get', `/api-keys/${id}`)).body.key
  const colleague = async () => {
    const { id } = await makeSignedIn(api, tenant, { name: 'Carl' })
    return visitorOf(api, await makeSession(api, id))
  }
  return { tenant, call, make, keyOf, colleague, visitor: visitorOf(api, person) }
}

/** Moves the creation of a key and its secrets, and the last uses of its old secrets. */
async function age(id: string, days: number, lastUsed: string | null): Promise<void> {
  await api.database.pool.query(
    `WITH k AS (UPDATE api_keys SET created_at = now() - make_interval(days => $2) WHERE id = $1)
     UPDATE api_key_secrets SET created_at = now() - make_interval(days => $2),
       last_used_at = now() - $3::interval, last_used_ip = '203.0.113.7'
     WHERE key_id = $1 AND expires_at IS NOT NULL`,
    [id, days, lastUsed],
  )
}

describe('the uses of a key', () => {
  test('are on its page and, by hour or by day, on a page of their own', async () => {
    const { make, visitor } = await enter()
    const { id } = await make(['sites:read'])
    expect((await visitor.get(`/keys/${id}`)).text).toContain('No requests in the last 24 hours')
    expect((await visitor.get(`/keys/${id}/uses`)).text).toContain('No requests')
    await addKeyUses(api.database, [
      keyUse(id, Date.now(), { status: 404, isPrevious: true, requests: 1_234 }),
      keyUse(id, Date.now(), { operation: 'internal.authorize', address: '2001:db8::/64' }),
      keyUse(id, Date.now() - 80 * 3_600_000, { operation: 'jobs.list' }),
    ])
    for (const path of [`/keys/${id}`, `/keys/${id}/uses`]) {
      const { text } = await visitor.get(path)
      for (const shown of ['sites.list', '404', 'Old', '1,234', 'Another service', '2001:db8::/64'])
        expect(text).toContain(shown)
      expect(text).not.toContain('jobs.list')
    }
    expect((await visitor.get(`/keys/${id}/uses?range=week`)).text).toContain('jobs.list')
  })

  test('are drawn by hour of a day or a week, in the zone of the viewer, and of 30 days in UTC', async () => {
    const { make, visitor } = await enter()
    const { id } = await make(['sites:read'])
    const hoursAgo = (hours: number) => Date.now() - hours * 3_600_000
    await addKeyUses(api.database, [
      keyUse(id, hoursAgo(2), { requests: 17 }),
      keyUse(id, hoursAgo(2), { status: 403, requests: 3 }),
      keyUse(id, hoursAgo(100), { status: 429, requests: 5 }),
    ])
    const chartOf = async (query: string) => {
      const { text } = await visitor.get(`/keys/${id}${query}`)
      const [, summary] = /aria-label="Requests over time by outcome. ([^"]*)"/.exec(text) ?? []
      const [, current] = /aria-current="true">(Day|Week|Month)</.exec(text) ?? []
      return [current, summary, [...text.matchAll(/data-clock="/g)].length > 0]
    }
    const total = (accepted: number, refused: number, limited: number) =>
      `Total: Accepted: ${accepted}, Refused (403): ${refused}, Rate limited (429): ${limited}.`
    const lastUsed = (hours: number) =>
      api.database.pool.query('UPDATE api_keys SET last_used_at = $2 WHERE id = $1', [
        id,
        new Date(hoursAgo(hours)),
      ])
    expect(await chartOf('?range=day')).toEqual(['Day', total(17, 3, 0), true])
    expect(await chartOf('?range=week')).toEqual(['Week', total(17, 3, 5), true])
    expect(await chartOf('?range=month')).toEqual(['Month', total(17, 3, 5), false])
    await lastUsed(2)
    expect((await chartOf(''))[0]).toBe('Day')
    await lastUsed(100)
    expect((await chartOf('?range=nonsense'))[0]).toBe('Week')
    await lastUsed(300)
    expect((await chartOf(''))[0]).toBe('Month')
  })

  test('and the scopes that refused requests lacked', async () => {
    const { make, visitor } = await enter()
    const { id, token } = await make(['sites:read'])
    expect((await visitor.get(`/keys/${id}`)).text).not.toContain('Last refusals')
    expect((await api.call('get', '/webhooks', { token })).status).toBe(403)
    const { text } = await visitor.get(`/keys/${id}`)
    expect(text).toContain('Last refusals')
    expect(text).toContain('Missing scope <code>webhooks:read</code>')
  })
})

describe('an old token that is still valid', () => {
  test('is shown with its last use, and can be ended once it has been unused for a day', async () => {
    const { call, keyOf, make, colleague, visitor } = await enter()
    const { id } = await make(['sites:read'])
    await call('post', `/api-keys/${id}/rotate`, { body: { grace_seconds: 3_600 } })
    await age(id, 40, '3 minutes')
    const used = (await visitor.get(`/keys/${id}`)).text
    expect(used).toMatch(/The old token was last used [^]*3 min[^]* from <code>203\.0\.113\.7</)
    expect(used).not.toContain('End the old token')
    await age(id, 40, '25 hours')
    expect((await visitor.get(`/keys/${id}`)).text).toContain('End the old token')
    expect((await (await colleague()).get(`/keys/${id}`)).text).not.toContain('End the old token')
    const { text } = await visitor.submit(`/keys/${id}`, { do: 'end_previous' })
    expect(text).toContain('Old token ended')
    expect((await keyOf(id)).previous_secret_expires_at).toBeNull()
  })

  test('without uses can be ended only if uses have been recorded for a day', async () => {
    const { call, make, visitor } = await enter()
    const { id } = await make(['sites:read'])
    await call('post', `/api-keys/${id}/rotate`, { body: { grace_seconds: 3_600 } })
    expect((await visitor.get(`/keys/${id}`)).text).not.toContain('End the old token')
    await age(id, 2, null)
    expect((await visitor.get(`/keys/${id}`)).text).toContain('End the old token')
    await api.database.pool.query('UPDATE api_keys SET uses_counted_from = now() WHERE id = $1', [
      id,
    ])
    expect((await visitor.get(`/keys/${id}`)).text).not.toContain('End the old token')
  })
})

describe('unused scopes', () => {
  test('are removed by one button, except those that were used meanwhile', async () => {
    const { keyOf, make, colleague, visitor } = await enter()
    const { id } = await make(['sites:read', 'jobs:read', 'dns:read'])
    expect((await visitor.get(`/keys/${id}`)).text).not.toContain('Unused scopes')
    await age(id, 31, null)
    expect((await visitor.get(`/keys/${id}`)).text).toContain('uses none of its scopes')
    await addKeyUses(api.database, [keyUse(id, Date.now(), { scope: 'sites:read' })])
    const { text } = await visitor.get(`/keys/${id}`)
    const unused = [...text.matchAll(/name="unused" value="([^"]*)"/g)].map(([, scope]) => scope!)
    expect(unused).toEqual(['jobs:read', 'dns:read'])
    expect((await (await colleague()).get(`/keys/${id}`)).text).not.toContain('name="unused"')
    await addKeyUses(api.database, [keyUse(id, Date.now(), { scope: 'dns:read' })])
    const form = { do: 'narrow', unused }
    expect((await visitor.submit(`/keys/${id}`, form)).text).toContain('Unused scopes removed')
    expect((await keyOf(id)).scopes).toEqual(['sites:read', 'dns:read'])
  })
})
