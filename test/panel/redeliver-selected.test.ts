import { createUuidv7 } from '@hosting/core/ids'
import { expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { useApi } from '../support/api.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { webhookUser } from '../support/webhook-user.ts'
import { visitorOf } from './visitor.ts'

const api = useApi()

/** An organization with one delivery each to two endpoints. */
async function furnish() {
  const tenant = await api.makeTenant()
  const person = await makeSignedIn(api, tenant)
  const call = callWith(api, person)
  const hooks: string[] = []
  for (const path of ['a', 'b']) {
    const body = { url: `https://example.com/${path}`, events: ['*'] }
    hooks.push((await call('post', '/webhooks', { body })).body.webhook.id)
  }
  await webhookUser({ api }).publish(tenant)
  const list = async () =>
    (await call('get', '/webhook-deliveries')).body.items as {
      id: string
      webhook_id: string
      redelivery_of: string | null
    }[]
  const ids = await Promise.all(
    hooks.map(async (hook) => (await list()).find(({ webhook_id }) => webhook_id === hook)!.id),
  )
  return { tenant, person, call, hooks, ids, list, visitor: visitorOf(api, person) }
}

const titleOf = ({ text }: Response): string | undefined =>
  /<strong>([^<]*redelivered|Nothing[^<]*)<\/strong>/.exec(text)?.[1]

test('each selected delivery is redelivered once, and the result is shown once', async () => {
  const { ids, list, visitor } = await furnish()
  const page = await visitor.submit('/deliveries?status=queued', {
    do: 'redeliver',
    id: [...ids, ids[0]!],
  })
  expect(titleOf(page)).toBe('2 of 2 selected deliveries redelivered')
  expect(page.text).toContain('<option value="queued" selected')
  const made = (await list()).map(({ redelivery_of }) => redelivery_of)
  expect(made.filter((id) => id !== null).toSorted()).toEqual(ids.toSorted())
  expect(titleOf(await visitor.get('/deliveries?status=queued'))).toBeUndefined()
})

test('deliveries that cannot be redelivered do not prevent the others', async () => {
  const { ids, call, hooks, list, visitor } = await furnish()
  const other = await furnish()
  await call('delete', `/webhooks/${hooks[1]}`)
  const chosen = [...ids, other.ids[0]!, createUuidv7(), 'no id']
  const page = await visitor.submit('/deliveries', { do: 'redeliver', id: chosen })
  expect(titleOf(page)).toBe('1 of 5 selected deliveries redelivered')
  expect(page.text).toContain('the endpoint is deleted')
  const made = (await list()).filter(({ redelivery_of }) => redelivery_of !== null)
  expect(made).toMatchObject([{ redelivery_of: ids[0] }])
  expect(await other.list()).toHaveLength(2)
})

test('nothing is redelivered without a selection', async () => {
  const { list, visitor } = await furnish()
  expect(titleOf(await visitor.submit('/deliveries', { do: 'redeliver' }))).toBe(
    'Nothing was selected',
  )
  expect(await list()).toHaveLength(2)
})

test('403 for a forged form', async () => {
  const { ids, list, visitor } = await furnish()
  const fields = { do: 'redeliver', id: ids }
  expect(await visitor.post('/deliveries', { ...fields, csrf_token: 'x' })).toMatchObject({
    status: 403,
  })
  expect(await list()).toHaveLength(2)
})

test('people with read access see no checkboxes of rows, and their requests are refused', async () => {
  const { tenant, ids, list } = await furnish()
  const reader = await makeSignedIn(api, tenant, { roles: ['support'] })
  const visitor = visitorOf(api, reader)
  expect((await visitor.get('/deliveries')).text).not.toMatch(
    /type="checkbox" (?:name="id"|data-select-all)/,
  )
  const refused = await visitor.submit('/deliveries', { do: 'redeliver', id: ids })
  expect(refused.text).toContain('role="alert"')
  expect(await list()).toHaveLength(2)
})

test('a redirect removes empty parameters from the URL', async () => {
  const { visitor } = await furnish()
  const locationOf = async (path: string) => (await visitor.get(path)).headers['location']
  expect(await locationOf('/deliveries?q=&status=dead&since=')).toBe('/deliveries?status=dead')
  expect(await locationOf('/keys?q=')).toBe('/keys')
  expect(await locationOf('/deliveries?q=a?b')).toBeUndefined()
})
