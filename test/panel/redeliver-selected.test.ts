import { createUuidv7 } from '@hosting/core/ids'
import { describe, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { useApi } from '../support/api.ts'
import { callWith, makeSession, makeSignedIn } from '../support/session.ts'
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

/** Runs SQL in the transaction that stores the redelivery of one delivery. */
async function withRedelivery<Result>(
  redelivered: string,
  sql: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const { pool } = api.database
  await pool.query(`CREATE FUNCTION at_redelivery() RETURNS trigger LANGUAGE plpgsql AS
    $body$ BEGIN ${sql}; RETURN NEW; END $body$;
    CREATE TRIGGER at_redelivery AFTER INSERT ON deliveries FOR EACH ROW
    WHEN (NEW.redelivery_of = '${redelivered}') EXECUTE FUNCTION at_redelivery()`)
  try {
    return await run()
  } finally {
    await pool.query('DROP FUNCTION at_redelivery CASCADE')
  }
}

describe('after the first redelivery, the counts are shown', () => {
  test('if the session ends, once the same person has signed in again', async () => {
    const { tenant, ids, person, visitor } = await furnish()
    const end = `UPDATE panel_sessions SET revoked_at = now() WHERE id = '${person.sessionId}'`
    const { headers } = await withRedelivery(ids[0]!, end, () =>
      visitor.post('/deliveries', { do: 'redeliver', id: ids }),
    )
    expect(headers['location']).toBe('/deliveries')
    expect((await visitor.get('/deliveries')).headers['location']).toMatch(/^\/sign-in\?/)
    const hold = ({ cookie }: { cookie: string }) =>
      visitor.hold(...(cookie.split('=') as [string, string]))
    hold(await makeSignedIn(api, tenant))
    expect(titleOf(await visitor.get('/deliveries'))).toBeUndefined()
    hold(await makeSession(api, person.id))
    const page = await visitor.get('/deliveries')
    expect(titleOf(page)).toBe('1 of 2 selected deliveries redelivered')
    expect(page.text).toContain('The others were not redelivered: Your session ended.')
    expect(page.text).not.toContain('Nothing was changed')
    const made = 'SELECT FROM all_deliveries WHERE tenant_id = $1'
    expect((await api.database.pool.query(made, [tenant.id])).rowCount).toBe(3)
  })

  test('if the person loses the role', async () => {
    const { ids, person, list, visitor } = await furnish()
    const demote = `UPDATE users SET roles = '{support}' WHERE id = '${person.id}'`
    const page = await withRedelivery(ids[0]!, demote, () =>
      visitor.submit('/deliveries', { do: 'redeliver', id: ids }),
    )
    expect(titleOf(page)).toBe('1 of 2 selected deliveries redelivered')
    expect(page.text).toContain('Your role does not permit this.')
    expect(await list()).toHaveLength(3)
  })

  test('if the database is unavailable', async () => {
    const { ids, list, visitor } = await furnish()
    const fail = `RAISE EXCEPTION 'full' USING ERRCODE = '53100'`
    const page = await withRedelivery(ids[1]!, fail, () =>
      visitor.submit('/deliveries', { do: 'redeliver', id: ids }),
    )
    expect(titleOf(page)).toBe('1 of 2 selected deliveries redelivered')
    expect(page.text).toContain('The service is temporarily unavailable.')
    expect(await list()).toHaveLength(3)
  })
})

test('more than 50 selected deliveries are refused, and none is redelivered', async () => {
  const { ids, list, visitor } = await furnish()
  const chosen = [...ids, ...Array.from({ length: 49 }, createUuidv7)]
  const page = await visitor.submit('/deliveries', { do: 'redeliver', id: chosen })
  expect(page.text).toContain('Select at most 50 deliveries at a time.')
  expect(await list()).toHaveLength(2)
  const fewer = await visitor.submit('/deliveries', { do: 'redeliver', id: chosen.slice(0, 50) })
  expect(titleOf(fewer)).toBe('2 of 50 selected deliveries redelivered')
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
