import { createKeyToken } from '@hosting/core/api-keys'
import { createUuidv7 } from '@hosting/core/ids'
import { describe, expect, test } from '@jest/globals'
import { useApi, type TestTenant } from '../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'
import { behindProxy, pollCode, requestPath, startLogin } from '../support/device.ts'
import { makeKeyWith, pass } from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'

const api = useApi(behindProxy)
const other = useApi(behindProxy)

const limitReached = { status: 409, code: 'api_key_limit_reached' }

const create = (token: string, members: object = {}, each = api) =>
  each.call('post', '/api-keys', { token, body: { name: 'Deploy', scopes: ['*'], ...members } })

/** Adds keys of a user, as many as are missing up to the number. Returns the id of one of them. */
async function fill({ id: tenantId }: TestTenant, userId: string, count: number): Promise<string> {
  const { pool } = api.database
  const { rows } = await pool.query<{ count: string }>(
    'SELECT count(*) FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL',
    [userId],
  )
  const ids = Array.from({ length: count - Number(rows[0]!.count) }, () => createKeyToken().id)
  await pool.query(
    `INSERT INTO api_keys (id, tenant_id, user_id, kind, source, name, scopes)
     SELECT id, $2, $3, 'personal', 'api', 'filler', '{*}' FROM unnest($1::text[]) id`,
    [ids, tenantId, userId],
  )
  return ids[0]!
}

/** Adds users with 100 keys each, without going through the API. */
async function fillTenant(tenant: TestTenant, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 100) {
    const userId = createUuidv7()
    await api.database.pool.query(
      `INSERT INTO users (id, tenant_id, email, name, roles) VALUES ($1, $2, $3, 'Ben', '{admin}')`,
      [userId, tenant.id, `${userId}@example.test`],
    )
    await fill(tenant, userId, Math.min(left, 100))
  }
}

const countLive = async (tenantId: string): Promise<number> =>
  api.database.prisma.apiKey.count({ where: { tenantId, revokedAt: null } })

describe('caps of keys', () => {
  test('a user has at most 100 keys that are neither revoked nor expired; disabled ones count', async () => {
    const { tenant, admin: owner } = await api.makeAdmin()
    const expiring = await makeKeyWith(api, owner.token, {
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    const filler = await fill(tenant, owner.userId, 99)
    await api.call('patch', `/api-keys/${filler}`, { token: owner.token, body: { enabled: false } })
    expect((await create(owner.token)).status).toBe(201)
    const refused = await create(owner.token)
    expect(refusalOf(refused)).toEqual(limitReached)
    expect(refused.body.detail).toContain('100')
    expect((await create(owner.token, { kind: 'organization' })).status).toBe(201)
    expect((await create((await tenant.makeKey()).token)).status).toBe(201)
    await pass(api, 3_600_000, expiring.id)
    expect((await create(owner.token)).status).toBe(201)
    expect(refusalOf(await create(owner.token))).toEqual(limitReached)
    await api.call('delete', `/api-keys/${filler}`, { token: owner.token })
    expect((await create(owner.token)).status).toBe(201)
    expect(refusalOf(await create(owner.token))).toEqual(limitReached)
  })

  test('an organization has at most 500 of all kinds', async () => {
    const { tenant, admin: owner } = await api.makeAdmin()
    await fillTenant(tenant, 497)
    expect((await create(owner.token, { kind: 'organization' })).status).toBe(201)
    expect((await create(owner.token)).status).toBe(201)
    for (const members of [{}, { kind: 'organization' }]) {
      const refused = await create(owner.token, members)
      expect(refusalOf(refused)).toEqual(limitReached)
      expect(refused.body.detail).toContain('500')
    }
    expect(await countLive(tenant.id)).toBe(500)
    const { rowCount } = await api.database.pool.query(
      `SELECT 1 FROM users WHERE tenant_id = $1 AND kind = 'service'`,
      [tenant.id],
    )
    expect(rowCount).toBe(1)
    expect((await create((await (await api.makeTenant()).makeKey()).token)).status).toBe(201)
  })

  test('validation, a wider key and the key policy come first', async () => {
    const { tenant, admin: owner } = await api.makeAdmin()
    const limited = await makeKeyWith(api, owner.token, { rate_limit_per_minute: 10 })
    await fill(tenant, owner.userId, 100)
    expect(refusalOf(await create(limited.token, { accounts: [createUuidv7()] }))).toEqual(
      invalid('/accounts/0'),
    )
    expect(refusalOf(await create(limited.token))).toEqual({
      status: 403,
      code: 'api_key_wider_than_caller',
    })
    const allowed = { rate_limit_per_minute: 1 }
    expect(refusalOf(await create(limited.token, allowed))).toEqual(limitReached)
    await api.database.pool.query(
      `INSERT INTO key_policies (tenant_id, ip_allowlist_required) VALUES ($1, true)
       ON CONFLICT (tenant_id) DO UPDATE SET ip_allowlist_required = true`,
      [tenant.id],
    )
    expect(refusalOf(await create(limited.token, allowed))).toMatchObject({
      status: 422,
      code: 'api_key_policy_violation',
    })
  })

  test('a key can be changed, enabled and rotated at the cap', async () => {
    const { tenant, admin: owner } = await api.makeAdmin()
    const { id } = await makeKeyWith(api, owner.token)
    await fill(tenant, owner.userId, 100)
    for (const enabled of [false, true]) {
      const body = { enabled }
      const changed = await api.call('patch', `/api-keys/${id}`, { token: owner.token, body })
      expect(changed.status).toBe(200)
    }
    const rotated = await api.call('post', `/api-keys/${id}/rotate`, { token: owner.token })
    expect(rotated.status).toBe(200)
  })
})

describe('caps under races, over two processes', () => {
  test("concurrent requests create a user's keys exactly up to the cap", async () => {
    const { tenant, admin: owner } = await api.makeAdmin()
    const second = await makeKeyWith(api, owner.token)
    const person = await api.database.prisma.user.findUniqueOrThrow({ where: { id: owner.userId } })
    expect(person.id).toBe(owner.userId)
    await fill(tenant, owner.userId, 93)
    const responses = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        create(index % 3 ? owner.token : second.token, {}, index % 2 ? api : other),
      ),
    )
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(7)
    const refused = responses.filter(({ status }) => status !== 201)
    for (const response of refused) expect(refusalOf(response)).toEqual(limitReached)
    expect(await countLive(tenant.id)).toBe(100)
  })

  test("concurrent requests create keys of all kinds exactly up to the organization's cap", async () => {
    const tenant = await api.makeTenant()
    const owners = [await tenant.makeKey(), await tenant.makeKey(), await tenant.makeKey()]
    const organization = await makeKeyWith(api, owners[0]!.token, { kind: 'organization' })
    await fillTenant(tenant, 489)
    expect(await countLive(tenant.id)).toBe(493)
    const kinds = ['personal', 'organization'] as const
    const responses = await Promise.all(
      Array.from({ length: 24 }, (_, index) => {
        const at = index % 2 ? api : other
        if (index % 4 === 0) return create(organization.token, { kind: 'organization' }, at)
        return create(owners[index % 3]!.token, { kind: kinds[index % 2] }, at)
      }),
    )
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(7)
    const refused = responses.filter(({ status }) => status !== 201)
    for (const response of refused) expect(refusalOf(response)).toEqual(limitReached)
    expect(await countLive(tenant.id)).toBe(500)
  })
})

describe('caps and device logins', () => {
  test('409 at the approval, and the login stays pending', async () => {
    const tenant = await api.makeTenant()
    const person = await makeSignedIn(api, tenant)
    await fill(tenant, person.id, 100)
    const login = await startLogin(api)
    const approve = () =>
      callWith(api, person)('post', `${requestPath(login)}/approve`, { body: { access: 'full' } })
    expect(refusalOf(await approve())).toEqual(limitReached)
    expect(await pollCode(api, login)).toBe('authorization_pending')
    const key = await api.database.prisma.apiKey.findFirstOrThrow({ where: { userId: person.id } })
    expect((await callWith(api, person)('delete', `/api-keys/${key.id}`)).status).toBe(204)
    expect((await approve()).status).toBe(200)
  })

  test('access_denied if the cap is reached before the redemption; concurrent redemptions never exceed it', async () => {
    const tenant = await api.makeTenant()
    const person = await makeSignedIn(api, tenant)
    await fill(tenant, person.id, 97)
    const logins = await Promise.all(Array.from({ length: 5 }, () => startLogin(api)))
    for (const login of logins) {
      const path = `${requestPath(login)}/approve`
      const body = { access: 'read_only' }
      expect((await callWith(api, person)('post', path, { body })).status).toBe(200)
    }
    const polls = await Promise.all(
      logins.map(({ device_code }, index) =>
        (index % 2 ? api : other).call('post', '/auth/device/token', { body: { device_code } }),
      ),
    )
    expect(polls.filter(({ status }) => status === 200)).toHaveLength(3)
    const denied = polls.filter(({ status }) => status !== 200)
    for (const each of denied) {
      expect(refusalOf(each)).toEqual({ status: 400, code: 'access_denied' })
    }
    expect(await countLive(tenant.id)).toBe(100)
  })
})
