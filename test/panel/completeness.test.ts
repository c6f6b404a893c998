import { describe, expect, test } from '@jest/globals'
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

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32', PUBLIC_URL: 'http://panel.test' })

async function enter() {
  const { tenant, webhookId } = await makeSubscriber(api)
  const person = await makeSignedIn(api, tenant)
  const visitor = visitorOf(api, person)
  const path = `/webhooks/${webhookId}`
  const read = async () => {
    const { text: html } = await visitor.get(path)
    const links = [...html.matchAll(/<a href="([^"]*)">\d[^<]*(waiting|failed|never sent)<\/a>/g)]
    return {
      text: html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '),
      links: links.map(([, href]) => href!.replaceAll('&amp;', '&')),
    }
  }
  const deliver = async (attempts: Parameters<typeof makeAttempts>[2]) => {
    const { deliveryIds } = await publish(api, tenant.id)
    if (deliveryIds[0] !== undefined) await makeAttempts(api, deliveryIds[0], attempts)
  }
  return { visitor, path, read, deliver, call: callWith(api, person) }
}

describe('the page of an endpoint says whether all events have arrived', () => {
  test('with nothing about events before the first one', async () => {
    const { read, deliver } = await enter()
    expect((await read()).text).not.toContain('arrived')
    await deliver([success])
    expect((await read()).text).toMatch(/The only event since 20[\d-]+ [\d:]+ UTC has arrived\./)
    await deliver([success])
    expect((await read()).text).toMatch(/All 2 events since 20[\d-]+ [\d:]+ UTC have arrived\./)
  })

  test('with a link to the exceptions of each kind', async () => {
    const { visitor, read, deliver, call, path } = await enter()
    await call('patch', path, { body: { events: ['dns.*'] } })
    await deliver([])
    await call('patch', path, { body: { events: ['*'] } })
    for (const attempts of [[success], [failure], [lastFailure], [lastFailure]]) {
      await deliver(attempts)
    }
    const { text, links } = await read()
    expect(text).toMatch(
      / 1 of 5 events since .* have arrived\. Missing: 1 waiting , 2 failed , 1 never sent \. /,
    )
    const [waiting, failed, neverSent] = links
    const rowsOf = async (url: string) =>
      (await visitor.get(url)).text.match(/<tr id="delivery-/g)?.length
    expect(await rowsOf(waiting!)).toBe(1)
    expect(await rowsOf(failed!)).toBe(2)
    expect((await visitor.get(neverSent!)).text).toContain('Send 3 events')
  })
})
