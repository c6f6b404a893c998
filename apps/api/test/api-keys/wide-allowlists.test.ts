import { isWideAllowlist } from '@hosting/core/api-keys'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { setPolicy } from '../support/key-policy.ts'
import { makeKeyWith, type KeyFields, type KeyView } from '../support/keys.ts'
import { wideLists } from '../support/wide-allowlists.ts'

const api = useApi()

describe('wide IP allowlists', () => {
  const wide = { ip_allowlist: ['10.0.0.0/8', '192.0.2.1'] }

  test('the policy warns of the valid keys whose allowlist admits more than a /8 or a /32', async () => {
    const { tenant, token } = await api.makeAdmin()
    const make = async (fields: KeyFields) => (await makeKeyWith(api, token, fields)).id
    const policy = async () => (await api.call('get', '/tenant/key-policy', { token })).body
    const found = async () =>
      (await api.call('get', '/api-keys?wide_ip_allowlist=true', { token })).body.items.map(
        ({ id }: KeyView) => id,
      )
    await make({ ip_allowlist: ['10.0.0.0/8', '2001:db8::/32'] })
    await make({})
    const wideKeys = [await make(wide), await make({ ip_allowlist: ['2001:da8::/31'] })]
    const revoked = await make(wide)
    await api.call('delete', `/api-keys/${revoked}`, { token })
    expect(await found()).toEqual(wideKeys.toReversed())
    expect(await policy()).not.toHaveProperty('warnings')
    await setPolicy(api, tenant, { ip_allowlist_required: true })
    expect((await policy()).warnings).toEqual([
      {
        code: 'wide_ip_allowlist',
        keys: 2,
        message: 'The IP allowlists of 2 keys admit more than a /8 (IPv4) or a /32 (IPv6).',
      },
    ])
    for (const id of wideKeys) await api.call('delete', `/api-keys/${id}`, { token })
    expect(await policy()).not.toHaveProperty('warnings')
    expect(await found()).toEqual([])
  })

  test('keys say so, and the list finds exactly those that `isWideAllowlist` finds', async () => {
    const { token } = await api.makeAdmin()
    const lists = [...wideLists, wide.ip_allowlist, ['10.0.0.0/9', '10.128.0.0/9'], ['2000::/3']]
    for (const ip_allowlist of lists) await makeKeyWith(api, token, { ip_allowlist })
    const keys: KeyView[] = (await api.call('get', '/api-keys', { token })).body.items
    const expected = keys.filter(({ ip_allowlist }) => isWideAllowlist(ip_allowlist))
    expect(expected.length).toBeGreaterThan(wideLists.length / 2)
    expect(keys.filter((key) => key.ip_allowlist_wide)).toEqual(expected)
    const { body } = await api.call('get', '/api-keys?wide_ip_allowlist=true', { token })
    expect(body.items).toEqual(expected)
  })
})
