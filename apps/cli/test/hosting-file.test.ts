import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { parse } from 'yaml'
import { useApi } from '../../../test/support/api.ts'
import { documentOf } from './support/hctl.ts'
import { makeOrganization } from './support/hosting-file.ts'

const api = useApi()

const hook = (name: string) => `http://127.0.0.1:9/${name}`
const endpoint = { url: hook('a'), events: ['site.*', 'job.failed'] }

describe('hctl export', () => {
  test('writes a file that changes nothing, with headers from the environment', async () => {
    const { call, run, write } = await makeOrganization(api)
    const webhook = {
      ...endpoint,
      description: 'Takes ${everything}',
      rate_limit_per_second: 5,
      enabled: false,
      headers: { 'X-Team': randomUUID() },
      external_id: 'billing/production',
    }
    const conditions = { repository_id: '1234', ref: ['refs/heads/main'] }
    const workload = { issuer: 'https://issuer.example', conditions, token_lifetime_seconds: 300 }
    const expires = new Date(Date.now() + 86_400_000).toISOString()
    const key = {
      name: 'ci',
      kind: 'organization',
      scopes: ['sites:write', 'dns:read'],
      ip_allowlist: ['10.0.0.0/8', '192.0.2.1'],
      expires_at: expires,
    }
    await call('post', '/webhooks', { body: webhook })
    await call('post', '/webhooks', { body: endpoint })
    await call('post', '/api-keys', { body: { ...key, external_id: 'ci.1' } })
    await call('post', '/api-keys', { body: { ...key, workload, external_id: 'ci.2' } })
    const exported = await run('export')
    expect(exported.code).toBe(0)
    expect(exported.stderr).toContain('Without an external id, so not in the file: webhooks ')
    expect(exported.stderr).toContain('environment: BILLING_PRODUCTION_X_TEAM.')
    expect(exported.stdout).toContain(`$schema=${api.url}/docs/hosting.schema.json`)
    expect(parse(exported.stdout)).toMatchObject({
      version: 1,
      webhooks: {
        'billing/production': {
          url: endpoint.url,
          enabled: false,
          description: 'Takes $${everything}',
          headers: { 'x-team': '${BILLING_PRODUCTION_X_TEAM}' },
        },
      },
      keys: { 'ci.1': { name: 'ci', expires_at: expires }, 'ci.2': { workload: { conditions } } },
      key_policy: { personal_keys_allowed: true },
    })
    write(exported.stdout)
    const env = { BILLING_PRODUCTION_X_TEAM: randomUUID() }
    expect(await run('plan --delete', { env })).toMatchObject({ code: 0, stdout: 'No changes.\n' })
  })

  test('each header has a variable of its own, which a newer endpoint does not take', async () => {
    const { call, run } = await makeOrganization(api)
    const make = (externalId: string, header: string) =>
      call('post', '/webhooks', {
        body: { ...endpoint, external_id: externalId, headers: { [header]: 'x' } },
      })
    const exportedHeaders = async () => {
      const { webhooks } = parse((await run('export')).stdout) as {
        webhooks: Record<string, { headers: Record<string, string> }>
      }
      return Object.fromEntries(Object.entries(webhooks).map(([id, { headers }]) => [id, headers]))
    }
    await make('shop/eu', 'X-Token')
    const before = await exportedHeaders()
    expect(before).toEqual({ 'shop/eu': { 'x-token': '${SHOP_EU_X_TOKEN}' } })
    await make('shop', 'EU-X-Token')
    await make('shop.eu', 'X.Token')
    expect(await exportedHeaders()).toEqual({
      ...before,
      shop: { 'eu-x-token': '${SHOP_EU_X_TOKEN_2}' },
      'shop.eu': { 'x.token': '${SHOP_EU_X_TOKEN_3}' },
    })
  })
})

describe('hctl plan', () => {
  test('shows what differs and exits with 2; what the file does not name stays out of it', async () => {
    const { call, run, write } = await makeOrganization(api)
    await call('post', '/webhooks', { body: { ...endpoint, external_id: 'a', description: 'A' } })
    await call('post', '/webhooks', { body: { ...endpoint, external_id: 'unnamed' } })
    const team = randomUUID()
    const named = { url: '${HOOK}', events: ['job.failed', 'site.*'], headers: { Team: '${TEAM}' } }
    write({ webhooks: { a: named }, keys: { ci: { name: 'ci', scopes: ['sites:read'] } } })
    const env = { HOOK: hook('secret-path'), TEAM: team }
    const shown = await run('plan', { env })
    expect(shown).toMatchObject({ code: 2, stderr: '' })
    expect(shown.stdout).toBe(`+ keys ci
    name  ci
    scopes  sites:read
~ webhooks a
    url  → \${HOOK}
    headers  none → team

1 to create, 1 to change, 0 to delete.
`)
    const json = await run('plan --delete --json', { env })
    expect(json.code).toBe(2)
    expect(JSON.parse(json.stdout)).toMatchObject({
      changes: [
        { action: 'create', kind: 'keys', external_id: 'ci' },
        { action: 'update', external_id: 'a', changes: [{ field: 'url' }, { field: 'headers' }] },
        { action: 'delete', kind: 'webhooks', external_id: 'unnamed' },
      ],
    })
    expect(shown.stdout + json.stdout).not.toMatch(new RegExp(`secret-path|${team}`))
  })

  test('a missing variable stops before the first request, and so does an empty one', async () => {
    const { run, write } = await makeOrganization(api)
    write({ webhooks: { a: { ...endpoint, headers: { A: '${ABSENT}', B: 'x ${EMPTY}' } } } })
    const fetch = () => Promise.reject(new Error('A request was sent.'))
    for (const command of ['plan', 'apply --yes']) {
      const refused = await run(command, { env: { EMPTY: '' }, fetch })
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(/not set:\n {2}\$\{ABSENT\}\n {2}\$\{EMPTY\}\n$/)
    }
  })

  test('names the line of what the schema does not allow, and repeats no value', async () => {
    const { run, write } = await makeOrganization(api)
    const secret = randomUUID()
    write(`version: 2
webhooks:
  a b:
    url: ${hook('a')}
    evnts: [${secret}]
keys:
  ci:
    name: ci
    scopes: []
`)
    const refused = await run('plan')
    expect(refused.code).toBe(1)
    for (const line of [
      'line 1: version must be 1',
      'line 3: webhooks › a b is not an external id',
      "line 3: webhooks › a b must have required property 'events'",
      'line 5: webhooks › a b › evnts is not a setting',
      'line 9: keys › ci › scopes must NOT have fewer than 1 items',
    ]) {
      expect(refused.stderr).toContain(line)
    }
    expect(refused.stderr).not.toContain(secret)
    write('version: [')
    expect((await run('plan')).stderr).toContain('is not YAML:\n  line 1: ')
  })

  test('never exits with 2 if it cannot say what would change', async () => {
    const { run, write } = await makeOrganization(api)
    write({ webhooks: {} })
    expect((await run('plan', { env: { HCTL_TOKEN: '', CI: 'true' } })).code).toBe(3)
    expect((await run('plan', { env: { HCTL_URL: '' } })).code).toBe(1)
  })

  test('the schema is published', async () => {
    const response = await fetch(`${api.url}/docs/hosting.schema.json`)
    expect(response.headers.get('content-type')).toContain('application/json')
    const { properties } = (await response.json()) as { properties: object }
    expect(Object.keys(properties)).toEqual([
      '$schema',
      'version',
      'webhooks',
      'keys',
      'key_policy',
    ])
    expect(documentOf(await makeOrganization(api).then(({ run }) => run('export --json')))).toEqual(
      {
        version: 1,
        keys: {},
        webhooks: {},
        key_policy: expect.any(Object),
      },
    )
  })
})
