import { describe, expect, test } from '@jest/globals'
import { useApi, type TestTenant } from '../../../../test/support/api.ts'
import { inDays, setPolicy } from '../support/key-policy.ts'
import { makeKeyWith } from '../support/keys.ts'
import { refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'
import { api, violation, asAdmin, create } from '../support/key-policies.ts'

const other = useApi()

const list = { ip_allowlist: ['127.0.0.1', '203.0.113.7'] }

describe('a policy and a key that change at the same time', () => {
  /** Waits until this number of transactions wait for locks. */
  const untilBlocked = (count = 1) =>
    until(`${count} transactions wait for locks`, async () => {
      const { rows } = await api.database.pool.query(
        `SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
      )
      return rows.length >= count
    })

  /** Runs `meanwhile` while a transaction has a policy that refuses every key, and then commits it. */
  async function whilePolicyChanges<T>(
    tenant: TestTenant,
    meanwhile: () => Promise<T>,
    waiting = 1,
  ): Promise<T> {
    const client = await api.database.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query(
        `INSERT INTO key_policies (tenant_id, ip_allowlist_required) VALUES ($1, true)
         ON CONFLICT (tenant_id) DO UPDATE SET ip_allowlist_required = true`,
        [tenant.id],
      )
      const result = meanwhile()
      await untilBlocked(waiting)
      await client.query('COMMIT')
      return await result
    } finally {
      client.release()
    }
  }

  test.each([
    ['the first policy', undefined],
    ['a further policy', { max_lifetime_days: 3_650 }],
  ])('%s applies to keys that are created while it is not committed yet', async (_what, policy) => {
    const { tenant, token } = await asAdmin(policy)
    const response = await whilePolicyChanges(tenant, () =>
      create(token, { expires_at: inDays(1) }),
    )
    expect(refusalOf(response)).toEqual(violation('/ip_allowlist'))
  })

  test('a policy applies to rotations and changes that wait for it', async () => {
    const { tenant, token } = await asAdmin({})
    const [rotated, changed] = [await makeKeyWith(api, token), await makeKeyWith(api, token, list)]
    const responses = await whilePolicyChanges(
      tenant,
      () =>
        Promise.all([
          api.call('post', `/api-keys/${rotated.id}/rotate`, { token: rotated.token }),
          api.call('patch', `/api-keys/${changed.id}`, {
            token,
            body: { ip_allowlist: null },
          }),
        ]),
      2,
    )
    expect(responses.map(refusalOf)).toEqual([
      violation('/ip_allowlist'),
      violation('/ip_allowlist'),
    ])
  })

  test('a policy waits for keys that are being created, which comply with the one before', async () => {
    const { tenant, token } = await asAdmin({})
    const client = await api.database.pool.connect()
    // The creation has checked the policy, and waits to create the key.
    await client.query('BEGIN')
    await client.query('LOCK TABLE api_key_secrets IN EXCLUSIVE MODE')
    const created = create(token, {})
    await untilBlocked()
    let isSet = false
    const set = async () => {
      await setPolicy(other, tenant, { ip_allowlist_required: true })
      isSet = true
    }
    const setting = set()
    await untilBlocked(2)
    expect(isSet).toBe(false)
    await client.query('COMMIT')
    client.release()
    expect((await created).status).toBe(201)
    await setting
    expect(refusalOf(await create(token, {}))).toEqual(violation('/ip_allowlist'))
  })

  test('of many creations at once, none is accepted after the policy is set', async () => {
    const { tenant, token } = await asAdmin()
    const tried = Array.from({ length: 30 }, async (_, index) => {
      const startedAt = performance.now()
      const body = { name: 'Key', scopes: ['sites:read'] }
      const { status } = await (index % 2 ? api : other).call('post', '/api-keys', { token, body })
      return { status, startedAt }
    })
    await setPolicy(api, tenant, { ip_allowlist_required: true })
    const setAt = performance.now()
    const late = await Promise.all(Array.from({ length: 5 }, () => create(token, {})))
    expect(late.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422])
    const results = await Promise.all(tried)
    expect(results.every(({ status, startedAt }) => status !== 201 || startedAt < setAt)).toBe(true)
    expect(new Set(results.map(({ status }) => status)).size).toBeLessThanOrEqual(2)
  })
})
