import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { callWith, makeSession, makeSignedIn, sessionOf } from '../../../../test/support/session.ts'
import { makeKeyWith, pass, rotate, showKey, statusWith } from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()
const other = useApi()

const invalidKey = { status: 401, code: 'invalid_api_key' }

async function makeKeys() {
  const { tenant, admin: owner } = await api.makeAdmin()
  return { tenant, owner, ...(await makeKeyWith(api, owner.token)) }
}

const setEnabled = (token: string, id: string, enabled: unknown) =>
  api.call('patch', `/api-keys/${id}`, { token, body: { enabled } })

describe('PATCH /api-keys/{id} with enabled', () => {
  test('a disabled key gets 401 on every process from the next request until it is enabled', async () => {
    const { owner, id, token } = await makeKeys()
    for (let round = 0; round < 3; round++) {
      for (const each of [api, other]) expect(await statusWith(each, token)).toBe(200)
      const disabled = await setEnabled(owner.token, id, false)
      expect(disabled.body.key).toMatchObject({ enabled: false, status: 'disabled' })
      for (const each of [other, api]) {
        const response = await each.call('get', '/auth/me', { token })
        expect(refusalOf(response)).toEqual(invalidKey)
        expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
      }
      const enabled = await setEnabled(owner.token, id, true)
      expect(enabled.body.key).toMatchObject({ enabled: true, status: 'active' })
    }
    for (const each of [other, api]) expect(await statusWith(each, token)).toBe(200)
  })

  test('authorize refuses a disabled key, and audits the refusal like that of an expired key', async () => {
    const { tenant, owner, id, token } = await makeKeys()
    const expired = await makeKeyWith(api, owner.token, {
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    })
    await setEnabled(owner.token, id, false)
    await pass(api, 60_000, expired.id)
    await api.database.pool.query('UPDATE api_keys SET version = version + 1 WHERE id = $1', [
      expired.id,
    ])
    for (const each of [token, expired.token]) {
      const response = await api.callInternal('post', '/authorize', {
        authorization: `Bearer ${each}`,
        ip: '127.0.0.1',
        method: 'GET',
        permission: 'sites.read',
      })
      expect(refusalOf(response)).toEqual(invalidKey)
    }
    const refusals = async () =>
      (await auditOf(api, tenant.id)).filter(({ action }) => action === 'api_key.refuse')
    await until('both are audited', async () => (await refusals()).length === 2)
    const rows = await refusals()
    const row = (keyId: string) => rows.find(({ targetId }) => targetId === keyId)
    for (const keyId of [id, expired.id]) {
      expect(row(keyId)).toMatchObject({
        outcome: 'refused',
        reason: 'invalid_api_key',
        actorType: 'user',
        actorId: owner.userId,
        details: { route: 'authorize sites.read' },
      })
    }
  })

  test('a key can disable itself, and cannot enable itself', async () => {
    const { id, token } = await makeKeys()
    expect((await setEnabled(token, id, false)).status).toBe(200)
    expect(refusalOf(await setEnabled(token, id, true))).toEqual(invalidKey)
  })

  test('rotation leaves a disabled key disabled', async () => {
    const { owner, id } = await makeKeys()
    await setEnabled(owner.token, id, false)
    const token = await rotate(api, owner.token, id)
    expect(await statusWith(api, token)).toBe(401)
    expect((await showKey(api, owner.token, id)).status).toBe('disabled')
    await setEnabled(owner.token, id, true)
    expect(await statusWith(api, token)).toBe(200)
  })

  test('the status is the first of revoked, expired and disabled that applies, also in the list', async () => {
    const { owner, id } = await makeKeys()
    const expiring = await makeKeyWith(api, owner.token, {
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    })
    const idsOf = async (status: string) =>
      (await api.call('get', `/api-keys?status=${status}`, { token: owner.token })).body.items.map(
        (key: { id: string }) => key.id,
      ) as string[]
    for (const each of [id, expiring.id]) await setEnabled(owner.token, each, false)
    expect((await idsOf('disabled')).toSorted()).toEqual([id, expiring.id].toSorted())
    expect(await idsOf('active')).toEqual([owner.id])
    await pass(api, 60_000, expiring.id)
    expect((await showKey(api, owner.token, expiring.id)).status).toBe('expired')
    expect(await idsOf('disabled')).toEqual([id])
    expect(await idsOf('expired')).toEqual([expiring.id])
    for (const each of [id, expiring.id]) {
      await api.call('delete', `/api-keys/${each}`, { token: owner.token })
      expect((await showKey(api, owner.token, each)).status).toBe('revoked')
    }
    expect(await idsOf('disabled')).toEqual([])
  })

  test('the audit entry contains the state before and after', async () => {
    const { tenant, owner, id } = await makeKeys()
    await setEnabled(owner.token, id, false)
    const rows = await auditOf(api, tenant.id)
    expect(rows.find(({ action }) => action === 'api_key.update')).toMatchObject({
      targetId: id,
      details: { before: { enabled: true }, after: { enabled: false } },
    })
  })

  test('a session needs a confirmation to enable, not to disable, and cannot enable while impersonating', async () => {
    const tenant = await api.makeTenant()
    const person = await makeSignedIn(api, tenant)
    const admin = await makeSignedIn(api, tenant)
    const stale = await makeSession(api, person.id, { confirmedMsAgo: 301_000 })
    const body = { name: 'Deploy', scopes: ['*'] }
    const created = await callWith(api, person)('post', '/api-keys', { body })
    const path = `/api-keys/${created.body.key.id as string}`
    const started = await callWith(api, admin)('post', '/auth/impersonation', {
      body: { user_id: person.id },
    })
    const impersonating = sessionOf(started)
    const patch = (session: typeof stale, enabled: boolean) =>
      callWith(api, session)('patch', path, { body: { enabled } })
    expect((await patch(stale, true)).status).toBe(200)
    expect((await patch(stale, false)).status).toBe(200)
    expect(refusalOf(await patch(stale, true))).toEqual({
      status: 403,
      code: 'reauthentication_required',
    })
    expect(refusalOf(await patch(impersonating, true))).toEqual({ status: 409, code: 'conflict' })
    expect((await patch(person, true)).status).toBe(200)
    expect((await patch(impersonating, false)).status).toBe(200)
  })

  test.each([null, 'yes', 0])('422 for %j', async (enabled) => {
    const { owner, id } = await makeKeys()
    expect(refusalOf(await setEnabled(owner.token, id, enabled))).toEqual(invalid('/enabled'))
  })
})
