import { expect } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Journeys, Walk } from './walk.ts'

/** Adds an endpoint by the form. Returns its signing secret. */
async function addEndpoint(walk: Walk, url: string): Promise<string> {
  await walk.go('/webhooks')
  await walk.follow('Add endpoint')
  await walk.write({ URL: url, 'Description (optional)': 'Warehouse' })
  await walk.page.getByText('Sites', { exact: true }).click()
  await walk.page.getByLabel('site.*').check()
  await walk.press('Add endpoint')
  return walk.takeSecret()
}

export const endpointJourneys: Journeys = {
  'adds an endpoint, sees that it waits, and sends a test event': async (walk) => {
    const { page, ground } = walk
    await walk.enter('/')
    const path = `/${randomUUID()}`
    expect(await addEndpoint(walk, ground.good.url + path.slice(1))).toMatch(/^whsec_/)
    await page.getByText('Python', { exact: true }).click()
    await walk.shows('def verify_webhook')
    await walk.follow('Done')
    await walk.shows('Waiting for your first event')
    await page
      .getByRole('button', { name: /^Send (a )?test event$/ })
      .first()
      .click()
    await walk.shows('Attempt 1: delivered')
    await walk.shows('HTTP 204')
    const received = ground.good.requests.filter((request) => request.path === path)
    expect(received.map(({ headers }) => headers['service-event'])).toEqual(['webhook.ping'])
    await walk.follow('Warehouse')
    await walk.shows('1 attempt, none failed')
    await walk.go('/webhooks')
    expect(await walk.rows().textContent()).toMatch(/Warehouse.*4.*Healthy/s)
  },

  'disables and enables an endpoint: nothing is lost': async (walk) => {
    const { ground } = walk
    const { call } = await walk.enter('/')
    const path = `/${randomUUID()}`
    await addEndpoint(walk, ground.good.url + path.slice(1))
    await walk.follow('Done')
    await walk.follow('Disable')
    await walk.press('Disable endpoint')
    await walk.shows('Endpoint disabled. Its deliveries are paused until you enable it.')
    await walk.publish()
    await walk.go('/')
    expect(await walk.text()).toMatch(/Warehouse.*Disabled.*1 waiting delivery/s)
    await walk.press('Enable')
    await walk.shows('Endpoint enabled.')
    await walk.go('/deliveries')
    await walk.follow('site.created')
    await walk.shows('Attempt 1: delivered')
    expect((await call('get', '/webhook-deliveries?status=succeeded')).body.items).toHaveLength(1)
    expect(ground.good.requests.filter((request) => request.path === path)).toHaveLength(1)
  },

  'rotates the signing secret: requests carry both signatures': async (walk) => {
    const { ground } = walk
    await walk.enter('/')
    const path = `/${randomUUID()}`
    const first = await addEndpoint(walk, ground.good.url + path.slice(1))
    await walk.follow('Done')
    await walk.follow('Settings')
    await walk.follow('Rotate secret')
    await walk.page.getByLabel('1 hour').check()
    await walk.press('Rotate secret')
    const second = await walk.takeSecret()
    expect(second).toMatch(/^whsec_/)
    expect(second).not.toBe(first)
    await walk.press('Send test event')
    await walk.shows('Attempt 1: delivered')
    const request = ground.good.requests.find(({ path: at }) => at === path)
    expect(String(request!.headers['service-signature']).match(/v1=/g)).toHaveLength(2)
    await walk.follow('Warehouse')
    await walk.follow('Settings')
    await walk.shows(/Previous secret expires/)
  },

  'edits an endpoint and deletes it': async (walk) => {
    const { page, ground } = walk
    const { call } = await walk.enter('/')
    await addEndpoint(walk, `${ground.good.url}edited`)
    await walk.follow('Done')
    await walk.follow('Settings')
    await walk.follow('Edit')
    await walk.write({ URL: 'nonsense' })
    await walk.press('Save changes')
    await page.getByRole('alert').waitFor()
    await walk.write({ URL: `${ground.good.url}moved`, 'Description (optional)': 'Moved' })
    await walk.press('Save changes')
    await walk.shows('Changes saved.')
    expect((await call('get', '/webhooks')).body.items).toMatchObject([{ description: 'Moved' }])
    await walk.follow('Settings')
    await walk.follow('Delete endpoint')
    await walk.shows('This cannot be undone')
    await walk.press('Delete endpoint')
    await walk.shows('Endpoint deleted.')
    await walk.shows('No endpoints yet')
    expect((await call('get', '/webhooks')).body.items).toEqual([])
  },
}
