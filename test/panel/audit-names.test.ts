import { expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })

test('the audit log names a deleted endpoint without a link to its page', async () => {
  const ana = await makeSignedIn(api, await api.makeTenant())
  const call = callWith(api, ana)
  const body = { url: 'https://example.com/hook', events: ['*'], description: 'Pager' }
  const { id } = (await call('post', '/webhooks', { body })).body.webhook
  const linkTo = `<a class="standalone" href="/webhooks/${id}"><bdi>Pager</bdi></a>`
  expect((await visitorOf(api, ana).get('/audit')).text).toContain(linkTo)
  await call('delete', `/webhooks/${id}`)
  const { text } = await visitorOf(api, ana).get('/audit?action=webhook.delete')
  expect(text).toContain(`<bdi title="${id}">Pager</bdi></b> (deleted)`)
  expect(text).not.toContain(`href="/webhooks/${id}"`)
})

test('people with the same name are distinguished by their email address', async () => {
  const tenant = await api.makeTenant()
  const [ana, other] = [
    await makeSignedIn(api, tenant, { name: 'Ana' }),
    await makeSignedIn(api, tenant, { name: 'Ana' }),
  ]
  const body = { name: 'A key', scopes: ['sites:read'] }
  for (const each of [ana, other]) await callWith(api, each)('post', '/api-keys', { body })
  const { text } = await visitorOf(api, ana).get('/audit')
  const { items } = (await callWith(api, ana)('get', '/audit-log?action=api_key.create')).body
  expect(items).toHaveLength(2)
  for (const { userId, email } of [ana, other]) {
    expect(text).toContain(`<option value="${userId}">Ana (${email})</option>`)
  }
})
