import { createUuidv7 } from '@hosting/core/ids'
import { returnPathLengthMax } from '@hosting/core/sessions'
import { describe, expect, test } from '@jest/globals'
import {
  failure,
  lastFailure,
  makeAttempts,
  success,
} from '../../apps/api/test/support/attempts.ts'
import { useApi } from '../support/api.ts'
import { callWith, makeSession, makeSignedIn } from '../support/session.ts'
import { webhookUser } from '../support/webhook-user.ts'
import { visitorOf } from './visitor.ts'

const api = useApi()

/** An organization with one failed delivery each to two endpoints. */
async function furnish() {
  const tenant = await api.makeTenant()
  const person = await makeSignedIn(api, tenant)
  const call = callWith(api, person)
  const hooks: string[] = []
  for (const path of ['a', 'b']) {
    const body = { url: `https://example.com/${path}`, events: ['*'] }
    hooks.push((await call('post', '/webhooks', { body })).body.webhook.id)
  }
  const list = async () =>
    (await call('get', '/webhook-deliveries')).body.items as {
      id: string
      webhook_id: string
      redelivery_of: string | null
      next_attempt_at: string | null
    }[]
  /** Publishes an event and makes the attempts of its deliveries. Returns their ids, in the order of the endpoints. */
  const deliver = async (...attempts: Parameters<typeof makeAttempts>[2]) => {
    const id = await webhookUser({ api }).publish(tenant)
    const { items } = (await call('get', `/webhook-deliveries?event_id=${id}`)).body
    const ids = hooks.map(
      (hook) =>
        (items as { id: string; webhook_id: string }[]).find(
          ({ webhook_id }) => webhook_id === hook,
        )!.id,
    )
    for (const each of ids) if (attempts.length > 0) await makeAttempts(api, each, attempts)
    return ids
  }
  const ids = await deliver(lastFailure)
  return { tenant, person, call, hooks, ids, list, deliver, visitor: visitorOf(api, person) }
}

/** The page about selected deliveries. */
const pageOf = (ids: readonly string[]): string =>
  `/deliveries/bulk?of=selected${ids.map((id) => `&id=${id}`).join('')}`

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

const redeliveredOf = (items: readonly { redelivery_of: string | null }[]) =>
  items.flatMap(({ redelivery_of: id }) => (id === null ? [] : [id])).toSorted()

test('the number of selected deliveries comes first, and each is redelivered once', async () => {
  const { ids, list, visitor } = await furnish()
  const place = pageOf([...ids, ids[0]!])
  const shown = textOf((await visitor.get(place)).text)
  expect(shown).toContain('2 deliveries Waiting for a retry 0 Failed 2, redelivered')
  expect(shown).toContain('Redeliver 2 Cancel')
  expect(await list()).toHaveLength(2)
  expect(textOf((await visitor.submit(place, {})).text)).toContain('0 retried now, 2 redelivered')
  expect(redeliveredOf(await list())).toEqual(ids.toSorted())
  expect(textOf((await visitor.get(place)).text)).not.toContain('retried now')
  await visitor.submit(place, {})
  expect(redeliveredOf(await list())).toEqual(ids.toSorted())
})

test('selected deliveries that have arrived are said first, and sent again only if that is chosen', async () => {
  const { ids, list, deliver, visitor } = await furnish()
  const arrived = await deliver(success)
  const place = pageOf([...ids, ...arrived])
  const shown = textOf((await visitor.get(place)).text)
  expect(shown).toContain('4 deliveries')
  expect(shown).toContain('Also the 2 that have already arrived')
  await visitor.submit(place, {})
  expect(redeliveredOf(await list())).toEqual(ids.toSorted())
  const onlyArrived = (await visitor.get(pageOf(arrived))).text
  expect(textOf(onlyArrived)).toContain('2 have already arrived.')
  expect(textOf(onlyArrived)).toContain('Redeliver 2 again')
  expect(onlyArrived).toContain('<input type="hidden" name="arrived" value="true"')
  await visitor.submit(pageOf(arrived), { arrived: 'true' })
  expect(redeliveredOf(await list())).toEqual([...ids, ...arrived].toSorted())
})

test('selected deliveries that wait are retried now, and those in progress are left alone', async () => {
  const { list, deliver, visitor } = await furnish()
  const [waiting, queued] = [await deliver(failure), await deliver()]
  const place = pageOf([...waiting, ...queued])
  const shown = textOf((await visitor.get(place)).text)
  expect(shown).toContain('Waiting for a retry 2, due now instead of later')
  expect(shown).toContain('In progress 2, left alone')
  expect(textOf((await visitor.submit(place, {})).text)).toContain('2 retried now, 0 redelivered')
  const due = (await list()).filter(({ id }) => waiting.includes(id))
  expect(due).toHaveLength(2)
  for (const { next_attempt_at: next } of due) {
    expect(Date.parse(next!)).toBeLessThanOrEqual(Date.now())
  }
  expect(redeliveredOf(await list())).toEqual([])
})

test('deliveries that cannot be redelivered do not prevent the others', async () => {
  const { ids, call, hooks, list, visitor } = await furnish()
  const other = await furnish()
  await call('delete', `/webhooks/${hooks[1]}`)
  const place = pageOf([...ids, other.ids[0]!, createUuidv7(), 'no+id'])
  const shown = textOf((await visitor.get(place)).text)
  expect(shown).toContain('2 deliveries')
  expect(shown).toContain('Endpoint deleted 1, not sent Not found 3, not sent')
  expect(textOf((await visitor.submit(place, {})).text)).toContain('0 retried now, 1 redelivered')
  expect(redeliveredOf(await list())).toEqual([ids[0]])
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
    CREATE TRIGGER at_redelivery AFTER INSERT ON pending_deliveries FOR EACH ROW
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
    const { headers } = await withRedelivery(ids[0]!, end, () => visitor.post(pageOf(ids), {}))
    expect(headers['location']).toBe(pageOf(ids))
    expect((await visitor.get(pageOf(ids))).headers['location']).toBe(
      `/sign-in?${new URLSearchParams({ next: pageOf(ids) })}`,
    )
    const hold = ({ cookie }: { cookie: string }) =>
      visitor.hold(...(cookie.split('=') as [string, string]))
    hold(await makeSignedIn(api, tenant))
    expect((await visitor.get(pageOf(ids))).text).not.toContain('retried now')
    hold(await makeSession(api, person.id))
    const page = await visitor.get(pageOf(ids))
    expect(page.text).toContain('0 retried now, 1 redelivered')
    expect(page.text).toContain('Others were not sent: Your session ended.')
    expect(page.text).not.toContain('Nothing was changed')
    const made = 'SELECT FROM all_deliveries WHERE tenant_id = $1'
    expect((await api.database.pool.query(made, [tenant.id])).rowCount).toBe(3)
  })

  test('if the person loses the role', async () => {
    const { ids, person, list, visitor } = await furnish()
    const demote = `UPDATE users SET roles = '{support}' WHERE id = '${person.id}'`
    const page = await withRedelivery(ids[0]!, demote, () => visitor.submit(pageOf(ids), {}))
    expect(page.text).toContain('0 retried now, 1 redelivered')
    expect(page.text).toContain('Your role does not permit this.')
    expect(await list()).toHaveLength(3)
  })

  test('if the database is unavailable', async () => {
    const { ids, list, visitor } = await furnish()
    const fail = `RAISE EXCEPTION 'full' USING ERRCODE = '53100'`
    const page = await withRedelivery(ids[1]!, fail, () => visitor.submit(pageOf(ids), {}))
    expect(page.text).toContain('0 retried now, 1 redelivered')
    expect(page.text).toContain('The service is temporarily unavailable.')
    expect(await list()).toHaveLength(3)
  })
})

test('more than 50 selected deliveries are refused, and none is redelivered', async () => {
  const { ids, list, visitor } = await furnish()
  const chosen = [...ids, ...Array.from({ length: 49 }, createUuidv7)]
  const place = pageOf(chosen)
  expect((await visitor.get(place)).text).toContain('Select at most 50 deliveries at a time.')
  expect((await visitor.submit(place, {})).text).toContain('0 retried now, 0 redelivered')
  expect(await list()).toHaveLength(2)
  const fewer = await visitor.submit(pageOf(chosen.slice(0, 50)), {})
  expect(fewer.text).toContain('0 retried now, 2 redelivered')
})

test('a page of selected deliveries fits into the return path of a sign-in', () => {
  const ids = Array.from({ length: 50 }, createUuidv7)
  expect(pageOf(ids).length).toBeLessThanOrEqual(returnPathLengthMax)
})

test('nothing is redelivered without a selection', async () => {
  const { list, visitor } = await furnish()
  expect((await visitor.get(pageOf([]))).text).toContain('Nothing is selected')
  await visitor.submit(pageOf([]), {})
  expect(await list()).toHaveLength(2)
})

test('403 for a forged form', async () => {
  const { ids, list, visitor } = await furnish()
  expect(await visitor.post(pageOf(ids), { csrf_token: 'x' })).toMatchObject({ status: 403 })
  expect(await list()).toHaveLength(2)
})

test('people with read access see no checkboxes of rows, and their requests are refused', async () => {
  const { tenant, ids, list } = await furnish()
  const reader = await makeSignedIn(api, tenant, { roles: ['support'] })
  const visitor = visitorOf(api, reader)
  expect((await visitor.get('/deliveries')).text).not.toMatch(
    /type="checkbox" (?:name="id"|data-select-all)/,
  )
  expect((await visitor.get(pageOf(ids))).text).not.toContain('Redeliver 2')
  const refused = await visitor.submit(pageOf(ids), {})
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
