import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { useApi } from '../../../test/support/api.ts'
import { documentOf, interruptible, linesOf } from './support/hctl.ts'
import { makeOrganization, type Organization } from './support/hosting-file.ts'

const api = useApi()

const endpoint = { url: 'http://127.0.0.1:9/a', events: ['site.*'] }
const key = { name: 'ci', scopes: ['sites:read'] }

const idsOf = async ({ call }: Organization): Promise<string[]> => {
  const [webhooks, keys] = [
    await call('get', '/webhooks'),
    await call('get', '/api-keys?revoked=false'),
  ]
  const all = [...webhooks.body.items, ...keys.body.items] as { external_id: string | null }[]
  return all.flatMap(({ external_id: id }) => (id === null ? [] : [id])).toSorted()
}

const secretsOf = ({ secretsFile }: Organization) =>
  JSON.parse(readFileSync(secretsFile, 'utf8')) as {
    readonly keys: Record<string, { id: string; token: string }>
    readonly webhooks: Record<string, { id: string; secret: string }>
  }

/** Whether a token is accepted. */
const works = async (token: string): Promise<boolean> =>
  (await api.call('get', '/auth/me', { token })).status === 200

describe('hctl apply', () => {
  test('creates and changes what the file names, prints secrets once, and then has nothing to do', async () => {
    const organization = await makeOrganization(api)
    const { run, write } = organization
    write({ webhooks: { a: endpoint }, keys: { ci: key, off: { ...key, enabled: false } } })
    const first = await run('apply')
    expect(first.code).toBe(0)
    expect(first.stdout.match(/whsec_\S+/g)).toHaveLength(1)
    const tokens = first.stdout.match(/hctl_\S+/g)!
    expect(await Promise.all(tokens.map(works))).toEqual([true, false])
    expect(await run('apply')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Nothing to change.\n',
    })
    write({ webhooks: { a: { ...endpoint, rate_limit_per_second: 9 } } })
    expect((await run('apply')).stdout).toContain('✓ webhooks a changed')
    expect((await run('plan')).code).toBe(0)
    expect(await idsOf(organization)).toEqual(['a', 'ci', 'off'])
  })

  test('another value of a header is sent with --resend-headers, which shows no value', async () => {
    const { run, write } = await makeOrganization(api)
    write({ webhooks: { a: { ...endpoint, headers: { 'X-Team': '${TEAM}' } } } })
    const env = { TEAM: randomUUID() }
    const texts = [await run('apply', { env })]
    expect((await run('plan', { env })).code).toBe(0)
    texts.push(await run('apply --resend-headers', { env }))
    expect(texts[1]).toMatchObject({ code: 0 })
    expect(texts[1]!.stdout).toContain('headers  → X-Team\n')
    expect(JSON.stringify(texts)).not.toContain(env.TEAM)
  })

  test('deletes only with --delete, after asking, and only what has an external id', async () => {
    const organization = await makeOrganization(api)
    const { call, run, write } = organization
    await call('post', '/webhooks', { body: endpoint })
    write({ webhooks: { a: endpoint, b: endpoint }, keys: { ci: key } })
    await run('apply')
    write({ webhooks: { b: endpoint } })
    expect(await run('apply --yes')).toMatchObject({ code: 0, stderr: 'Nothing to change.\n' })
    const unasked = await run('apply --delete')
    expect(unasked.code).toBe(2)
    expect(unasked.stderr).toContain('Use --yes')
    expect(await idsOf(organization)).toEqual(['a', 'b', 'ci'])
    expect((await run('apply --delete --yes')).stdout).toMatch(
      /webhooks a deleted\n.*keys ci revoked/,
    )
    expect(await idsOf(organization)).toEqual(['b'])
    expect((await call('get', '/webhooks')).body.items).toHaveLength(2)
  })

  test('after a failure, only what does not depend on it is made, and the next apply does the rest', async () => {
    const organization = await makeOrganization(api)
    const { run, write } = organization
    write({ webhooks: { old: endpoint } })
    await run('apply')
    const wrong = { ...endpoint, events: ['no.such'] }
    write({ webhooks: { wrong, right: endpoint }, keys: { ci: key } })
    const partly = await run('apply --yes --delete')
    expect(partly.code).toBe(1)
    expect(partly.stdout).toMatch(/✗ webhooks wrong failed: .*\/events\/0/)
    expect(partly.stdout).toContain('- webhooks old skipped: other changes come before it')
    expect(partly.stderr).toContain('2 of 4 changes were not made.')
    expect(await idsOf(organization)).toEqual(['ci', 'old', 'right'])
    write({ webhooks: { wrong: endpoint, right: endpoint }, keys: { ci: key } })
    const lines = linesOf(await run('apply --yes --delete --json'))
    expect(lines).toMatchObject([
      {
        action: 'create',
        external_id: 'wrong',
        status: 'done',
        secret: expect.stringMatching(/^whsec_/),
      },
      { action: 'delete', external_id: 'old', status: 'done' },
    ])
  })

  test('a person has to save the key policy, which keys wait for and endpoints do not', async () => {
    const organization = await makeOrganization(api)
    const { call, run, write } = organization
    const policy = {
      max_lifetime_days: null,
      ip_allowlist_required: true,
      personal_keys_allowed: true,
    }
    write({ webhooks: { a: endpoint }, keys: { ci: key }, key_policy: policy })
    const waiting = await run('apply')
    expect(waiting.code).toBe(1)
    expect(waiting.stdout).toContain(`${api.url}/organization/key-policy?max_lifetime_days=none`)
    expect(waiting.stdout).toContain('keys ci skipped: the key policy comes before it')
    expect(await idsOf(organization)).toEqual(['a'])
    await call('put', '/tenant/key-policy', { body: policy })
    write({ keys: { ci: { ...key, ip_allowlist: ['127.0.0.1'] } }, key_policy: policy })
    expect((await run('apply')).code).toBe(0)
    write({ keys: { ci: { ...key, expires_at: '2199-01-01T00:00:00Z' } } })
    expect((await run('apply')).stdout).toContain('expires_at: It cannot be changed.')
  })

  test('two at the same time make each object once', async () => {
    const organization = await makeOrganization(api)
    organization.write({ webhooks: { a: endpoint, b: endpoint }, keys: { ci: key } })
    const runs = await Promise.all([1, 2, 3].map(() => organization.run('apply')))
    expect(await idsOf(organization)).toEqual(['a', 'b', 'ci'])
    const made = runs.flatMap(({ stdout }) => stdout.match(/^✓ .* created$/gm) ?? [])
    expect(made).toHaveLength(3)
    // A run that is second at an object fails at this object alone.
    const left = runs.flatMap(({ stdout }) => stdout.match(/^✗ .*/gm) ?? [])
    expect(left.filter((line) => !line.includes('external id'))).toEqual([])
    expect((await organization.run('apply')).code).toBe(0)
  })
})

describe('hctl apply --secrets-to', () => {
  test('writes secrets to a file of mode 0600, and prints none', async () => {
    const organization = await makeOrganization(api)
    const { run, secretsFile, write } = organization
    writeFileSync(secretsFile, '{}', { mode: 0o644 })
    write({ webhooks: { a: endpoint }, keys: { ci: key } })
    const { code, stdout, stderr } = await run(`apply --secrets-to ${secretsFile}`)
    expect(code).toBe(0)
    const { keys, webhooks } = secretsOf(organization)
    expect(webhooks['a']!.secret).toMatch(/^whsec_/)
    expect(await works(keys['ci']!.token)).toBe(true)
    expect(statSync(secretsFile).mode & 0o777).toBe(0o600)
    expect(stdout + stderr).not.toMatch(/whsec_|hctl_[a-z2-7]{12}/)
    writeFileSync(secretsFile, '[1]')
    expect((await run(`apply --secrets-to ${secretsFile}`)).stderr).toContain('has no secrets')
    expect(readFileSync(secretsFile, 'utf8')).toBe('[1]')
  })

  test('killed after any of its writes and repeated, it loses no secret and makes nothing twice', async () => {
    const file = { webhooks: { a: endpoint, b: endpoint }, keys: { ci: key, 'ci/2': key } }
    for (const killedAt of [1, 2, 3, 4]) {
      const organization = await makeOrganization(api)
      const { run, secretsFile, write } = organization
      write(file)
      const line = `apply --yes --secrets-to ${secretsFile}`
      const killed = await run(line, killAt(killedAt))
      expect(killed.code).toBe(130)
      const repeated = await run(line)
      expect(repeated).toMatchObject({ code: 0 })
      expect(repeated.stdout).toContain('has another secret')
      expect(await idsOf(organization)).toEqual(['a', 'b', 'ci', 'ci/2'])
      const { keys, webhooks } = secretsOf(organization)
      const tokens = Object.values(keys).map(({ token }) => token)
      expect(await Promise.all(tokens.map(works))).toEqual([true, true])
      expect(Object.values(webhooks).map(({ secret }) => secret.slice(0, 6))).toEqual([
        'whsec_',
        'whsec_',
      ])
      expect(await run(line)).toMatchObject({ stdout: '', stderr: 'Nothing to change.\n' })
    }
  })

  test('a response that is lost on the way costs no secret', async () => {
    const organization = await makeOrganization(api)
    organization.write({ webhooks: { a: endpoint } })
    let isLost = false
    const done = await organization.run('apply --json', {
      async fetch(input, init) {
        const response = await fetch(input, init)
        if (init?.method !== 'POST' || isLost) return response
        isLost = true
        throw new TypeError('fetch failed')
      },
    })
    expect(documentOf(done)).toMatchObject({
      status: 'done',
      secret: expect.stringMatching(/^whsec_/),
    })
    expect(await idsOf(organization)).toEqual(['a'])
  })
})

/** The service does the work of the nth write, and the process ends before it gets the response. */
function killAt(nth: number) {
  const { signal, interrupt } = interruptible()
  let writes = 0
  return {
    signal,
    async fetch(...given: Parameters<typeof fetch>): Promise<Response> {
      const response = await fetch(...given)
      if (given[1]?.method !== 'POST' || ++writes < nth) return response
      interrupt()
      return new Promise<Response>(() => undefined)
    },
  }
}
