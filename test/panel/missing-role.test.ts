import { describe, expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { makeSignedIn } from '../support/session.ts'
import { endDeliveries } from '../support/stored-deliveries.ts'
import { webhookUser } from '../support/webhook-user.ts'
import { enterPanel } from './enter.ts'
import { headingOf, visitorOf } from './visitor.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })

/** An organization with a record of every page that people may see but not act on, and such a person. */
async function furnish() {
  const { tenant, call } = await enterPanel(api)
  const hook = { url: 'https://example.com/hooks', events: ['*'] }
  const { webhook } = (await call('post', '/webhooks', { body: hook })).body
  await webhookUser({ api }).publish(tenant)
  const since = new Date(Date.now() - 60_000).toISOString()
  const path = `/webhooks/${webhook.id}`
  const { recovery } = (await call('post', `${path}/recover`, { body: { since } })).body
  const body = { name: 'Shared', scopes: ['*'], kind: 'organization' }
  const { key } = (await call('post', '/api-keys', { body })).body
  const [delivery] = (await call('get', '/webhook-deliveries')).body.items
  await endDeliveries(api.database, [delivery.id], { outcome: 'dead' })
  const person = await makeSignedIn(api, tenant, { roles: ['support'] })
  const visitor = visitorOf(api, person)
  return { path, recovery, key, delivery, visitor }
}

describe('a form for which the role is missing', () => {
  test('is refused on its page, which says so, if the person may see the page', async () => {
    const { path, recovery, key, delivery, visitor } = await furnish()
    for (const [page, action] of [
      [`/deliveries/bulk?of=selected&id=${delivery.id}`, 'send'],
      [`/deliveries/${delivery.id}`, 'redeliver'],
      [path, 'ping'],
      [path, 'retry-now'],
      [path, 'disable'],
      [`${path}/recoveries/${recovery.id}`, 'cancel'],
      [`/keys/${key.id}`, 'disable'],
    ] as const) {
      const refused = await visitor.submit(page, { do: action, id: delivery.id })
      const [, title] = /role="alert"[^]*?<strong>([^<]*)/.exec(refused.text) ?? []
      expect([page, action, refused.status, title]).toEqual([
        page,
        action,
        200,
        'Permission denied',
      ])
    }
  })

  test('gets an error page with 403 if the person may not see its page', async () => {
    const { path, visitor } = await furnish()
    for (const page of ['/webhooks/new', `${path}/edit`, `${path}/rotate`, `${path}/delete`]) {
      const refused = await visitor.post(page, { url: 'https://example.com/', events: '*' })
      expect([page, refused.status, headingOf(refused)]).toEqual([page, 403, 'Permission denied'])
    }
  })
})
