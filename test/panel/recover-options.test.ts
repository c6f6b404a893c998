import { expect, test } from '@jest/globals'
import {
  failure,
  lastFailure,
  makeAttempts,
  success,
} from '../../apps/api/test/support/attempts.ts'
import { makeSubscriber } from '../../apps/api/test/support/delivery-list.ts'
import { publish } from '../../apps/api/test/support/events.ts'
import { useApi } from '../support/api.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi()

/** A person with an endpoint that lacks an event of before, and has a dead and a delivered one. */
async function enter() {
  const subscriber = await makeSubscriber(api, { events: ['site.*', 'job.*'] })
  const { tenant, webhookId } = subscriber
  const person = await makeSignedIn(api, tenant)
  const call = callWith(api, person)
  const path = `/webhooks/${webhookId}`
  await call('patch', path, { body: { events: ['job.*'] } })
  await publish(api, tenant.id, { type: 'site.created' })
  await call('patch', path, { body: { events: ['site.*', 'job.*'] } })
  for (const last of [lastFailure, success]) {
    const { deliveryIds } = await publish(api, tenant.id, { type: 'site.deleted' })
    await makeAttempts(api, deliveryIds[0]!, [failure, last])
  }
  const visitor = visitorOf(api, person)
  const show = async (query: string): Promise<string> =>
    (await visitor.get(`${path}/recover?${query}`)).text
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
  return { call, visitor, path, show }
}

test.each([
  ['', 'Recover 1 failed delivery'],
  ['range=7d', 'Recover 1 failed delivery'],
  ['status=any', 'Send 2 events'],
  ['backfill=true', 'Send 2 events'],
  ['status=any&backfill=true', 'Send 3 events'],
  ['status=any&backfill=true&event_types=site.created', 'Send 1 event '],
  ['status=any&backfill=true&event_types=site.created&event_types=site.deleted', 'Send 3 events'],
  ['status=any&event_types=job.*', '0 events , 0 waiting'],
  ['event_types=nonsense', '“nonsense” is not an event type.'],
  [
    `event_types=${Array.from({ length: 21 }, () => 'site.created').join('&event_types=')}`,
    '0 failed',
  ],
])('counts the selected deliveries: %s', async (query, words) => {
  const { show } = await enter()
  expect(await show(query)).toContain(words)
})

test('sends exactly the counted deliveries', async () => {
  const { call, visitor, path } = await enter()
  const { text } = await visitor.get(`${path}/recover?status=any&backfill=true&event_types=site.*`)
  const form = /<form[^>]*>(?:(?!<form).)*Send 3 events/s.exec(text)![0]
  const fields = Object.fromEntries(
    [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  )
  expect(fields).toMatchObject({ status: 'any', backfill: 'true', event_types: 'site.*' })
  const { status, headers } = await visitor.post(`${path}/recover`, fields)
  expect(status).toBe(303)
  const { recovery } = (await call('get', headers['location']!)).body
  expect(recovery.total).toBe(3)
})

test('the event types of the endpoint can be selected, and stay selected', async () => {
  const { visitor, path } = await enter()
  const { text } = await visitor.get(`${path}/recover?event_types=site.created`)
  expect(text).toMatch(/name="event_types" value="site.created" checked/)
  expect(text).toMatch(/name="event_types" value="job.failed"/)
  expect(text).not.toContain('value="backup.failed"')
})

test('a running recovery is explained, and the selection remains', async () => {
  const { call, visitor, path } = await enter()
  const since = new Date(Date.now() - 3_600_000).toISOString()
  await call('post', `${path}/recover`, { body: { since } })
  const page = await visitor.submit(`${path}/recover?status=any&range=7d`, { since, status: 'any' })
  expect(page.text).toContain('a recovery of this endpoint is already running')
  expect(page.text).toMatch(/name="range" value="7d" checked/)
  expect(page.text).toMatch(/name="status" value="any" checked/)
})
