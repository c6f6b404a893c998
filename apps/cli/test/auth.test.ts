import { afterAll, describe, expect, test } from '@jest/globals'
import { documentOf, failureOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const hctl: typeof user.hctl = (...given) => user.hctl(...given)

afterAll(() => expect(user.machine.keychain.size).toBe(0))

describe('hctl whoami', () => {
  test('shows the user and the key of the device login', async () => {
    const me = documentOf(await hctl('whoami --json'))
    expect(me.key).toMatchObject({ name: 'CLI: laptop', source: 'device', scopes: ['*'] })
    expect((await hctl('whoami')).stdout).toContain(`Ana <${user.email}>`)
  })

  test('uses HCTL_TOKEN before the stored key', async () => {
    const { token, id } = await user.tenant.makeKey({ scopes: ['apikeys:read'] })
    const env = { HCTL_TOKEN: token }
    expect(documentOf(await hctl('whoami --json', { env })).key.id).toBe(id)
    expect(documentOf(await hctl('auth status --json', { env }))).toMatchObject({
      source: 'HCTL_TOKEN',
    })
  })

  test('does not send the stored key to another server', async () => {
    const elsewhere = await hctl('whoami --json --server https://elsewhere.example')
    expect(failureOf(elsewhere)).toEqual({ exit: 2, code: 'other_server' })
  })
})

describe('hctl auth status', () => {
  test('shows where the key comes from', async () => {
    const { key } = documentOf(await hctl('whoami --json'))
    expect(documentOf(await hctl('auth status --json'))).toEqual({
      profile: 'default',
      server: user.api.url,
      source: 'keychain',
      key_id: key.id,
      valid: true,
    })
  })
})

describe('hctl profiles', () => {
  test('lists and chooses profiles', async () => {
    expect(documentOf(await hctl('profiles list --json'))).toMatchObject({
      items: [{ name: 'default', current: true, user: user.email }],
    })
    expect((await hctl('profiles use default')).code).toBe(0)
    expect(failureOf(await hctl('profiles use missing --json'))).toEqual({
      exit: 2,
      code: 'no_profile',
    })
  })
})

describe('a read-only sign-in', () => {
  test('can read; writes exit with 3; logout revokes its key', async () => {
    await user.signIn('read_only', 'reader')
    expect((await hctl('webhooks list --profile reader --json')).code).toBe(0)
    const refused = await hctl('keys create --profile reader --name a --scope *:read --json')
    expect(failureOf(refused)).toEqual({ exit: 3, code: 'insufficient_scope' })
    const { key } = documentOf(await hctl('whoami --profile reader --json'))
    const out = documentOf(await hctl('logout --profile reader --json'))
    expect(out.items).toMatchObject([{ revoked: true, reason: null, key_id: key.id }])
    const { apiKey } = user.api.database.prisma
    const stored = await apiKey.findUnique({ where: { id: key.id as string } })
    expect(stored!.revokedAt).not.toBeNull()
  })
})

describe('a revoked key', () => {
  test('exits with 3 and says what to do; auth status says that it is not valid', async () => {
    const { id } = documentOf(await hctl('whoami --json')).key as { id: string }
    expect((await hctl(`keys revoke ${id} --yes`)).code).toBe(0)
    const refused = await hctl('keys list')
    expect(refused).toMatchObject({ code: 3, stdout: '' })
    expect(refused.stderr).toContain('Run hctl login')
    const status = await hctl('auth status --json')
    expect(JSON.parse(status.stdout)).toMatchObject({ valid: false })
    expect(failureOf(status)).toEqual({ exit: 3, code: 'invalid_api_key' })
  })

  test('is deleted by logout', async () => {
    expect(documentOf(await hctl('logout --json')).items).toMatchObject([{ revoked: true }])
    expect(failureOf(await hctl('keys list --json'))).toEqual({ exit: 3, code: 'not_signed_in' })
  })
})
