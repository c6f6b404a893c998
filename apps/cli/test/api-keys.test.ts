import { describe, expect, test } from '@jest/globals'
import { documentOf, failureOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const hctl: typeof user.hctl = (...given) => user.hctl(...given)

const createWords = [
  'keys',
  'create',
  '--json',
  '--name',
  'ci',
  '--scope',
  'webhooks:read,sites:read',
]

async function createKey(...words: string[]): Promise<{ id: string; token: string; key: object }> {
  const { key, token } = documentOf(await hctl([...createWords, ...words]))
  return { id: key.id, token, key }
}

const ownKey = async () => documentOf(await hctl('whoami --json')).key

describe('hctl keys create', () => {
  test('creates a key with the limits of the current key as defaults', async () => {
    const { key, token } = await createKey('--ip', '127.0.0.0/8', '--rate-limit', '60')
    expect(key).toMatchObject({
      name: 'ci',
      scopes: ['webhooks:read', 'sites:read'],
      ip_allowlist: ['127.0.0.0/8'],
      rate_limit_per_minute: 60,
      expires_at: (await ownKey()).expires_at,
    })
    const listed = await hctl('webhooks list --json', { env: { HCTL_TOKEN: token } })
    expect(listed.code).toBe(0)
  })

  test('shows the token once, also without --json', async () => {
    const { stdout } = await hctl('keys create --name shown --scope *:read')
    expect(stdout).toMatch(/\nToken {2}hctl_\w+\n {7}Shown only once/)
  })

  test('exits with 3 for a key wider than the one in use', async () => {
    const wider = await hctl('keys create --name a --scope * --no-expiry --json')
    expect(failureOf(wider)).toEqual({ exit: 3, code: 'api_key_wider_than_caller' })
  })

  test('exits with 2 for --no-expiry with --expires-in', async () => {
    const both = await hctl('keys create --name a --scope * --no-expiry --expires-in 1d --json')
    expect(failureOf(both)).toEqual({ exit: 2, code: 'usage' })
  })

  test('names the option, the value and the valid values of a rejected scope', async () => {
    const invalid = await hctl('keys create --name a --scope *:read,nonsense')
    expect(invalid).toMatchObject({ code: 1, stdout: '' })
    expect(invalid.stderr).toMatch(
      /\n {2}--scope nonsense: is not a scope\n {2}hctl keys scopes shows the valid values\.\n {2}Request /,
    )
    const json = await hctl('keys create --name a --scope *:read,nonsense --json')
    expect(JSON.parse(json.stderr).error.errors).toEqual([
      { pointer: '/scopes/1', message: 'is not a scope', option: '--scope', value: 'nonsense' },
    ])
  })
})

describe('hctl keys list', () => {
  test('lists the keys with a status', async () => {
    const { id } = await createKey()
    const { items } = documentOf(await hctl('keys list --status active --json'))
    expect(items.map((key: { id: string }) => key.id)).toContain(id)
  })

  test('says that more keys exist', async () => {
    expect((await hctl('keys list --limit 1')).stderr).toContain('More keys exist')
  })

  test('prints names that cannot control the terminal', async () => {
    const { id } = await createKey()
    // The API refuses such a name; an earlier release stored it.
    const name = '\u001B[2Jgone'
    await user.api.database.pool.query('UPDATE api_keys SET name = $2 WHERE id = $1', [id, name])
    const { stdout } = await hctl('keys list')
    expect(stdout).not.toContain('\u001B')
    expect(stdout).toContain('\uFFFD[2Jgone')
  })

  test('fits the terminal, and prints every value whole in a pipe', async () => {
    const name =
      'a key with a rather long name that no terminal of 80 columns can show beside the rest'
    const words = ['keys', 'create', '--json', '--name', name, '--scope', 'sites:read,dns:read']
    const { key } = documentOf(await hctl(words))
    const shown = await hctl('keys list --limit 3', {
      terminal: true,
      columns: 80,
      env: { NO_COLOR: '1' },
    })
    const lines = shown.stdout.trimEnd().split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(shown.stdout).toMatch(new RegExp(`${key.id}  a key .*…  Active`))
    const piped = await hctl('keys list --limit 3')
    expect(piped.stdout).toContain(name)
    expect(piped.stdout).toContain('REQUESTS TODAY')
  })
})

describe('hctl keys show', () => {
  test('shows one key', async () => {
    const { id, key } = await createKey()
    expect(documentOf(await hctl(`keys show ${id} --json`))).toEqual({ key })
    expect((await hctl(`keys show ${id}`)).stdout).toMatch(/name +ci\nstatus +Active\n/)
  })

  test.each(['aaaaaaaaaaaa', 'not-an-id'])('exits with 1 for %s, and names it', async (id) => {
    const missing = await hctl(`keys show ${id}`)
    expect(missing.code).toBe(1)
    expect(missing.stderr).toMatch(new RegExp(`There is no key with the id( or name)? "${id}"`))
    expect(missing.stderr).toContain('hctl keys list shows the ids.')
  })
})

describe('hctl keys update', () => {
  test('changes only what is given', async () => {
    const { id } = await createKey('--ip', '127.0.0.0/8')
    const words = ['keys', 'update', id, '--json', '--name', 'renamed', '--rate-limit', '30']
    expect(documentOf(await hctl(words)).key).toMatchObject({
      name: 'renamed',
      rate_limit_per_minute: 30,
      ip_allowlist: ['127.0.0.0/8'],
    })
    const { key } = documentOf(await hctl(`keys update ${id} --any-ip --scope dns:read --json`))
    expect(key).toMatchObject({ name: 'renamed', ip_allowlist: null, scopes: ['dns:read'] })
  })

  test('exits with 2 if nothing is given, or --ip and --any-ip', async () => {
    const id = 'aaaaaaaaaaaa'
    expect(failureOf(await hctl(`keys update ${id} --json`))).toEqual({ exit: 2, code: 'usage' })
    const both = await hctl(`keys update ${id} --any-ip --ip 127.0.0.1 --json`)
    expect(failureOf(both)).toEqual({ exit: 2, code: 'usage' })
  })
})

describe('hctl keys: accounts, enabling and descendants', () => {
  test('create and update limit a key to accounts, and show lists them', async () => {
    const [a, b] = [await user.tenant.makeAccount(), await user.tenant.makeAccount()]
    const { id, key } = await createKey('--account', a, '--account', b)
    expect(key).toMatchObject({ accounts: [a, b], parent_key_id: (await ownKey()).id })
    const { stdout } = await hctl(`keys show ${id}`)
    expect(stdout).toContain(a)
    expect(stdout).toMatch(/kind +Personal/i)
    const limited = documentOf(await hctl(`keys update ${id} --account ${b} --json`))
    expect(limited.key.accounts).toEqual([b])
    const free = documentOf(await hctl(`keys update ${id} --any-account --json`))
    expect(free.key.accounts).toBeNull()
    const both = await hctl(`keys update ${id} --any-account --account ${a} --json`)
    expect(failureOf(both)).toEqual({ exit: 2, code: 'usage' })
  })

  test('names the option and the value of an account that the user cannot access', async () => {
    const id = '01900000-0000-7000-8000-000000000000'
    const refused = await hctl(`keys create --name a --scope *:read --account ${id}`)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(`--account ${id}: is not an account`)
    expect(refused.stderr).not.toContain('shows the valid values')
  })

  test('a limited key creates keys with its own accounts by default', async () => {
    const account = await user.tenant.makeAccount()
    const words = ['--scope', 'apikeys:write', '--account', account]
    const { token } = await createKey(...words)
    const made = await hctl('keys create --name b --scope apikeys:read --json', {
      env: { HCTL_TOKEN: token },
    })
    expect(documentOf(made).key.accounts).toEqual([account])
  })

  test('update disables and enables a key, and list finds disabled ones', async () => {
    const { id, token } = await createKey()
    const disabled = documentOf(await hctl(`keys update ${id} --no-enabled --json`))
    expect(disabled.key).toMatchObject({ enabled: false, status: 'disabled' })
    expect((await hctl('whoami --json', { env: { HCTL_TOKEN: token } })).code).toBe(3)
    const { items } = documentOf(await hctl('keys list --status disabled --json'))
    expect(items.map((key: { id: string }) => key.id)).toContain(id)
    expect((await hctl(`keys show ${id}`)).stdout).toMatch(/\nstatus +Disabled\n/)
    expect(documentOf(await hctl(`keys update ${id} --enabled --json`)).key.enabled).toBe(true)
    expect((await hctl('whoami --json', { env: { HCTL_TOKEN: token } })).code).toBe(0)
  })

  test('revoke --descendants revokes the keys that were created with the key', async () => {
    const { id, token } = await createKey('--scope', 'apikeys:write')
    const env = { HCTL_TOKEN: token }
    const child = documentOf(
      await hctl('keys create --name c --scope apikeys:read --json', { env }),
    )
    const revoked = await hctl(`keys revoke ${id} --descendants --yes`)
    expect(revoked.stdout).toContain(`Key ${id} and everything created with it are revoked.`)
    const shown = documentOf(await hctl(`keys show ${child.key.id} --json`))
    expect(shown.key).toMatchObject({ status: 'revoked', parent_key_id: id })
  })
})

describe('hctl keys rotate', () => {
  test('returns a new token, with an overlap period', async () => {
    const { id, token } = await createKey()
    const rotated = documentOf(await hctl(`keys rotate ${id} --grace 1h --json`))
    expect(rotated.key.previous_secret_expires_at).not.toBeNull()
    expect(rotated.token).not.toBe(token)
  })

  test('stores the new token of the key in use', async () => {
    const { id } = await ownKey()
    const rotated = await hctl(`keys rotate ${id}`)
    expect(rotated.stderr).toContain('the system keychain has the new token')
    expect((await hctl('whoami')).code).toBe(0)
  })
})

describe('hctl keys usage', () => {
  test('prints 30 days', async () => {
    const { id } = await createKey()
    expect(documentOf(await hctl(`keys usage ${id} --json`)).items).toHaveLength(30)
  })

  test('prints the requests of a day by outcome', async () => {
    const { id } = await createKey()
    await user.api.database.prisma.$executeRaw`
      INSERT INTO api_key_usage (key_id, date, requests, refused, rate_limited)
      VALUES (${id}, (now() AT TIME ZONE 'UTC')::date, 9, 3, 2)`
    const [head, today] = (await hctl(`keys usage ${id}`)).stdout.split('\n')
    expect(head).toMatch(/^DATE +REQUESTS +REFUSED +RATE LIMITED/i)
    expect(today).toMatch(/^\d{4}-\d\d-\d\d +9 +3 +2/)
  })
})

describe('hctl keys scopes', () => {
  test('lists the scopes and their permissions', async () => {
    expect((await hctl('keys scopes')).stdout).toMatch(/\napikeys:read +apikeys\.read/)
  })
})

describe('hctl keys revoke', () => {
  test('exits with 2 without --yes if nobody can be asked, and revokes nothing', async () => {
    const { id, token } = await createKey()
    for (const situation of [{}, { terminal: true }]) {
      const refused = await hctl(`keys revoke ${id} --json`, situation)
      expect(failureOf(refused)).toEqual({ exit: 2, code: 'confirmation_required' })
    }
    const plain = await hctl(`keys revoke ${id}`)
    expect(plain).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') })
    expect((await hctl('whoami', { env: { HCTL_TOKEN: token } })).code).toBe(0)
  })

  test('revokes with --yes, and the key gets 401: exit code 3', async () => {
    const { id, token } = await createKey()
    expect(documentOf(await hctl(`keys revoke ${id} --yes --json`))).toEqual({
      id,
      status: 'revoked',
    })
    const env = { HCTL_TOKEN: token }
    expect(failureOf(await hctl('webhooks list --json', { env }))).toEqual({
      exit: 3,
      code: 'invalid_api_key',
    })
  })
})

describe('hctl audit', () => {
  test('lists events by action, newest first', async () => {
    const { id } = await createKey()
    const events = documentOf(await hctl('audit --action api_key.create --since 1h --json'))
    expect(events.items[0]).toMatchObject({
      action: 'api_key.create',
      actor: { name: 'Ana' },
      target: { id },
    })
    const { stdout } = await hctl('audit --limit 3')
    expect(stdout.split('\n')).toHaveLength(5)
    expect(stdout).toContain('  Success  ')
  })

  test('prints all matching events as CSV, or as many as --limit, and says that more exist', async () => {
    await createKey()
    await createKey()
    const all = await hctl('audit --action api_key.create --since 1h --csv')
    const [header, ...lines] = all.stdout.trimEnd().split('\n')
    expect(header).toMatch(/^id,occurred_at,action,/)
    expect(lines.length).toBeGreaterThan(2)
    expect(all.stderr).toBe('')
    const some = await hctl('audit --action api_key.create --csv --limit 1')
    expect(some.stdout.split('\n').slice(0, 2)).toEqual([header, lines[0]])
    expect(some.stderr).toContain('More audit entries exist.')
    expect((await hctl('audit --csv --json')).code).toBe(2)
  })
})
