import { describe, expect, test } from '@jest/globals'
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
  for (let batch = 0; batch < 3; batch++) {
    const events = Array.from({ length: 1_000 }, () => event)
    expect((await api.callInternal('post', '/events', { events })).status).toBe(202)
  }
  const visitor = visitorOf(api, ana)
  const olderOf = (text: string) => /href="([^"]*)" rel="next"/.exec(text)?.[1]
  let { text } = await visitor.get('/deliveries?event_type=site.deleted')
  expect(olderOf(text)).toBeDefined()
  for (let older = olderOf(text); older !== undefined; older = olderOf(text)) {
    expect(text).toContain('No matches so far')
    ;({ text } = await visitor.get(older.replaceAll('&amp;', '&')))
  }
  expect(text).toContain('No matching deliveries')
}, 120_000)

test('a deleted endpoint remains selected in the filter', async () => {
  const ana = await makeSignedIn(api, await api.makeTenant())
  const call = callWith(api, ana)
  const body = { url: 'https://hooks.example.com/in', events: ['*'] }
  const { id } = (await call('post', '/webhooks', { body })).body.webhook
  await call('delete', `/webhooks/${id}`)
  const { text } = await visitorOf(api, ana).get(`/deliveries?webhook_id=${id}`)
  expect(text).toContain(`<option value="${id}" selected>Deleted endpoint</option>`)
})

test('an event id in the URL starts a search', async () => {
  const visitor = visitorOf(api, await makeSignedIn(api, await api.makeTenant()))
  const id = '01900000-0000-7000-8000-000000000000'
  const { status, text } = await visitor.get(`/deliveries?event_id=${id}`)
  expect(status).toBe(200)
  expect(text).toMatch(new RegExp(`name="q"[^>]* value="${id}"`))
  expect(text).toContain('as the ID of the delivery or its event, the ID of its object, or')
})

describe('a search that finds nothing', () => {
  const wordsOf = ({ text }: { text: string }) =>
    text.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')

  test.each([
    [
      '0190',
      'has “0190” as the ID of its object, or the domain, zone or host name of its event. Enter at least 8',
    ],
    [
      '0199f2d4-31',
      'as the start of the ID of the delivery or its event, the ID of its object or the start of it, or',
    ],
    ['site.deleted', 'as its event type, the ID of its object or the start of it, or the domain'],
    ["%' OR 1=1 --", `has “%' OR 1=1 --” as the ID of its object`],
    ['\0', 'as the ID of its object'],
    ['x'.repeat(101), 'as the ID of its object or the start of it'],
  ])('explains how it was understood, with 200: %j', async (q, words) => {
    const visitor = visitorOf(api, await makeSignedIn(api, await api.makeTenant()))
    const page = await visitor.get(`/deliveries?${new URLSearchParams({ q })}`)
    expect(page.status).toBe(200)
    expect(wordsOf(page)).toContain('No matching deliveries')
    expect(wordsOf(page)).toContain(words)
    expect(page.text).not.toContain('role="alert"')
  })

  test('offers the endpoints and event types whose names contain the text, and fewer filters', async () => {
    const ana = await makeSignedIn(api, await api.makeTenant())
    const body = { url: 'https://hooks.example.com/site', events: ['*'], description: 'Pager' }
    const { id } = (await callWith(api, ana)('post', '/webhooks', { body })).body.webhook
    const visitor = visitorOf(api, ana)
    const { text } = await visitor.get('/deliveries?q=SITE&status=dead')
    expect(text).toContain(`href="/deliveries?webhook_id=${id}">Deliveries to Pager<`)
    expect(text).toContain('href="/deliveries?event_type=site.created">Deliveries of site.created<')
    expect(text).toContain('href="/deliveries?q=SITE">Search without other filters<')
    expect(text).toContain('No delivery with these filters has')
  })

  test('explains an invalid filter beside it', async () => {
    const visitor = visitorOf(api, await makeSignedIn(api, await api.makeTenant()))
    const page = await visitor.get(`/deliveries?q=${'x'.repeat(101)}&status=broken`)
    expect(page.status).toBe(422)
    expect(wordsOf(page)).toContain('Status: “broken” is not one of the choices.')
    expect(wordsOf(page)).not.toContain('Search: “')
  })
})

test('spaces around filter values are ignored', async () => {
  const visitor = visitorOf(api, await makeSignedIn(api, await api.makeTenant()))
  const { text } = await visitor.get('/deliveries?q=%20&object_id=%20site-1%20')
  expect(text).toMatch(/name="object_id"[^>]* value="site-1"/)
  expect(text).not.toMatch(/name="q"[^>]* value=/)
})
