import { expect, test } from '@jest/globals'
import { commands } from '../../apps/cli/src/commands.ts'
import { failure, makeAttempts, success } from '../../apps/api/test/support/attempts.ts'
import { makeSubscriber } from '../../apps/api/test/support/delivery-list.ts'
import { publish } from '../../apps/api/test/support/events.ts'
import { useApi } from '../support/api.ts'
import { makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const publicUrl = 'http://panel.test'
const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32', PUBLIC_URL: publicUrl })

test('the page of a failing endpoint has a text for an agent, with cause, sample, vectors and commands', async () => {
  const { tenant, webhookId } = await makeSubscriber(api)
  const visitor = visitorOf(api, await makeSignedIn(api, tenant))
  const read = async () => {
    const { text } = await visitor.get(`/webhooks/${webhookId}`)
    const [, shown] = /<pre id="agent-text"[^>]*>([^<]*)<\/pre>/.exec(text) ?? []
    return shown?.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  }
  const deliver = async (attempt: typeof success) => {
    const { deliveryIds } = await publish(api, tenant.id)
    await makeAttempts(api, deliveryIds[0]!, [attempt])
    return deliveryIds[0]!
  }
  await deliver(success)
  expect(await read()).toBeUndefined()
  const ids: string[] = []
  for (const attempt of [failure, failure, failure, failure, failure]) {
    ids.push(await deliver(attempt))
  }
  const shown = (await read())!
  expect(shown).toMatch(/Failing since 20\S+Z: 5 attempts in a row\./)
  expect(shown).toMatch(/Last failure: .* What to do: /)
  const [sample] = /^\{.*\}$/m.exec(shown)!
  expect(JSON.parse(sample)).toMatchObject({ tenant_id: tenant.id })
  expect(shown).toContain(`hctl deliveries show ${ids.at(-1)}`)
  expect(shown).toContain(
    `${webhookId}\n  hctl listen --forward-to http://localhost:3000/hook --replay`,
  )
  const known = new Set(commands.map(({ path }) => path))
  const named = [...shown.matchAll(/^ {2}hctl ([a-z]+(?: [a-z]+)?)/gm)].map(([, words]) => words!)
  expect(named).toEqual(['deliveries show', 'webhooks incidents', 'listen', 'mcp'])
  expect(named.filter((words) => !known.has(words))).toEqual([])
  for (const [, path] of shown.matchAll(/http:\/\/panel\.test(\/(?:docs|downloads)\/\S+)/g)) {
    expect([path, (await fetch(api.url + path!)).status]).toEqual([path, 200])
  }
})
