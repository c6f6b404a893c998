import { describe, expect, test } from '@jest/globals'
import { recordAttempts } from '../../apps/api/test/support/recorded-attempts.ts'
import { publish } from '../../apps/api/test/support/events.ts'
import { makeSubscriber } from '../../apps/api/test/support/delivery-list.ts'
import { useApi } from '../support/api.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { headingOf, visitorOf } from './visitor.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32', PUBLIC_URL: 'http://panel.test' })

async function enter(description: string | null = null) {
  const subscriber = await makeSubscriber(api, { events: ['site.*'] })
  const { tenant, webhookId } = subscriber
  const person = await makeSignedIn(api, tenant)
  const call = callWith(api, person)
  const path = `/webhooks/${webhookId}`
  const url = 'https://hooks.example.com:8443/billing?token=x'
  await call('patch', path, { body: { description, url } })
  return { tenant, webhookId, call, path, visitor: visitorOf(api, person) }
}

const tabs = ['', '/deliveries', '/incidents', '/settings']

describe('the tabs of an endpoint', () => {
  test.each([
    ['Billing connector', 'Billing connector'],
    [null, 'hooks.example.com:8443/billing'],
  ])('have its name as their title (%p), with the URL below', async (description, name) => {
    const { path, visitor } = await enter(description)
    for (const tab of tabs) {
      const response = await visitor.get(path + tab)
      expect(headingOf(response)).toBe(name)
      expect(response.text).toContain('title="https://hooks.example.com:8443/billing?token=x"')
      expect(response.text).toContain(`href="${path}${tab}" aria-current="page"`)
      expect(response.text).toMatch(new RegExp(`<title>[^<]*${name}`))
    }
  })

  test('the deliveries are those of the endpoint, with filters and without its name in each row', async () => {
    const { path, visitor, tenant, webhookId, call } = await enter('Billing')
    const body = { url: 'https://example.com/other', events: ['site.*'], description: 'Other' }
    await call('post', '/webhooks', { body })
    await publish(api, tenant.id, { type: 'site.created' })
    await publish(api, tenant.id, { type: 'site.deleted' })
    const rowsOf = async (query: string) => {
      const { text } = await visitor.get(`${path}/deliveries${query}`)
      return [...text.matchAll(/<tr id="delivery-[^>]*>.*?<\/tr>/gs)].map(([row]) => row)
    }
    expect(await rowsOf('')).toHaveLength(2)
    expect(await rowsOf(`?webhook_id=${webhookId}&event_type=site.created`)).toHaveLength(1)
    expect((await rowsOf('')).join('')).not.toContain('Billing')
    const { text } = await visitor.get(`${path}/deliveries?status=nonsense`)
    expect(text).toContain('is not one of the choices')
    expect(text).not.toContain('name="webhook_id"')
  })

  test('deliveries can be selected on the tab, which leads to the question about them', async () => {
    const { path, visitor, tenant } = await enter()
    const { deliveryIds } = await publish(api, tenant.id, { type: 'site.created' })
    const { text } = await visitor.get(`${path}/deliveries`)
    expect(text).toContain('<form method="get" action="/deliveries/bulk" id="selection">')
    expect(text).toContain(`name="id" value="${deliveryIds[0]!}"`)
    const question = await visitor.get(`/deliveries/bulk?of=selected&id=${deliveryIds[0]!}`)
    expect(question.text).toContain('<h2>1 delivery</h2>')
  })

  test('an incident links to the deliveries of its time', async () => {
    const { path, visitor, tenant, webhookId } = await enter()
    await publish(api, tenant.id, { type: 'site.created' })
    await recordAttempts(api, { tenant, webhookId }, 'FFFFFS')
    await api.database.pool.query(
      `UPDATE webhook_incidents SET opened_at = now() - interval '3 hours' WHERE endpoint_id = $1`,
      [webhookId],
    )
    const { text } = await visitor.get(`${path}/incidents`)
    const [, incident] = /<a class="row-link" href="([^"]+)"/.exec(text)!
    const shown = await visitor.get(incident!)
    const [, link] = /href="([^"]+)">View deliveries/.exec(shown.text)!
    const target = new URL(link!.replaceAll('&amp;', '&'), 'http://panel.test')
    expect(target.pathname).toBe(`${path}/deliveries`)
    expect(target.searchParams.get('since')).toMatch(/:00\.000Z$/)
    const listed = await visitor.get(target.pathname + target.search)
    expect(listed.text.match(/<tr id="delivery-/g)).toHaveLength(1)
    target.searchParams.set('until', target.searchParams.get('since')!)
    const before = await visitor.get(target.pathname + target.search)
    expect(before.text).not.toContain('<tr id="delivery-')
  })

  test('people with read access see no buttons to change it', async () => {
    const { path, tenant } = await enter()
    const support = await makeSignedIn(api, tenant, { roles: ['support'] })
    for (const tab of tabs) {
      const { status, text } = await visitorOf(api, support).get(path + tab)
      expect(status).toBe(200)
      expect(text).not.toMatch(/Send test event|Recover failed|Rotate secret|>Edit</)
    }
  })

  test('endpoints of others are not found', async () => {
    const { path } = await enter()
    const other = visitorOf(api, await makeSignedIn(api, await api.makeTenant()))
    for (const tab of tabs) expect((await other.get(path + tab)).status).toBe(404)
  })
})
