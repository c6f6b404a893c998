import { describe, expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { foldsOf, enterPanel } from './enter.ts'
import type { Fields } from './visitor.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })

const enter = () => enterPanel(api)

describe('the form of an endpoint', () => {
  test('asks for the events before the limits and headers, which are folded away', async () => {
    const { visitor } = await enter()
    const { text } = await visitor.get('/webhooks/new')
    const names = ['url', 'description', 'events', 'rate_limit_per_second', 'headers']
    const places = names.map((name) => text.indexOf(`name="${name}"`))
    expect(Math.min(...places)).toBeGreaterThan(0)
    expect(places.toSorted((one, other) => one - other)).toEqual(places)
    expect(foldsOf(text)).toEqual([
      ['Limits', false],
      ['Headers and signature', false],
    ])
  })

  test.each([
    [{ rate_limit_per_second: 5 }, [true, false]],
    [{ headers: { 'X-A': 'b' } }, [false, true]],
    [{ standard_webhooks: true }, [false, true]],
  ])('opens the group with a value of the endpoint: %j', async (values, open) => {
    const { visitor, call } = await enter()
    const body = { url: 'https://example.com/in', events: ['*'], ...values }
    const { webhook } = (await call('post', '/webhooks', { body })).body
    const { text } = await visitor.get(`/webhooks/${webhook.id}/edit`)
    expect(foldsOf(text).map(([, isOpen]) => isOpen)).toEqual(open)
  })

  test('takes the accounts of the organization, shows their names, and keeps a deleted one', async () => {
    const { visitor, call, tenant } = await enter()
    const accounts = [await tenant.makeAccount(), await tenant.makeAccount()]
    expect(foldsOf((await visitor.get('/webhooks/new')).text)[0]).toEqual(['Accounts', false])
    const body = { url: 'https://example.com/in', events: ['*'], accounts }
    const { webhook } = (await call('post', '/webhooks', { body })).body
    const edit = `/webhooks/${webhook.id}/edit`
    expect(foldsOf((await visitor.get(edit)).text)[0]).toEqual(['Accounts', true])
    await api.callInternal('delete', `/accounts/${accounts[0]}`)
    const save = async (chosen: readonly string[]) => {
      const fields = { do: 'save', url: body.url, events: '*', accounts: chosen }
      expect((await visitor.post(edit, fields)).status).toBe(303)
      return (await call('get', `/webhooks/${webhook.id}`)).body.webhook.accounts
    }
    expect(await save(accounts)).toEqual(accounts)
    const { text } = await visitor.get(`/webhooks/${webhook.id}/settings`)
    expect(text).toContain(accounts[0])
    expect(text).not.toContain(accounts[1])
    expect(await save([accounts[1]!])).toEqual([accounts[1]])
    expect(await save([])).toBeNull()
  })

  test('shows what a chosen pattern includes as checked, and does not let it be changed', async () => {
    const { visitor, call } = await enter()
    const body = { url: 'https://example.com/in', events: ['alert.*'] }
    const { webhook } = (await call('post', '/webhooks', { body })).body
    const { text } = await visitor.get(`/webhooks/${webhook.id}/edit`)
    expect(text).toMatch(/name="events" value="alert\.\*" checked data-implied-by="\*"/)
    expect(text).toMatch(/name="events" value="alert\.firing" checked disabled/)
    expect(text).not.toMatch(/name="events" value="site\.created" checked/)
  })

  test.each<[Fields, string, boolean[]]>([
    [{ rate_limit_per_second: '0' }, 'rate_limit_per_second', [true, false]],
    [{ headers: 'Host: x' }, 'headers', [false, true]],
    [{ url: 'nonsense', rate_limit_per_second: '5' }, 'url', [true, false]],
    [{ url: 'nonsense' }, 'url', [false, false]],
  ])(
    'shows an error beside its field and with a link, and keeps what was typed: %j',
    async (values, name, open) => {
      const { visitor } = await enter()
      const typed = { url: 'https://example.com/in', description: 'Typed', events: 'site.*' }
      const { text } = await visitor.submit('/webhooks/new', { do: 'create', ...typed, ...values })
      expect(text).toContain(`<a href="#field-${name}">`)
      expect(text).toContain(`id="field-${name}-error"`)
      expect(text).toContain('value="Typed"')
      expect(text).toMatch(/name="events" value="site\.\*" checked/)
      expect(foldsOf(text).map(([, isOpen]) => isOpen)).toEqual(open)
      const { headers, ...shown } = values
      for (const value of Object.values(shown)) expect(text).toContain(`value="${String(value)}"`)
      expect(text.includes('Host: </textarea>')).toBe(headers !== undefined)
    },
  )
})
