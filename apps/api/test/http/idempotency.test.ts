import { createKeyToken } from '@hosting/core'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { useApi, type CallOptions } from '../../../../test/support/api.ts'
import { makeKeyWith, putPerson, statusWith } from '../support/keys.ts'
import { invalid, notFound, refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'
import { auditOf, makeWebhook, url } from '../support/webhooks.ts'

const api = useApi({ LOG_LEVEL: 'fatal' })

const reused = { status: 422, code: 'idempotency_key_reused' }
const inProgress = { status: 409, code: 'idempotency_in_progress' }

async function asAdmin() {
  const tenant = await api.makeTenant()
  return { tenant, ...(await tenant.makeKey()) }
}

interface Sent extends Omit<CallOptions, 'headers'> {
  readonly verb?: 'post' | 'patch' | 'delete'
  readonly path?: string
  /** The Idempotency-Key. */
  readonly once?: string
}

const send = ({ verb = 'post', path = '/api-keys', once = 'once', ...options }: Sent) =>
  api.call(verb, path, {
    ...options,
    headers: {
      'idempotency-key': once,
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
    },
  })

const fields = { name: 'Deploy', scopes: ['sites:read'] }

const isReplay = ({ headers }: Response) => headers['idempotency-replayed'] === 'true'

const countKeys = (tenantId: string) => api.database.prisma.apiKey.count({ where: { tenantId } })

const actionsOf = async (tenantId: string) =>
  (await auditOf(api, tenantId)).map(({ action }) => action)

/** Holds a key's row, so that whoever changes it waits; gives how to let go. */
async function holdKey(id: string): Promise<() => Promise<void>> {
  const client = await api.database.pool.connect()
  await client.query('BEGIN')
  await client.query('SELECT 1 FROM api_keys WHERE id = $1 FOR UPDATE', [id])
  return async () => {
    await client.query('COMMIT')
    client.release()
  }
}

const isClaimed = async (caller: string) =>
  (await api.database.prisma.idempotencyRecord.count({ where: { caller: `key:${caller}` } })) > 0

describe('the same request again', () => {
  test('gets the stored status and body with `Idempotency-Replayed: true`, and the token as null', async () => {
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

  test('is the same whatever the order of members and the white space', async () => {
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

  test('another caller with the same Idempotency-Key makes its own', async () => {
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

  test('another Idempotency-Key, or none, makes another', async () => {
    const { tenant, token } = await asAdmin()
    await send({ token, body: fields })
    await send({ token, body: fields, once: 'Once' })
    await api.call('post', '/api-keys', { token, body: fields })
    await api.call('post', '/api-keys', { token, body: fields })
    expect(await countKeys(tenant.id)).toBe(5)
  })

  test('after its 24 hours a key is free again, also for another request', async () => {
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
  test('a rotation happens once, and its replay holds no token', async () => {
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

  test('webhooks are made, changed and deleted once', async () => {
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

  test('of a GET the header is not read', async () => {
    const { token } = await asAdmin()
    for (let time = 0; time < 2; time++) {
      const headers = { 'idempotency-key': '' }
      const response = await api.call('get', '/api-keys', { token, headers })
      expect(response.status).toBe(200)
      expect(isReplay(response)).toBe(false)
    }
  })
})

describe('what is kept', () => {
  test("the operation's own refusals are answered again: 403, 404, 409 and 422", async () => {
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

  test('a refusal by the checks before the operation is not kept', async () => {
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

  test('the body is judged before anything is answered again', async () => {
    const { token } = await asAdmin()
    expect((await send({ token, body: fields })).status).toBe(201)
    for (const body of [undefined, { name: fields.name }]) {
      expect((await send({ token, body })).body.code).toBe('validation_failed')
    }
  })

  test('a body that was refused is not kept: mended, it is carried out', async () => {
    const { token } = await asAdmin()
    const refused = await send({ token, body: { ...fields, name: '' } })
    expect(refused.body.code).toBe('validation_failed')
    const mended = await send({ token, body: fields })
    expect(mended.status).toBe(201)
    expect(isReplay(mended)).toBe(false)
  })

  test('a 403 that is answered again is audited as a refusal again', async () => {
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

  test('a failure on our side is not kept, and leaves nothing behind', async () => {
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

  test('no stored row holds a secret or the request', async () => {
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

describe('a replay passes the checks first', () => {
  test('401 after the caller was revoked', async () => {
    const { token } = await asAdmin()
    const caller = await makeKeyWith(api, token)
    await send({ token: caller.token, body: fields })
    await api.call('delete', `/api-keys/${caller.id}`, { token })
    const again = await send({ token: caller.token, body: fields })
    expect(refusalOf(again)).toEqual({ status: 401, code: 'invalid_api_key' })
    expect(isReplay(again)).toBe(false)
  })

  test('403 after its scopes or its addresses were narrowed, 429 after its limit was', async () => {
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

  test('403 after the person was demoted, where the operation itself asks for the role', async () => {
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

  test('it costs the budget one', async () => {
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

describe('at the same time', () => {
  test('20 of the same make one key', async () => {
    const { tenant, token } = await asAdmin()
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => send({ token, body: fields })),
    )
    const made = responses.filter((response) => response.status === 201 && !isReplay(response))
    expect(made).toHaveLength(1)
    const others = responses.filter(({ status }) => status !== 201)
    for (const response of others) expect(refusalOf(response)).toEqual(inProgress)
    for (const { body } of responses.filter(({ status }) => status === 201)) {
      expect(body.key).toEqual(made[0]!.body.key)
    }
    expect(await countKeys(tenant.id)).toBe(2)
    expect(await actionsOf(tenant.id)).toEqual(['api_key.create'])
    const again = await send({ token, body: fields })
    expect(again.body).toEqual({ ...made[0]!.body, token: null })
  })

  test('409 idempotency_in_progress with Retry-After while the first is running', async () => {
    const { tenant, id, token } = await asAdmin()
    const made = await makeKeyWith(api, token)
    const letGo = await holdKey(made.id)
    const request = { token, path: `/api-keys/${made.id}/rotate`, body: {} }
    const first = send(request)
    const running = first.then(() => undefined)
    await until('it is claimed', () => isClaimed(id))
    const second = await send(request)
    expect(refusalOf(second)).toEqual(inProgress)
    expect(second.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(refusalOf(await send({ ...request, body: { grace_seconds: 1 } }))).toEqual(reused)
    await letGo()
    await running
    const { status, body } = await first
    expect(status).toBe(200)
    expect((await send(request)).body).toEqual({ ...body, token: null })
    expect(await actionsOf(tenant.id)).toEqual(['api_key.create', 'api_key.rotate'])
  })

  test('one that outlived its lock is taken over, and its own work comes to nothing', async () => {
    const { tenant, id, token } = await asAdmin()
    const made = await makeKeyWith(api, token)
    const letGo = await holdKey(made.id)
    const request = { token, path: `/api-keys/${made.id}/rotate` }
    const first = send(request).then((response) => response)
    await until('it is claimed', () => isClaimed(id))
    const record = { where: { caller_key: { caller: `key:${id}`, key: 'once' } } }
    const { prisma } = api.database
    const { runId } = await prisma.idempotencyRecord.findUniqueOrThrow(record)
    const lockedUntil = new Date(Date.now() - 1)
    await prisma.idempotencyRecord.update({ ...record, data: { lockedUntil } })
    const second = send(request).then((response) => response)
    await until(
      'it is taken over',
      async () => (await prisma.idempotencyRecord.findUniqueOrThrow(record)).runId !== runId,
    )
    await letGo()
    expect(refusalOf(await first)).toEqual(inProgress)
    const { status, body } = await second
    expect(status).toBe(200)
    expect(await statusWith(api, body.token)).toBe(200)
    expect((await send(request)).body).toEqual({ ...body, token: null })
    expect(await actionsOf(tenant.id)).toEqual(['api_key.create', 'api_key.rotate'])
  })

  test('one whose process died is taken over after its lock, not before', async () => {
    const { tenant, id, token } = await asAdmin()
    await send({ token, body: fields })
    const die = (lockedUntil: Date) =>
      api.database.prisma.idempotencyRecord.update({
        where: { caller_key: { caller: `key:${id}`, key: 'once' } },
        data: { status: null, runId: crypto.randomUUID(), lockedUntil },
      })
    await die(new Date(Date.now() + 60_000))
    expect(refusalOf(await send({ token, body: fields }))).toEqual(inProgress)
    await die(new Date(Date.now() - 1))
    expect(refusalOf(await send({ token, body: { ...fields, name: 'x' } }))).toEqual(reused)
    const taken = await send({ token, body: fields })
    expect({ status: taken.status, replay: isReplay(taken) }).toEqual({
      status: 201,
      replay: false,
    })
    expect(isReplay(await send({ token, body: fields }))).toBe(true)
    expect(await countKeys(tenant.id)).toBe(3)
  })
})

describe('the header', () => {
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

  test('422 validation_failed for a body nested as deeply as a body can be, not a failure', async () => {
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

  test('a path that names nothing is 404 with it as without', async () => {
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
