import { expect, test } from '@jest/globals'
import { lastFailure, makeAttempts, success } from '../../apps/api/test/support/attempts.ts'
import { makeSubscriber } from '../../apps/api/test/support/delivery-list.ts'
import { buildEvent, publish } from '../../apps/api/test/support/events.ts'
import { useApi } from '../support/api.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { headingOf, visitorOf } from './visitor.ts'

const api = useApi()

/** A person of an organization with an endpoint that subscribes to events of sites. */
async function enter(options: Parameters<typeof makeSignedIn>[2] = {}) {
  const { tenant, webhookId } = await makeSubscriber(api, { events: ['site.*'] })
  const person = await makeSignedIn(api, tenant, options)
  const visitor = visitorOf(api, person)
  const rowsOf = async (query = ''): Promise<string[]> =>
    [...(await visitor.get(`/events${query}`)).text.matchAll(/<tr [^>]*role="row">.*?<\/tr>/gs)]
      .map(([row]) => row.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '))
      .slice(1)
  return { tenant, webhookId, visitor, rowsOf, call: callWith(api, person) }
}

test('each event is listed with the statuses of its deliveries, newest first', async () => {
  const { tenant, visitor, rowsOf } = await enter()
  const [lost] = (await publish(api, tenant.id, { type: 'site.created' })).deliveryIds
  const [sent] = (await publish(api, tenant.id, { type: 'site.deleted' })).deliveryIds
  await publish(api, tenant.id, { type: 'job.failed' })
  await makeAttempts(api, lost!, [lastFailure])
  await makeAttempts(api, sent!, [success])
  await visitor.submit(`/deliveries/${sent}`, { do: 'redeliver' })
  expect(await rowsOf()).toEqual([
    expect.stringMatching(/job\.failed .* None /),
    expect.stringMatching(/site\.deleted .* Queued Delivered /),
    expect.stringMatching(/site\.created .* Failed /),
  ])
})

test('the filters match those of the API', async () => {
  const { tenant, rowsOf } = await enter()
  const about = async (type: string, data: Record<string, unknown>) => {
    const event = buildEvent(tenant.id, { type })
    const body = { ...event, data: { ...event.data, ...data } }
    expect((await api.callInternal('post', '/events', body)).status).toBe(202)
  }
  await about('site.created', { object_id: 'site-1', account_id: 'one' })
  await about('site.deleted', { object_id: 'site-1', account_id: 'two' })
  await about('job.failed', { object_id: 'job-1' })
  expect(await rowsOf('?types=site.*')).toHaveLength(2)
  expect(await rowsOf('?types=site.created,job.failed')).toHaveLength(2)
  expect(await rowsOf('?object_id=site-1')).toHaveLength(2)
  expect(await rowsOf('?object_id=%20site-1%20&account_id=two')).toHaveLength(1)
  expect(await rowsOf('?since=2026-01-01T00:00')).toHaveLength(3)
  expect(await rowsOf('?since=2099-01-01T00:00')).toHaveLength(0)
})

test.each([
  ['types=nonsense', 'Event type: </span>“nonsense” is not an event type.'],
  ['since=yesterday', 'From: </span>“yesterday” is not a date and time.'],
  [`object_id=${'x'.repeat(2_000)}`, 'Object ID: </span>“xxx'],
  ['account_id=%00', 'Account ID: </span>'],
])('an invalid filter is explained: %s', async (query, message) => {
  const { visitor } = await enter()
  const { status, text } = await visitor.get(`/events?${query}`)
  expect(status).toBe(422)
  expect(text).toContain(message)
})

test('a page leads to older events and back', async () => {
  const { tenant, visitor, rowsOf } = await enter()
  const events = Array.from({ length: 51 }, () => buildEvent(tenant.id, { type: 'job.failed' }))
  await api.callInternal('post', '/events', { events })
  const { text } = await visitor.get('/events')
  const [, older] = /href="\/events([^"]*)" rel="next"/.exec(text)!
  expect(await rowsOf()).toHaveLength(50)
  expect(await rowsOf(older!.replaceAll('&amp;', '&'))).toHaveLength(1)
  expect((await visitor.get(`/events${older!}`)).text).toContain('>Newest<')
  expect((await visitor.get('/events?cursor=nonsense')).status).toBe(422)
})

test('the page of an event shows its deliveries and its payload', async () => {
  const { tenant, visitor } = await enter()
  const event = buildEvent(tenant.id, { type: 'site.created' })
  const { body } = await api.callInternal('post', '/events', event)
  const { id } = body.items[0]
  const page = await visitor.get(`/events/${id}`)
  expect(headingOf(page)).toBe('site.created')
  expect(page.text).toContain('Deliveries, newest first')
  expect(page.text).toContain('Payload')
  expect(page.text).toMatch(/href="\/events\?object_id=/)
})

test('a delivery links to its event, except for a ping, which is not in the log', async () => {
  const { tenant, visitor, call, webhookId } = await enter()
  const { deliveryIds } = await publish(api, tenant.id, { type: 'site.created' })
  expect((await visitor.get(`/deliveries/${deliveryIds[0]}`)).text).toContain('View event')
  const ping = (await call('post', `/webhooks/${webhookId}/ping`)).body.delivery
  expect((await visitor.get(`/deliveries/${ping.id}`)).text).not.toContain('View event')
  expect((await visitor.get(`/events/${ping.event.id}`)).status).toBe(404)
})

test('people of other organizations, and those without the permission, see no events', async () => {
  const { tenant } = await enter()
  const event = buildEvent(tenant.id, { type: 'site.created' })
  const { id } = (await api.callInternal('post', '/events', event)).body.items[0]
  const other = await enter()
  expect((await other.visitor.get(`/events/${id}`)).status).toBe(404)
  expect(await other.rowsOf()).toEqual([])
  const customer = await enter({ roles: ['customer'] })
  expect((await customer.visitor.get('/events')).status).toBe(403)
  expect((await customer.visitor.get('/')).text).not.toContain('href="/events"')
})

test('payloads are in colors, and what looks like HTML in them stays text', async () => {
  const { tenant, visitor } = await enter()
  const { data } = buildEvent(tenant.id)
  const members = { data: { ...data, primary_domain: '<b onclick="a()">&amp;.example' } }
  const { id, deliveryIds } = await publish(api, tenant.id, members as object)
  for (const path of [`/events/${id}`, `/deliveries/${deliveryIds[0]}`]) {
    const { text } = await visitor.get(path)
    const [, payload] = /id="payload">(.*?)<\/pre>/s.exec(text)!
    expect(payload).toContain('<span class="h-attr">"primary_domain"</span>')
    expect(payload).toContain(
      '<span class="h-string">"&lt;b onclick=\\"a()\\"&gt;&amp;amp;.example"</span>',
    )
  }
})
