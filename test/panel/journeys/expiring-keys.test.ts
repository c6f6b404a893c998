import { addKeyUses } from '@hosting/postgres/api-keys'
import { expect, test } from '@jest/globals'
import { useApi, type TestTenant } from '../../support/api.ts'
import { keyUse } from '../../support/key-uses.ts'
import { callWith, makeSignedIn, type PersonOptions } from '../../support/session.ts'
import { headingOf, visitorOf } from '../visitor.ts'

const api = useApi()
const dayMs = 86_400_000

/** A signed-in person who creates keys, and what their overview says. */
async function enter(tenant: TestTenant, options: PersonOptions = {}) {
  const person = await makeSignedIn(api, tenant, options)
  const call = callWith(api, person)
  const visitor = visitorOf(api, person)
  return {
    call,
    visitor,
    /** Creates a key that was created and expires some days from now. */
    async makeKey(name: string, [created, expires]: [created: number, expires: number]) {
      const body = { name, scopes: ['sites:write', 'jobs:read'] }
      const id = (await call('post', '/api-keys', { body })).body.key.id as string
      await api.database.pool.query(
        'UPDATE api_keys SET created_at = $2, expires_at = $3 WHERE id = $1',
        [id, new Date(Date.now() + created * dayMs), new Date(Date.now() + expires * dayMs)],
      )
      return id
    },
    /** The section about expiring keys, and its texts. */
    async section(): Promise<{ html: string; text: string }> {
      const { text: page } = await visitor.get('/')
      const html = /<h2>Needs attention.*?<\/section>/s.exec(page)?.[0] ?? ''
      return { html, text: html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ') }
    },
  }
}

test('a key that expires soon is listed with its requests, its expiry and its replacement', async () => {
  const { makeKey, section, visitor } = await enter(await api.makeTenant())
  const id = await makeKey('Nightly <export>', [-80, 5])
  await addKeyUses(api.database, [keyUse(id, Date.now(), { requests: 1_234 })])
  const { html, text } = await section()
  expect(text).toContain(
    'Nightly &lt;export> API key expires. Create a new key and switch to it before this one expires. 1,234 requests in 7 days Expires in ',
  )
  const link = /href="(\/keys\/new[^"]*)"[^>]*>Create replacement/.exec(html)![1]!
  const form = await visitor.get(link.replaceAll('&amp;', '&'))
  expect(headingOf(form)).toBe('Create API key')
  expect(form.text).toContain('value="Nightly &lt;export>"')
  expect(form.text.match(/name="scopes" value="[^"]*" checked/g)).toEqual([
    'name="scopes" value="jobs:read" checked',
    'name="scopes" value="sites:read" checked',
    'name="scopes" value="sites:write" checked',
  ])
})

test('only active keys with a long lifetime are listed, the next to expire first', async () => {
  const { makeKey, section, call } = await enter(await api.makeTenant())
  await makeKey('In six days', [-10, 6])
  await makeKey('Tomorrow', [-90, 1])
  await makeKey('In eight days', [-90, 8])
  await makeKey('Expired', [-90, -1])
  await makeKey('For one week', [-6, 1])
  const disabled = await makeKey('Switched off', [-90, 1])
  await call('patch', `/api-keys/${disabled}`, { body: { enabled: false } })
  await call('delete', `/api-keys/${await makeKey('Revoked', [-90, 1])}`)
  const { text } = await section()
  const names = ['In six days', 'Tomorrow', 'In eight days', 'Expired', 'For one week']
  const listed = [...names, 'Switched off', 'Revoked'].filter((name) => text.includes(name))
  expect(listed).toEqual(['In six days', 'Tomorrow'])
  expect(text.indexOf('Tomorrow')).toBeLessThan(text.indexOf('In six days'))
})

test('people see only the keys that they may see', async () => {
  const tenant = await api.makeTenant()
  const [admin, customer] = [await enter(tenant), await enter(tenant, { roles: ['customer'] })]
  await admin.makeKey('Of the admin', [-90, 2])
  await customer.makeKey('Of the customer', [-90, 2])
  expect((await admin.section()).text).toMatch(
    /Of the admin.*Of the customer|Of the customer.*Of the admin/,
  )
  const { text } = await customer.section()
  expect(text).toContain('Of the customer')
  expect(text).not.toContain('Of the admin')
})

test('the first ten keys are listed with the number of further ones', async () => {
  const { makeKey, section, visitor } = await enter(await api.makeTenant())
  for (let key = 0; key < 12; key++) await makeKey(`Key ${key}`, [-90, 2])
  const { html, text } = await section()
  expect(html.match(/API key expires/g)).toHaveLength(10)
  expect(text).toContain('And 2 more')
  expect((await visitor.get('/')).text).toContain('12 problems')
})

test('keys that do not expire soon are not mentioned', async () => {
  const { makeKey, visitor } = await enter(await api.makeTenant())
  await makeKey('Fresh', [-1, 80])
  const { text } = await visitor.get('/')
  expect(text).not.toContain('Needs attention')
  expect(text).not.toContain('API key expires')
})
