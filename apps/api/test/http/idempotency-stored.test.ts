import { createKeyToken } from '@hosting/core/api-keys'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import {
  fields,
  isReplay,
  type Sent,
  useIdempotentRequests,
} from '../support/idempotent-requests.ts'
import { makeKeyWith, putPerson } from '../support/keys.ts'
import { refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'
import { url } from '../support/webhooks.ts'

const api = useApi({ LOG_LEVEL: 'fatal' })

const { asAdmin, send, countKeys } = useIdempotentRequests(api)

describe('stored responses', () => {
  test('refusals by the operation are replayed: 403, 404, 409 and 422', async () => {
    const { tenant, token } = await asAdmin()
    const organization = await makeKeyWith(api, token, { kind: 'organization' })
    const { id } = await makeKeyWith(api, token)
    await api.call('delete', `/api-keys/${id}`, { token })
    const missing = createKeyToken().id
    const requests: [request: Sent, code: string][] = [
      [{ token: organization.token, body: fields }, 'api_key_wider_than_caller'],
      [{ token, path: `/api-keys/${missing}/rotate` }, 'not_found'],
      [{ token, path: `/api-keys/${id}/rotate`, once: 'b' }, 'conflict'],
      [{ token, body: { ...fields, scopes: ['sites:all'] }, once: 'c' }, 'validation_failed'],
    ]
    for (const [request, code] of requests) {
      const first = await send(request)
      expect(first.body.code).toBe(code)
      expect(isReplay(first)).toBe(false)
      const again = await send(request)
      expect(isReplay(again)).toBe(true)
      expect(again.status).toBe(first.status)
      expect(again.headers['content-type']).toBe('application/problem+json')
      expect(again.body).toEqual(first.body)
    }
    expect(await countKeys(tenant.id)).toBe(3)
  })

  test('a refusal by the checks before the operation is not stored', async () => {
    const { token } = await asAdmin()
    const made = await makeKeyWith(api, token, { scopes: ['sites:read'] })
    const widen = (body: object) => api.call('patch', `/api-keys/${made.id}`, { token, body })
    const request = { token: made.token, path: '/webhooks', body: { url, events: ['*'] } }
    expect((await send(request)).body.code).toBe('insufficient_scope')
    await widen({ scopes: ['*'], ip_allowlist: ['203.0.113.7'] })
    expect((await send(request)).body.code).toBe('api_key_ip_denied')
    await widen({ ip_allowlist: null, rate_limit_per_minute: 1 })
    expect((await send(request)).body.code).toBe('rate_limited')
    await widen({ rate_limit_per_minute: 600 })
    const response = await send(request)
    expect(response.status).toBe(201)
    expect(isReplay(response)).toBe(false)
  })

  test('the body is validated before a replay', async () => {
    const { token } = await asAdmin()
    expect((await send({ token, body: fields })).status).toBe(201)
    for (const body of [undefined, { name: fields.name }]) {
      expect((await send({ token, body })).body.code).toBe('validation_failed')
    }
  })

  test('an invalid body is not stored: the corrected request succeeds', async () => {
    const { token } = await asAdmin()
    const refused = await send({ token, body: { ...fields, name: '' } })
    expect(refused.body.code).toBe('validation_failed')
    const corrected = await send({ token, body: fields })
    expect(corrected.status).toBe(201)
    expect(isReplay(corrected)).toBe(false)
  })

  test('each replay of a 403 is audited as a refusal', async () => {
    const { token } = await asAdmin()
    const organization = await makeKeyWith(api, token, { kind: 'organization' })
    const request = { token: organization.token, body: fields }
    const first = await send(request)
    const again = await send(request)
    expect([first.status, again.status, isReplay(again)]).toEqual([403, 403, true])
    await until('the repeat is counted', async () => {
      const { rows } = await api.database.pool.query<{ repeated: number }>(
        'SELECT repeated FROM refusal_windows WHERE key_id = $1 AND reason = $2',
        [organization.token.split('_')[1], first.body.code],
      )
      return rows[0]?.repeated === 1
    })
  })

  test('a failure of the service is not stored and leaves no record', async () => {
    const { tenant, token } = await asAdmin()
    const { pool } = api.database
    await pool.query(`CREATE FUNCTION break_audit() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''broken''; END'`)
    await pool.query(`CREATE TRIGGER break_audit BEFORE INSERT ON audit_events FOR EACH ROW
      WHEN (NEW.tenant_id = '${tenant.id}') EXECUTE FUNCTION break_audit()`)
    try {
      const failed = await send({ token, body: fields })
      expect(refusalOf(failed)).toEqual({ status: 500, code: 'internal_error' })
      expect(failed.text).not.toContain('broken')
    } finally {
      await pool.query('DROP FUNCTION break_audit CASCADE')
    }
    expect(await countKeys(tenant.id)).toBe(1)
    const response = await send({ token, body: fields })
    expect(response.status).toBe(201)
    expect(isReplay(response)).toBe(false)
    expect(await countKeys(tenant.id)).toBe(2)
  })

  test('no stored row contains a secret or the request', async () => {
    const { id, token } = await asAdmin()
    const key = await send({ token, body: { ...fields, name: 'A name to look for' } })
    const path = `/api-keys/${key.body.key.id}/rotate`
    const rotated = await send({ token, path, body: { grace_seconds: 4_711 }, once: 'b' })
    const webhook = await send({
      token,
      path: '/webhooks',
      body: { url, events: ['*'] },
      once: 'c',
    })
    const { rows } = await api.database.pool.query<{ row: string }>(
      'SELECT r::text AS row FROM idempotency_records r WHERE caller = $1',
      [`key:${id}`],
    )
    expect(rows).toHaveLength(3)
    const dump = rows.map(({ row }) => row).join('\n')
    for (const secret of [key.body.token, rotated.body.token, webhook.body.secret]) {
      expect(secret.length).toBeGreaterThan(30)
      expect(dump).not.toContain(secret)
      expect(dump).not.toContain(secret.split('_').at(-1))
    }
    expect(dump).not.toContain('4711')
    const { rows: columns } = await api.database.pool.query<{ bytes: number }>(
      'SELECT length(request_hash) AS bytes FROM idempotency_records WHERE caller = $1',
      [`key:${id}`],
    )
    expect(columns.map(({ bytes }) => bytes)).toEqual([32, 32, 32])
  })
})

describe('checks before a replay', () => {
  test('401 if the caller was revoked', async () => {
    const { token } = await asAdmin()
    const caller = await makeKeyWith(api, token)
    await send({ token: caller.token, body: fields })
    await api.call('delete', `/api-keys/${caller.id}`, { token })
    const again = await send({ token: caller.token, body: fields })
    expect(refusalOf(again)).toEqual({ status: 401, code: 'invalid_api_key' })
    expect(isReplay(again)).toBe(false)
  })

  test("403 if the caller's scopes or addresses were narrowed, 429 if its limit was lowered", async () => {
    const { token } = await asAdmin()
    const caller = await makeKeyWith(api, token)
    const change = (body: object) => api.call('patch', `/api-keys/${caller.id}`, { token, body })
    const codeOfReplay = async () => (await send({ token: caller.token, body: fields })).body.code
    await send({ token: caller.token, body: fields })
    await change({ scopes: ['*:read'] })
    expect(await codeOfReplay()).toBe('insufficient_scope')
    await change({ scopes: ['*'], ip_allowlist: ['203.0.113.7'] })
    expect(await codeOfReplay()).toBe('api_key_ip_denied')
    await change({ ip_allowlist: null, rate_limit_per_minute: 1 })
    expect(await codeOfReplay()).toBe('rate_limited')
  })

  test('403 if the person lost the role that the operation itself requires', async () => {
    const tenant = await api.makeTenant()
    const { token, userId } = await tenant.makeKey()
    const ofOrganization = await makeKeyWith(api, token, { kind: 'organization' })
    const own = await makeKeyWith(api, token)
    const requests = [
      { token, body: { ...fields, kind: 'organization' }, once: 'create' },
      { token, path: `/api-keys/${ofOrganization.id}/rotate`, body: {}, once: 'rotate' },
      {
        token,
        verb: 'patch' as const,
        path: `/api-keys/${ofOrganization.id}`,
        body: {},
        once: 'patch',
      },
      { token, verb: 'delete' as const, path: `/api-keys/${ofOrganization.id}`, once: 'delete' },
    ]
    const personal = { token, path: `/api-keys/${own.id}/rotate`, body: {}, once: 'own' }
    for (const each of [...requests, personal]) expect((await send(each)).status).toBeLessThan(300)
    await putPerson(api, tenant, userId, { roles: ['support'] })
    for (const each of requests) {
      const again = await send(each)
      expect(refusalOf(again)).toEqual({ status: 403, code: 'permission_denied' })
      expect(isReplay(again)).toBe(false)
    }
    expect(isReplay(await send(personal))).toBe(true)
    await putPerson(api, tenant, userId, { roles: ['admin'] })
    for (const each of requests) expect(isReplay(await send(each))).toBe(true)
  })

  test('a replay costs one request of the budget', async () => {
    const { token } = await asAdmin()
    const caller = await makeKeyWith(api, token, { rate_limit_per_minute: 3 })
    const body = { ...fields, rate_limit_per_minute: 1, scopes: ['*'] }
    const left: string[] = []
    for (let time = 0; time < 3; time++) {
      left.push((await send({ token: caller.token, body })).headers['ratelimit'] as string)
    }
    expect(left.map((text) => /r=(\d+)/.exec(text)?.[1])).toEqual(['2', '1', '0'])
    expect((await send({ token: caller.token, body })).status).toBe(429)
  })
})
