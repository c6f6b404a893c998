import { newSubjectNoticesMax, recordedRefusalLimit } from '@hosting/core/workloads'
import { dropOldWorkloads, eraseExpiredSecrets } from '@hosting/postgres/api-keys'
import { describe, expect, test } from '@jest/globals'
import { useApi, type TestApi } from '../../../../test/support/api.ts'
import { behindProxy } from '../support/device.ts'
import { auditOf } from '../support/webhooks.ts'
import {
  exchange,
  makeWorkloadKey,
  useIssuer,
  type WorkloadKeyOfTest,
} from '../support/workloads.ts'

const api = useApi(behindProxy)
const other = useApi(behindProxy)
const issuer = useIssuer()

const makeKey = () => makeWorkloadKey(api, issuer)
const exchangeAs = (key: WorkloadKeyOfTest, claims: object = {}, at: TestApi = api) =>
  exchange(at, issuer.sign({ aud: key.audience, repository_id: '1234', ...claims }))
const tokenOf = async (key: WorkloadKeyOfTest): Promise<string> =>
  (await exchangeAs(key)).body.access_token as string
const exchangesOf = async ({ tenantId }: WorkloadKeyOfTest) =>
  (await auditOf(api, tenantId)).filter(({ action }) => action === 'api_key.exchange')
const noticesOf = async ({ call }: WorkloadKeyOfTest) =>
  (await call('get', '/notices')).body.items as { type: string; text: string; subject: object }[]

describe('the first exchange of a workload', () => {
  const keyOf = (conditions: object) =>
    makeWorkloadKey(api, issuer, { workload: { issuer: issuer.url, conditions } })

  test('notifies the admins, later exchanges do not, and the creator gets no separate notice', async () => {
    const key = await keyOf({ environment: ['live', 'test'] })
    expect(await noticesOf(key)).toEqual([])
    const live = { sub: 'repo:acme/site:environment:live', environment: 'live' }
    await exchangeAs(key, live)
    await exchangeAs(key, live)
    const first = {
      type: 'api_key.new_subject',
      subject: { type: 'api_key', id: key.id, name: 'deploy' },
      text: expect.stringContaining(`repo:acme/site:environment:live of ${issuer.url} exchanged`),
    }
    expect(await noticesOf(key)).toMatchObject([first])
    await exchangeAs(key, { sub: 'repo:acme/site:environment:test', environment: 'test' })
    expect(await noticesOf(key)).toMatchObject([{ text: /environment:test/ }, first].map(asText))
  })

  test('causes one notice for four builds whose subjects contain the commit and the step', async () => {
    const key = await keyOf({ organization_slug: 'acme', pipeline_slug: ['site'] })
    for (let commit = 0; commit < 4; commit++) {
      const sub = `organization:acme:pipeline:site:ref:refs/heads/main:commit:${commit}:step:build`
      const claims = { sub, organization_slug: 'acme', pipeline_slug: 'site', step_key: 'build' }
      expect((await exchangeAs(key, claims)).status).toBe(200)
    }
    expect(await noticesOf(key)).toHaveLength(1)
  })

  test('causes no notice for other elements of an array than the one that meets the condition', async () => {
    const key = await keyOf({ groups: 'ops' })
    for (const groups of [['ops'], ['dev', 'ops'], 'ops']) await exchangeAs(key, { groups })
    expect(await noticesOf(key)).toHaveLength(1)
  })

  test('race: concurrent exchanges of one workload on two processes cause one notice', async () => {
    const key = await makeKey()
    const all = await Promise.all([api, other, api, other].map((at) => exchangeAs(key, {}, at)))
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await noticesOf(key)).toHaveLength(1)
  })

  test(`causes a notice only for the first ${newSubjectNoticesMax} new workloads of a day`, async () => {
    const key = await keyOf({ sub: 'workload *' })
    for (let count = 0; count < newSubjectNoticesMax + 2; count++) {
      expect((await exchangeAs(key, { sub: `workload ${count}` })).status).toBe(200)
    }
    expect(await noticesOf(key)).toHaveLength(newSubjectNoticesMax)
  })

  test('causes another notice after 90 days without an exchange', async () => {
    const key = await makeKey()
    await exchangeAs(key)
    await api.database.pool.query(
      `UPDATE workload_subjects SET last_exchanged_at = now() - interval '91 days',
         first_exchanged_at = now() - interval '91 days' WHERE key_id = $1`,
      [key.id],
    )
    expect(await dropOldWorkloads(api.database)).toBeGreaterThan(0)
    await exchangeAs(key)
    expect(await noticesOf(key)).toHaveLength(2)
  })

  test('causes no notice if the exchange is refused', async () => {
    const key = await makeKey()
    expect((await exchangeAs(key, { repository_id: '5678' })).status).toBe(400)
    expect(await noticesOf(key)).toEqual([])
  })
})

/** Matches texts by a pattern. */
const asText = <Expected extends { text: unknown }>(expected: Expected) => ({
  ...expected,
  text: expected.text instanceof RegExp ? expect.stringMatching(expected.text) : expected.text,
})

describe('the audit log of a key', () => {
  test('contains refused exchanges of an invalid key, without a cause', async () => {
    const key = await makeKey()
    await key.call('delete', `/api-keys/${key.id}`)
    expect((await exchangeAs(key)).status).toBe(400)
    const [refused] = await exchangesOf(key)
    expect(refused).toMatchObject({
      outcome: 'refused',
      reason: 'invalid_grant',
      actorType: 'anonymous',
      targetId: key.id,
    })
    expect(refused!.details).toEqual({
      issuer: issuer.url,
      subject: 'repo:acme/site:ref:refs/heads/main',
    })
  })

  test(`contains at most ${recordedRefusalLimit.max} refused exchanges per minute`, async () => {
    const key = await makeKey()
    await api.database.pool.query(
      `INSERT INTO counted_calls (id, operation, caller, created_at)
       SELECT uuid_v7(), 'auth.token.recorded', $1, clock_timestamp() FROM generate_series(2, $2::int)`,
      [key.id, recordedRefusalLimit.max],
    )
    for (let count = 0; count < 3; count++) {
      expect((await exchangeAs(key, { repository_id: '5678' })).status).toBe(400)
    }
    expect(await exchangesOf(key)).toHaveLength(1)
    expect((await exchangeAs(key)).status).toBe(200)
    expect(await exchangesOf(key)).toHaveLength(2)
  })
})

test('the secrets of expired tokens are deleted', async () => {
  const key = await makeKey()
  await Promise.all([tokenOf(key), tokenOf(key)])
  const { pool } = api.database
  await pool.query(
    `UPDATE api_key_secrets SET expires_at = now() - interval '1 s' WHERE id =
       (SELECT id FROM api_key_secrets WHERE key_id = $1 LIMIT 1)`,
    [key.id],
  )
  await eraseExpiredSecrets(api.database)
  const { rowCount } = await pool.query('SELECT FROM api_key_secrets WHERE key_id = $1', [key.id])
  expect(rowCount).toBe(1)
})

describe('an exchange', () => {
  const passages = async (): Promise<Record<string, number>> => {
    const text = await (await fetch(`${api.internalUrl}/metrics`)).text()
    const found = text.matchAll(/^hosting_gate_passages_total\{record="(\w+)"\} (\d+)/gm)
    return Object.fromEntries([...found].map(([, record, count]) => [record, Number(count)]))
  }

  test('invalidates the cached record of its own key only', async () => {
    const key = await makeKey()
    const tenant = await api.makeTenant()
    const others = await Promise.all([tenant.makeKey(), tenant.makeKey()])
    const me = (token: string) => api.call('get', '/auth/me', { token })
    for (const { token } of others) await me(token)
    const before = await passages()
    for (let count = 0; count < 5; count++) {
      await exchangeAs(key)
      for (const { token } of others) expect((await me(token)).status).toBe(200)
    }
    const after = await passages()
    expect(after['cached']! - before['cached']!).toBe(10)
    expect(after['read']! - before['read']!).toBe(0)
    await me(await tokenOf(key))
    expect((await passages())['read']! - after['read']!).toBe(1)
  })
})
