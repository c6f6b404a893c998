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

/** An organization with two failed, one waiting, one arrived and one queued delivery. */
async function furnish() {
  const { tenant, webhookId } = await makeSubscriber(api)
  const person = await makeSignedIn(api, tenant)
  const call = callWith(api, person)
  const deliver = async (...attempts: Parameters<typeof makeAttempts>[2]) => {
    const [id] = (await publish(api, tenant.id, { type: 'site.created' })).deliveryIds
    if (attempts.length > 0) await makeAttempts(api, id!, attempts)
    return id!
  }
  const ids = {
    failed: [await deliver(lastFailure), await deliver(lastFailure)],
    waiting: await deliver(failure),
    arrived: await deliver(success),
    queued: await deliver(),
  }
  const list = async (query = '') =>
    (await call('get', `/webhook-deliveries${query}`)).body.items as {
      id: string
      status: string
      redelivery_of: string | null
      next_attempt_at: string | null
    }[]
  const remade = async () =>
    (await list()).flatMap(({ redelivery_of: id }) => (id === null ? [] : [id])).toSorted()
  return { tenant, webhookId, ids, call, list, remade, visitor: visitorOf(api, person) }
}

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

test('the number comes first, waiting deliveries are retried and failed ones redelivered, each once', async () => {
  const { ids, list, remade, visitor } = await furnish()
  const all = textOf((await visitor.get('/deliveries')).text)
  expect(all).toContain('Send all again')
  const shown = await visitor.get('/deliveries/bulk')
  expect(textOf(shown.text)).toContain(
    '5 deliveries Waiting for a retry 1, due now instead of later Failed 2, redelivered Already arrived 1, not sent again unless you choose it In progress 1, left alone',
  )
  expect(textOf(shown.text)).toContain('Also the 1 that has already arrived')
  const [, path] = /action="(\/deliveries\/bulk[^"]*)"/.exec(shown.text)!
  const place = path!.replaceAll('&amp;', '&')
  const done = await visitor.submit(place, { do: 'send' })
  expect(textOf(done.text)).toContain('1 retried now, 2 redelivered')
  expect(await remade()).toEqual(ids.failed.toSorted())
  const waiting = (await list()).find(({ id }) => id === ids.waiting)!
  expect(Date.parse(waiting.next_attempt_at!)).toBeLessThanOrEqual(Date.now())
  await visitor.submit(place, { do: 'send' })
  expect(await remade()).toEqual(ids.failed.toSorted())
})

test('what has arrived is sent again only if that is chosen, and the filters of the list hold', async () => {
  const { ids, webhookId, remade, visitor } = await furnish()
  const place = `/deliveries/bulk?status=succeeded&webhook_id=${webhookId}`
  expect(textOf((await visitor.get(place)).text)).toContain('1 delivery ')
  await visitor.submit(place, { do: 'send' })
  expect(await remade()).toEqual([])
  await visitor.submit(place, { do: 'send', arrived: 'true' })
  expect(await remade()).toEqual([ids.arrived])
})

test('two people who send at the same time make one delivery of each event', async () => {
  const { ids, remade, visitor } = await furnish()
  await Promise.all([1, 2, 3].map(() => visitor.submit('/deliveries/bulk', { do: 'send' })))
  expect(await remade()).toEqual(ids.failed.toSorted())
})

test('a filter that is not valid leads to the list, which explains it', async () => {
  const { visitor } = await furnish()
  const { headers } = await visitor.get('/deliveries/bulk?status_code=nonsense')
  expect(headers['location']).toMatch(/^\/deliveries\?status_code=nonsense&until=/)
})
