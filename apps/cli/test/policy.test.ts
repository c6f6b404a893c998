import { describe, expect, test } from '@jest/globals'
import { documentOf, failureOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const hctl: typeof user.hctl = (...given) => user.hctl(...given)

describe('hctl policy show', () => {
  test('shows the policy', async () => {
    expect(documentOf(await hctl('policy show --json'))).toEqual({
      policy: {
        max_lifetime_days: null,
        ip_allowlist_required: false,
        personal_keys_allowed: true,
      },
    })
    const { stdout } = await hctl('policy show')
    expect(stdout).toMatch(/maximum lifetime +none/i)
    expect(stdout).toMatch(/ip allowlist +optional/i)
    expect(stdout).toMatch(/personal keys +allowed/i)
  })
})

describe('hctl policy set', () => {
  test('prints the address of the form with the new and the unchanged values', async () => {
    const { url } = documentOf(
      await hctl('policy set --max-lifetime-days 30 --no-personal-keys --json'),
    )
    const form = new URL(url)
    expect(form.origin).toBe(user.api.url)
    expect(form.pathname).toBe('/organization/key-policy')
    expect(Object.fromEntries(form.searchParams)).toEqual({
      max_lifetime_days: '30',
      ip_allowlist_required: 'false',
      personal_keys_allowed: 'false',
    })
    expect((await hctl('policy show --json')).stdout).toContain('null')
  })

  test('removes the maximum lifetime with --any-lifetime', async () => {
    const { url } = documentOf(await hctl('policy set --any-lifetime --require-ip --json'))
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      max_lifetime_days: 'none',
      ip_allowlist_required: 'true',
      personal_keys_allowed: 'true',
    })
  })

  test('exits with 2 if nothing is given, or --any-lifetime with --max-lifetime-days', async () => {
    const usage = { exit: 2, code: 'usage' }
    expect(failureOf(await hctl('policy set --json'))).toEqual(usage)
    const both = await hctl('policy set --any-lifetime --max-lifetime-days 1 --json')
    expect(failureOf(both)).toEqual(usage)
  })
})

test('hctl keys list --violates-policy lists the keys that violate the policy', async () => {
  const { key } = documentOf(await hctl('whoami --json'))
  expect(documentOf(await hctl('keys list --violates-policy --json')).items).toEqual([])
  await user.api.database.pool.query(
    'UPDATE key_policies SET ip_allowlist_required = true WHERE tenant_id = $1',
    [user.tenant.id],
  )
  const { items } = documentOf(await hctl('keys list --violates-policy --json'))
  expect(items.map(({ id }: { id: string }) => id)).toContain(key.id)
  const { stdout } = await hctl('policy show')
  expect(stdout).toMatch(/ip allowlist +required/i)
})

test('hctl warns of IP allowlists that admit more than a /8 or a /32', async () => {
  const { key } = documentOf(
    await hctl('keys create --name Wide --scope sites:read --ip 10.0.0.0/7 --json'),
  )
  await user.api.database.pool.query(
    `INSERT INTO key_policies (tenant_id, ip_allowlist_required) VALUES ($1, true)
    ON CONFLICT (tenant_id) DO UPDATE SET ip_allowlist_required = true`,
    [user.tenant.id],
  )
  expect((await hctl('policy show')).stderr).toContain('admits more than a /8 (IPv4)')
  const { items } = documentOf(await hctl('keys list --wide-ip-allowlist --json'))
  expect(items.map(({ id }: { id: string }) => id)).toEqual([key.id])
  expect((await hctl(`keys show ${key.id}`)).stdout).toContain('the IP allowlist is wide')
})
