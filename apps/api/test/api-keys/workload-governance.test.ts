import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { passMidnight } from '../../../../test/support/midnight.ts'
import { callWith, makeSession, makeSignedIn } from '../../../../test/support/session.ts'
import { behindProxy } from '../support/device.ts'
import { inDays, setPolicy } from '../support/key-policy.ts'
import { finishRevocation, statusWith } from '../support/keys.ts'
import { refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'
import { auditOf } from '../support/webhooks.ts'
import {
  exchange,
  makeWorkloadKey,
  useIssuer,
  type WorkloadKeyOfTest,
} from '../support/workloads.ts'

const api = useApi(behindProxy)
const issuer = useIssuer()

const makeKey = (fields: object = {}) => makeWorkloadKey(api, issuer, fields)
const tokenOf = async (key: WorkloadKeyOfTest): Promise<string> => {
  const token = issuer.sign({ aud: key.audience, repository_id: '1234' })
  return (await exchange(api, token)).body.access_token as string
}
const makeChild = async (token: string): Promise<string> => {
  const body = { name: 'child', kind: 'organization', scopes: ['sites:read'] }
  const expires_at = new Date(Date.now() + 600_000).toISOString()
  const made = await api.call('post', '/api-keys', { token, body: { ...body, expires_at } })
  expect(made.status).toBe(201)
  return made.body.token as string
}

describe('the descendants of a workload key', () => {
  test('include the keys that its tokens created, even after the tokens expire', async () => {
    const key = await makeKey()
    const [first, second] = [await tokenOf(key), await tokenOf(key)]
    const children = [await makeChild(first), await makeChild(second)]
    await api.database.pool.query('DELETE FROM api_key_secrets WHERE key_id = $1', [key.id])
    for (const child of children) expect(await statusWith(api, child)).toBe(200)
    const revoked = await key.call('delete', `/api-keys/${key.id}?descendants=true`)
    expect(revoked.status).toBe(204)
    await finishRevocation(api, key.id)
    for (const child of children) {
      await until('refused', async () => (await statusWith(api, child)) === 401)
    }
  })

  test('remain if only the key is revoked, but its tokens end', async () => {
    const key = await makeKey()
    const token = await tokenOf(key)
    const child = await makeChild(token)
    expect((await key.call('delete', `/api-keys/${key.id}`)).status).toBe(204)
    expect([await statusWith(api, token), await statusWith(api, child)]).toEqual([401, 200])
  })
})

test('requests with exchanged tokens count as usage of the key, exchanges do not', async () => {
  await passMidnight(15_000)
  const key = await makeKey()
  const tokens = [await tokenOf(key), await tokenOf(key)]
  for (const token of tokens) expect(await statusWith(api, token)).toBe(200)
  const shown = await until(
    'the usage is shown',
    async () => {
      const { body } = await key.call('get', `/api-keys/${key.id}`)
      return body.key.last_used_at !== null && body.key.requests_today >= 2 && body.key
    },
    { withinMs: 10_000 },
  )
  expect(shown.requests_today).toBe(2)
})

test('creation and changes are audited with the workload settings and without a token', async () => {
  const key = await makeKey()
  await key.call('patch', `/api-keys/${key.id}`, {
    body: { workload: { conditions: { repository_id: '5678' }, token_lifetime_seconds: 60 } },
  })
  const [created, updated] = (await auditOf(api, key.tenantId)).filter(({ action }) =>
    action.startsWith('api_key.'),
  )
  const before = {
    issuer: issuer.url,
    conditions: { repository_id: '1234' },
    token_lifetime_seconds: 900,
  }
  const after = { ...before, conditions: { repository_id: '5678' }, token_lifetime_seconds: 60 }
  expect(created).toMatchObject({ action: 'api_key.create', details: { workload: before } })
  expect(updated).toMatchObject({
    action: 'api_key.update',
    details: { before: { workload: before }, after: { workload: after } },
  })
})

describe('the key policy of the organization applies to workload keys', () => {
  const create = async (policy: object, fields: object) => {
    const tenant = await api.makeTenant()
    await setPolicy(api, tenant, policy)
    const call = callWith(api, await makeSignedIn(api, tenant))
    const workload = { issuer: issuer.url, conditions: { repository_id: '1234' } }
    const body = { name: 'deploy', kind: 'organization', scopes: ['sites:read'], workload }
    return call('post', '/api-keys', { body: { ...body, ...fields } })
  }

  test.each<[string, object, object, object]>([
    ['a maximum lifetime', { max_lifetime_days: 30 }, {}, { expires_at: inDays(29) }],
    [
      'a required allowlist',
      { ip_allowlist_required: true },
      {},
      { ip_allowlist: ['203.0.113.7'] },
    ],
  ])('%s', async (_, policy, violating, complying) => {
    const refused = await create(policy, violating)
    expect(refusalOf(refused)).toMatchObject({ status: 422, code: 'api_key_policy_violation' })
    expect((await create(policy, complying)).status).toBe(201)
  })

  test('organization-owned workload keys are allowed when personal keys are forbidden', async () => {
    expect((await create({ personal_keys_allowed: false }, {})).status).toBe(201)
  })
})

describe('a session that was confirmed too long ago', () => {
  const needed = { status: 403, code: 'reauthentication_required' }

  test.each<[string, object, { status: number; code?: string }]>([
    [
      'needs a confirmation for other conditions',
      { conditions: { repository_id: '5678' } },
      needed,
    ],
    ['needs a confirmation for a longer lifetime', { token_lifetime_seconds: 901 }, needed],
    ['needs none for a shorter lifetime', { token_lifetime_seconds: 899 }, { status: 200 }],
    [
      'needs none for the same conditions',
      { conditions: { repository_id: '1234' } },
      { status: 200 },
    ],
  ])('%s', async (_, workload, expected) => {
    const key = await makeKey()
    const { rows } = await api.database.pool.query<{ created_by_id: string }>(
      'SELECT created_by_id FROM api_keys WHERE id = $1',
      [key.id],
    )
    const session = await makeSession(api, rows[0]!.created_by_id, { confirmedMsAgo: 301_000 })
    const changed = await callWith(api, session)('patch', `/api-keys/${key.id}`, {
      body: { workload },
    })
    const code = (changed.body as { code?: string }).code
    expect({ status: changed.status, code }).toEqual(expected)
  })
})
