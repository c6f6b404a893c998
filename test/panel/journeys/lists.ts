import { expect } from '@jest/globals'
import { createKeysByKey } from '../../support/key-notices.ts'
import { makeSignedIn } from '../../support/session.ts'
import { until } from '../../support/stack.ts'
import type { Journeys } from './walk.ts'

export const listJourneys: Journeys = {
  'filters the deliveries': async (walk) => {
    const { page, ground } = walk
    const { call } = await walk.enter('/')
    for (const [name, event] of [
      ['Warehouse', 'site.*'],
      ['Pager', 'site.deleted'],
    ] as const) {
      const body = { url: `${ground.good.url}${name}`, events: [event], description: name }
      await call('post', '/webhooks', { body })
    }
    await walk.publish()
    const eventId = await walk.publish('site.deleted')
    await until(
      async () => (await call('get', '/webhook-deliveries?status=succeeded')).body.items,
      (items: unknown[]) => items.length === 3,
    )
    await walk.go('/deliveries')
    await walk.filter({ Search: eventId })
    expect(await walk.rows().count()).toBe(2)
    await walk.filter({ Endpoint: 'Pager' })
    await page.waitForURL(/webhook_id=/)
    expect(await walk.rows().count()).toBe(1)
    await walk.clearFilters()
    expect(await walk.rows().count()).toBe(3)
    await walk.filter({ Search: 'SITE.deleted', 'Last response code': '204' })
    await page.waitForURL(/status_code=204/)
    expect(await walk.rows().count()).toBe(2)
    await walk.filter({ 'Last response code': '500' })
    await walk.shows('No matching deliveries')
    await walk.follow('Search without other filters')
    expect(await walk.rows().count()).toBe(2)
    await walk.filter({ Search: 'ware' })
    await walk.shows('“ware”')
    await walk.follow('Deliveries to Warehouse')
    await page.waitForURL(/\?webhook_id=/)
    expect(await walk.rows().count()).toBe(2)
    await walk.clearFilters()
    await walk.filter({ 'Last error': 'Timeout' })
    await page.waitForURL(/error_class=timeout/)
    await walk.shows('No matching deliveries')
  },

  'sees what became of every event, and filters them': async (walk) => {
    const { page, ground } = walk
    const { call } = await walk.enter('/')
    const unsent = await walk.publish('site.deleted')
    const body = { url: `${ground.good.url}events`, events: ['site.created'], description: 'Pager' }
    await call('post', '/webhooks', { body })
    const sent = await walk.publish()
    await walk.go('/events')
    await walk.openMenu()
    await page.getByRole('link', { name: 'Events', exact: true }).click()
    await until(
      async () => (await call('get', `/events/${sent}`)).body.deliveries,
      ([delivery]: { status: string }[]) => delivery?.status === 'succeeded',
    )
    await page.reload()
    expect(await walk.rows().count()).toBe(2)
    expect(await walk.rows().first().textContent()).toMatch(/site\.created.*Delivered/s)
    expect(await walk.rows().last().textContent()).toMatch(/site\.deleted.*None/s)
    await walk.filter({ 'Event type': 'site.deleted' })
    await page.waitForURL(/types=site\.deleted/)
    expect(await walk.rows().count()).toBe(1)
    await walk.follow('site.deleted')
    await walk.shows(unsent)
    await walk.shows('No deliveries')
    await walk.follow('Events')
    await walk.follow('site.created')
    expect(await walk.rows().first().textContent()).toMatch(/Pager.*Delivered/s)
    await walk.follow('Pager')
    await walk.shows('Attempt 1: delivered')
    await walk.follow('View event')
    await walk.shows(sent)
  },

  'filters the audit log, and follows a target': async (walk) => {
    const { page, api, tenant } = walk
    await walk.enter('/', { name: 'Ana' })
    const bob = walk.callAs(await makeSignedIn(api, tenant, { name: 'Bob' }))
    const body = { name: 'Deploy script', scopes: ['*:read'] }
    await bob('post', '/api-keys', { body })
    await bob('post', '/webhooks', { body: { url: 'https://example.com/', events: ['*'] } })
    await walk.go('/audit')
    await walk.filter({ Action: 'api_key.create', Person: 'Bob' })
    await page.waitForURL(/action=api_key\.create/)
    expect(await walk.rows().count()).toBe(1)
    await walk.rows().first().click()
    await walk.follow('Deploy script')
    expect(await walk.heading()).toBe('Deploy script')
  },

  'reads notices, marks them as read, and chooses which are mailed': async (walk) => {
    const { page, api } = walk
    const { call } = await walk.enter('/')
    await createKeysByKey(api, call, ['First', 'Second', 'Third'])
    await walk.go('/')
    await page.getByRole('link', { name: 'Notices 3 unread' }).click()
    await page.getByRole('button', { name: /^Mark as read.*Second/ }).click()
    await page.getByRole('link', { name: 'Notices 2 unread' }).waitFor()
    await walk.follow('Show unread only')
    expect(await walk.text()).not.toContain('“Second”')
    await walk.press('Mark all as read')
    await walk.shows('All notices are marked as read.')
    await walk.follow('API key “Third” was created')
    expect(await walk.heading()).toBe('Third')

    await walk.go('/notices')
    await walk.follow('Choose which emails you get')
    await page.getByRole('checkbox', { name: 'API keys' }).uncheck()
    await walk.press('Save')
    await walk.shows('Changes saved.')
    expect((await call('get', '/auth/notification-settings')).body).toEqual({
      email: { webhooks: true, api_keys: false, security: true },
    })
  },
}
