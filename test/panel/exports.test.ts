import { expect, test } from '@jest/globals'
import { makeSubscriber } from '../../apps/api/test/support/delivery-list.ts'
import { publish } from '../../apps/api/test/support/events.ts'
import { useApi } from '../support/api.ts'
import { makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32', PUBLIC_URL: 'http://panel.test' })

test.each([
  ['/audit', 'action=webhook.create'],
  ['/deliveries', 'event_type=site.created'],
  ['/events', 'types=site.created'],
])(
  '%s links to files with what the list contains, and says how much that is at most',
  async (path, filter) => {
    const { tenant } = await makeSubscriber(api)
    await publish(api, tenant.id, { type: 'site.created' })
    await publish(api, tenant.id, { type: 'site.deleted' })
    const person = await makeSignedIn(api, tenant)
    const since = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16)
    const { text } = await visitorOf(api, person).get(`${path}?${filter}&since=${since}`)
    expect(text).toContain('up to 100,000 records')
    const [, csv] = /href="(\/api\/v1\/[^"]*format=csv)"/.exec(text)!
    const response = await fetch(api.url + csv!.replaceAll('&amp;', '&'), {
      headers: { cookie: person.cookie },
    })
    expect(response.status).toBe(200)
    expect((await response.text()).trim().split('\r\n')).toHaveLength(2)
  },
)
