import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { useApi, type TestTenant } from '../../../test/support/api.ts'
import { siteData } from '../../../test/support/events.ts'
import { documentOf, failureOf, linesOf, makeMachine, type Machine } from './support/hctl.ts'
import { makeApprover, userCodeIn } from './support/signed-in.ts'

const api = useApi()
let tenant: TestTenant
let machine: Machine
let approver: Awaited<ReturnType<typeof makeApprover>>
const hctl: Machine['hctl'] = (...given) => machine.hctl(...given)

interface Id {
  readonly id: string
}

/** Signs in by the device flow, the code approved as soon as it is printed. */
function signIn(access: 'full' | 'read_only', profile: string) {
  let approval: Promise<void> | undefined
  return hctl(`login --json --name laptop --profile ${profile}`, {
    hurry: true,
    whileWaiting: () => approval,
    onText(text) {
      const code = userCodeIn(text)
      if (code) approval ??= approver.approve(code, access)
    },
  })
}

beforeAll(async () => {
  tenant = await api.makeTenant()
  machine = await makeMachine({ HCTL_URL: api.url })
  approver = await makeApprover(api, tenant)
  expect(linesOf(await signIn('full', 'default')).at(-1)).toMatchObject({ status: 'authenticated' })
})

afterAll(() => expect(machine.kept.size).toBe(0))

describe('the sign-in', () => {
  test('whoami, auth status and profiles show it', async () => {
    const me = documentOf(await hctl('whoami --json'))
    expect(me.key).toMatchObject({ name: 'CLI: laptop', source: 'device', scopes: ['*'] })
    expect((await hctl('whoami')).stdout).toContain(`Ana <${approver.person.email}>`)
    expect(documentOf(await hctl('auth status --json'))).toEqual({
      profile: 'default',
      server: api.url,
      source: 'keychain',
      key_id: me.key.id,
      valid: true,
    })
    expect(documentOf(await hctl('profiles list --json'))).toMatchObject({
      items: [{ name: 'default', current: true, user: approver.person.email }],
    })
  })

  test('a read-only one reads; its logout revokes the key', async () => {
    await signIn('read_only', 'reader')
    expect((await hctl('profiles use reader')).code).toBe(0)
    expect((await hctl('webhooks list --json')).code).toBe(0)
    const refused = await hctl('keys create --name a --scope *:read --json')
    expect(failureOf(refused)).toEqual({ exit: 1, code: 'insufficient_scope' })
    const { key } = documentOf(await hctl('whoami --json'))
    const out = documentOf(await hctl('logout --json'))
    expect(out.items).toMatchObject([{ revoked: true, reason: null, key_id: key.id }])
    const kept = await api.database.prisma.apiKey.findUnique({ where: { id: key.id as string } })
    expect(kept!.revokedAt).not.toBeNull()
    expect((await hctl('profiles use default')).code).toBe(0)
    expect(failureOf(await hctl('profiles use reader --json'))).toEqual({
      exit: 2,
      code: 'no_profile',
    })
  })

  test('HCTL_TOKEN goes before it; a stored key is not shown to another server', async () => {
    const { token, id } = await tenant.makeKey({ scopes: ['apikeys:read'] })
    const env = { HCTL_TOKEN: token }
    expect(documentOf(await hctl('whoami --json', { env })).key.id).toBe(id)
    expect(documentOf(await hctl('auth status --json', { env }))).toMatchObject({
      source: 'HCTL_TOKEN',
    })
    const elsewhere = await hctl('whoami --json --server https://elsewhere.example')
    expect(failureOf(elsewhere)).toEqual({ exit: 2, code: 'other_server' })
  })
})

describe('keys', () => {
  test('create, list, rotate, usage, revoke', async () => {
    const made = documentOf(
      await hctl([
        'keys',
        'create',
        '--json',
        '--name',
        'ci',
        '--scope',
        'webhooks:read,sites:read',
        '--ip',
        '127.0.0.0/8',
        '--rate-limit',
        '60',
      ]),
    )
    // It cannot outlive the key that made it, so it ends with it.
    const own = documentOf(await hctl('whoami --json')).key
    expect(made.key).toMatchObject({
      name: 'ci',
      scopes: ['webhooks:read', 'sites:read'],
      ip_allowlist: ['127.0.0.0/8'],
      rate_limit_per_minute: 60,
      expires_at: own.expires_at,
    })
    const { id } = made.key as Id
    const env = { HCTL_TOKEN: made.token as string }
    expect((await hctl('webhooks list --json', { env })).code).toBe(0)
    const listed = documentOf(await hctl('keys list --status active --json'))
    expect(listed.items.map((key: Id) => key.id)).toContain(id)
    expect((await hctl('keys list --limit 1')).stderr).toContain('There are more')

    const rotated = documentOf(await hctl(`keys rotate ${id} --grace 1h --json`))
    expect(rotated.key.previous_secret_expires_at).not.toBeNull()
    expect(rotated.token).not.toBe(made.token)
    expect(documentOf(await hctl(`keys usage ${id} --json`)).items).toHaveLength(30)
    expect(documentOf(await hctl(`keys revoke ${id} --json`))).toEqual({ id, status: 'revoked' })
    expect(failureOf(await hctl('webhooks list --json', { env }))).toEqual({
      exit: 1,
      code: 'invalid_api_key',
    })
  })

  test('a wish beyond the own key’s is refused, with what it is', async () => {
    const wider = await hctl('keys create --name a --scope * --no-expiry --json')
    expect(failureOf(wider)).toEqual({ exit: 1, code: 'api_key_wider_than_caller' })
    const both = await hctl('keys create --name a --scope * --no-expiry --expires-in 1d --json')
    expect(failureOf(both)).toEqual({ exit: 2, code: 'usage' })
    const invalid = await hctl('keys create --name a --scope nonsense')
    expect(invalid).toMatchObject({ code: 1, stdout: '' })
    expect(invalid.stderr).toMatch(/\/scopes\/0[^]*Request /)
  })

  test('a new secret of the own key is kept', async () => {
    const { id } = documentOf(await hctl('whoami --json')).key as Id
    const rotated = await hctl(`keys rotate ${id}`)
    expect(rotated.stderr).toContain('the system keychain holds the new secret')
    expect((await hctl('whoami')).code).toBe(0)
  })
})

describe('webhooks and deliveries', () => {
  test('create, list, update, ping, show, redeliver, recover, rotate-secret, delete', async () => {
    const made = documentOf(
      await hctl([
        'webhooks',
        'create',
        '--json',
        '--url',
        'http://127.0.0.1:9/hook',
        '--event',
        'site.*',
        '--event',
        'job.failed',
        '--description',
        'a b',
      ]),
    )
    expect(made).toMatchObject({
      webhook: { events: ['site.*', 'job.failed'], description: 'a b', enabled: true },
      secret: expect.stringMatching(/^whsec_/),
    })
    const { id } = made.webhook as Id
    expect((await hctl('webhooks list')).stdout).toContain(id)
    const ping = documentOf(await hctl(`webhooks ping ${id} --json`)).delivery
    const tested = documentOf(await hctl(`webhooks test ${id} --event backup.failed --json`))
    expect(tested.delivery.payload.data).toMatchObject({ object_id: 'example-backup' })
    expect(failureOf(await hctl(`webhooks test ${id} --event webhook.ping --json`))).toEqual({
      exit: 1,
      code: 'validation_failed',
    })
    const changed = documentOf(await hctl(`webhooks update ${id} --no-enabled --event * --json`))
    expect(changed.webhook).toMatchObject({ enabled: false, events: ['*'], description: 'a b' })
    expect(failureOf(await hctl(`webhooks update ${id} --json`))).toEqual({
      exit: 2,
      code: 'usage',
    })

    const event = { tenant_id: tenant.id, type: 'site.created', data: siteData }
    await api.callInternal('post', '/events', event)
    const listed = documentOf(
      await hctl(`deliveries list --webhook ${id} --status waiting_endpoint --since 1h --json`),
    )
    expect(
      listed.items.map((delivery: { event: { type: string } }) => delivery.event.type),
    ).toEqual(['site.created', 'backup.failed', 'webhook.ping'])
    const typed = documentOf(await hctl('deliveries list --event-type site.created --json'))
    expect(typed.items).toHaveLength(1)
    const found = documentOf(await hctl(`deliveries list --find ${ping.event.id} --json`))
    expect(found.items).toMatchObject([{ id: ping.id, webhook: { id, deleted: false } }])
    const shown = await hctl(`deliveries show ${ping.id}`)
    expect(shown.stdout).toMatch(/waiting_endpoint[^]*"type": "webhook.ping"/)
    const again = documentOf(await hctl(`deliveries redeliver ${ping.id} --json`)).delivery
    expect(again.redelivery_of).toBe(ping.id)
    const counted = documentOf(await hctl(`deliveries recover ${id} --since 24h --dry-run --json`))
    expect(counted).toEqual({ total: 0 })
    const recovered = await hctl(`deliveries recover ${id} --since 24h --wait --json`, {
      hurry: true,
    })
    expect(documentOf(recovered).recovery).toMatchObject({ status: 'done', total: 0 })

    const secret = documentOf(await hctl(`webhooks rotate-secret ${id} --grace 15m --json`))
    expect(secret.webhook.previous_secret_expires_at).not.toBeNull()
    expect(documentOf(await hctl(`webhooks delete ${id} --json`))).toEqual({
      id,
      status: 'deleted',
    })
    expect(failureOf(await hctl(`webhooks ping ${id} --json`))).toEqual({
      exit: 1,
      code: 'not_found',
    })
  })
})

test('events types and audit', async () => {
  const types = await hctl('events types')
  expect(types.stdout).toMatch(/^TYPE +DESCRIPTION +NOTE\n[^]*\nsite\.created /)
  expect(types.stdout).toMatch(/invoice\.ready .* reserved/)
  const events = documentOf(await hctl('audit --action webhook.delete --since 1h --json'))
  expect(events).toMatchObject({
    items: [{ action: 'webhook.delete', actor: { name: 'Ana' } }],
    has_more: false,
  })
  expect((await hctl('audit --limit 3')).stdout.split('\n')).toHaveLength(5)
})

test('a name cannot command the terminal that shows it', async () => {
  const made = await hctl(['keys', 'create', '--name', 'here', '--scope', '*:read', '--json'])
  // The API refuses such a name; an earlier release stored it.
  await api.database.pool.query('UPDATE api_keys SET name = $2 WHERE id = $1', [
    documentOf(made).key.id,
    '\u001B[2Jgone',
  ])
  const listed = await hctl('keys list')
  expect(listed.stdout).not.toContain('\u001B')
  expect(listed.stdout).toContain('\uFFFD[2Jgone')
})

test('a key revoked under way is said to be so, and logout forgets it', async () => {
  const { id } = documentOf(await hctl('whoami --json')).key as Id
  expect((await hctl(`keys revoke ${id}`)).code).toBe(0)
  const ended = await hctl('keys list')
  expect(ended).toMatchObject({ code: 1, stdout: '' })
  expect(ended.stderr).toContain('Sign in again (hctl login)')
  const status = await hctl('auth status --json')
  expect(JSON.parse(status.stdout)).toMatchObject({ valid: false })
  expect(failureOf(status)).toEqual({ exit: 1, code: 'invalid_api_key' })
  expect(documentOf(await hctl('logout --json')).items).toMatchObject([{ revoked: true }])
  expect(failureOf(await hctl('keys list --json'))).toEqual({ exit: 1, code: 'not_signed_in' })
})
