import { expect, describe, test } from '@jest/globals'
import { useApi, type TestTenant } from '../../../../test/support/api.ts'
import { inDays, setPolicy, narrowList, usePolicies, violation } from '../support/key-policy.ts'
import { makeKeyWith } from '../support/keys.ts'
import { refusalOf } from '../support/refusals.ts'
import { untilBlocked, until } from '../support/until.ts'

const api = useApi()
const other = useApi()

const { asAdmin, create } = usePolicies(api)

describe('a policy and a key that change concurrently', () => {
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
      await untilBlocked(api, waiting)
      await client.query('COMMIT')
      return await result
    } finally {
      client.release()
    }
  }

  test.each([
    ['the first policy', undefined],
    ['a further policy', { max_lifetime_days: 3_650 }],
  ])(
    '%s applies to keys that are created before its transaction commits',
    async (_what, policy) => {
      const { tenant, token } = await asAdmin(policy)
      const response = await whilePolicyChanges(tenant, () =>
        create(token, { expires_at: inDays(1) }),
      )
      expect(refusalOf(response)).toEqual(violation('/ip_allowlist'))
    },
  )

  test('a policy applies to rotations and changes that wait for its transaction', async () => {
    const { tenant, token } = await asAdmin({})
    const [rotated, changed] = [
      await makeKeyWith(api, token),
      await makeKeyWith(api, token, narrowList),
    ]
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

  test('a policy change waits for keys that are being created under the old policy', async () => {
    const { tenant, token } = await asAdmin({})
    const client = await api.database.pool.connect()
    // The creation has checked the policy, and waits to create the key.
    await client.query('BEGIN')
    await client.query('LOCK TABLE api_key_secrets IN EXCLUSIVE MODE')
    const created = create(token, {})
    await untilBlocked(api, 1)
    let isSet = false
    const set = async () => {
      await setPolicy(other, tenant, { ip_allowlist_required: true })
      isSet = true
    }
    const setting = set()
    await untilBlocked(api, 2)
    expect(isSet).toBe(false)
    await client.query('COMMIT')
    client.release()
    expect((await created).status).toBe(201)
    await setting
    expect(refusalOf(await create(token, {}))).toEqual(violation('/ip_allowlist'))
  })

  /** Makes the transaction that sets a policy wait before its commit, until the function is called. */
  async function holdPolicyCommits(): Promise<() => Promise<void>> {
    const client = await api.database.pool.connect()
    await client.query('SELECT pg_advisory_lock(7002)')
    await client.query(
      `CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7002); RETURN NULL; END $$`,
    )
    await client.query(
      `CREATE TRIGGER wait_for_test AFTER UPDATE ON key_policies
       FOR EACH ROW EXECUTE FUNCTION wait_for_test()`,
    )
    return async () => {
      await client.query('SELECT pg_advisory_unlock(7002)')
      await untilBlocked(api, 0)
      await client.query('DROP FUNCTION wait_for_test CASCADE')
      client.release()
    }
  }

  /** How many policies are set, but not committed. */
  async function countUncommitted(): Promise<number> {
    const { rows } = await api.database.pool.query(
      `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
       WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.objid = 7002 AND NOT l.granted`,
    )
    return rows.length
  }

  /** Creates a key without an allowlist for each token, on both processes in turn. */
  const createMany = (tokens: readonly string[]) =>
    Promise.all(
      tokens.map(async (token, index) => {
        const body = { name: 'Key', scopes: ['sites:read'] }
        const at = index % 2 ? api : other
        return (await at.call('post', '/api-keys', { token, body })).status
      }),
    )

  test('race: keys that locked the old policy are created, the others are refused', async () => {
    const { tenant } = await asAdmin({})
    // Creations for one user wait for each other, so each has a user of its own.
    const tokens: string[] = []
    while (tokens.length < 6) tokens.push((await tenant.makeKey()).token)
    const countKeys = () => api.database.prisma.apiKey.count({ where: { tenantId: tenant.id } })
    const before = await countKeys()
    const release = await holdPolicyCommits()
    const gate = await api.database.pool.connect()
    await gate.query('BEGIN')
    await gate.query('LOCK TABLE api_key_secrets IN EXCLUSIVE MODE')
    const first = createMany(tokens)
    await untilBlocked(api, 6)
    let isSet = false
    const setting = setPolicy(other, tenant, { ip_allowlist_required: true }).then(
      () => (isSet = true),
    )
    await untilBlocked(api, 7)
    expect(await countUncommitted()).toBe(0)
    // The keys go first, because they hold the policy, and the policy takes effect after them.
    await gate.query('COMMIT')
    gate.release()
    expect(await first).toEqual(Array(6).fill(201))
    await until('the policy is set', async () => (await countUncommitted()) === 1)
    // The policy goes first: it is not committed yet, and the keys wait for it.
    const last = createMany(tokens)
    await untilBlocked(api, 7)
    expect(isSet).toBe(false)
    expect(await countKeys()).toBe(before + 6)
    await release()
    await setting
    expect(await last).toEqual(Array(6).fill(422))
    expect(await countKeys()).toBe(before + 6)
  })
})
