import { describe, expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { foldsOf, enterPanel } from './enter.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })

const enter = () => enterPanel(api)

describe('the form of a key', () => {
  test('asks for the owner and the scopes before the restrictions, which are folded away', async () => {
    const { visitor } = await enter()
    const { text } = await visitor.get('/keys/new')
    const names = ['name', 'kind', 'scopes', 'lifetime', 'ip_allowlist', 'rate_limit_per_minute']
    const places = names.map((name) => text.indexOf(`name="${name}"`))
    expect(Math.min(...places)).toBeGreaterThan(0)
    expect(places.toSorted((one, other) => one - other)).toEqual(places)
    expect(foldsOf(text)).toEqual([['Restrictions', false]])
  })

  test.each([{ ip_allowlist: ['203.0.113.7'] }, { rate_limit_per_minute: 5 }])(
    'shows the restrictions that the key has: %j',
    async (fields) => {
      const { visitor, call } = await enter()
      const body = { name: 'Restricted', scopes: ['sites:read'], ...fields }
      const { key } = (await call('post', '/api-keys', { body })).body
      const { text } = await visitor.get(`/keys/${key.id}/edit`)
      expect(foldsOf(text)).toEqual([['Restrictions', true]])
    },
  )

  test('has the focus on the owner, alone, if only the owner is not allowed', async () => {
    const { visitor, call } = await enter()
    const body = {
      max_lifetime_days: null,
      ip_allowlist_required: false,
      personal_keys_allowed: false,
    }
    expect((await call('put', '/tenant/key-policy', { body })).status).toBe(200)
    const fields = { name: 'Mine', kind: 'personal', scopes: 'sites:read', lifetime: '30' }
    const { text } = await visitor.submit('/keys/new', { do: 'create', ...fields })
    const focused = text.match(/<[^>]*\sautofocus[^>]*>/g)
    expect(focused).toEqual([expect.stringMatching(/^<fieldset [^>]*id="field-kind"/)])
    expect(focused![0]).toContain('tabindex="-1"')
  })
})
