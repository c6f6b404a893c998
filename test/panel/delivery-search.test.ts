import { expect, test } from '@jest/globals'
import { siteData } from '../support/events.ts'
import { useApi } from '../support/api.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })

test('a search that has not reached the oldest delivery does not say that nothing matches', async () => {
  const tenant = await api.makeTenant()
  const ana = await makeSignedIn(api, tenant)
  const body = { url: 'https://hooks.example.com/in', events: ['*'] }
  await callWith(api, ana)('post', '/webhooks', { body })
  const event = { tenant_id: tenant.id, type: 'site.created', data: siteData }
  for (let batch = 0; batch < 6; batch++) {
    const events = Array.from({ length: 1_000 }, () => event)
    expect((await api.callInternal('post', '/events', { events })).status).toBe(202)
  }
  const visitor = visitorOf(api, ana)
  const { text } = await visitor.get('/deliveries?status=succeeded')
  expect(text).toContain('No matches so far')
  const [, older] = /href="([^"]*)" rel="next"/.exec(text)!
  const rest = (await visitor.get(older!.replaceAll('&amp;', '&'))).text
  expect(rest).toContain('No matching deliveries')
}, 120_000)

test('a deleted endpoint stays chosen in the filter', async () => {
  const ana = await makeSignedIn(api, await api.makeTenant())
  const call = callWith(api, ana)
  const body = { url: 'https://hooks.example.com/in', events: ['*'] }
  const { id } = (await call('post', '/webhooks', { body })).body.webhook
  await call('delete', `/webhooks/${id}`)
  const { text } = await visitorOf(api, ana).get(`/deliveries?webhook_id=${id}`)
  expect(text).toContain(`<option value="${id}" selected>Deleted endpoint</option>`)
})

test('an event ID in the URL is a search, and an invalid one is explained there', async () => {
  const visitor = visitorOf(api, await makeSignedIn(api, await api.makeTenant()))
  const id = '01900000-0000-7000-8000-000000000000'
  const none = await visitor.get(`/deliveries?event_id=${id}`)
  expect(none.text).toMatch(new RegExp(`name="q"[^>]* value="${id}"`))
  expect(none.text).toContain('No matching deliveries')
  const invalid = await visitor.get('/deliveries?event_id=0190')
  expect(invalid.status).toBe(422)
  expect(invalid.text).toContain('“0190” is not a complete ID.')
})
