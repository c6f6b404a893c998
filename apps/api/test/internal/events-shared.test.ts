import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { useApi, type TestTenant } from '../../../../test/support/api.ts'
import { until } from '../../../../test/support/until.ts'
import { buildEvent, countEventRows, noEventRows } from '../support/events.ts'

const api = useApi()
let tenant: TestTenant
let other: TestTenant
beforeAll(async () => {
  tenant = await api.makeTenant()
  other = await api.makeTenant()
})

type PublishResponse = Awaited<ReturnType<typeof publish>>
const publish = (body: unknown) => api.callInternal('post', '/events', body)

/** Sends requests while a statement is under way, so that they share the next one. */
async function publishAtOnce(bodies: readonly unknown[]): Promise<PublishResponse[]> {
  const { pool } = api.database
  const blocker = await pool.connect()
  const { id: tenantId } = await api.makeTenant()
  const event = buildEvent(tenantId, { id: randomUUID() })
  await blocker.query('BEGIN')
  await blocker.query('INSERT INTO published_event_ids VALUES ($1, $2, $3)', [
    tenantId,
    event.id,
    randomUUID(),
  ])
  const blocked = publish(event)
  await until(
    () => pool.query('SELECT 1 FROM pg_locks WHERE NOT granted'),
    ({ rowCount }) => rowCount! > 0,
  )
  const responses = Promise.all(bodies.map(publish))
  // Until all are read and checked.
  await setTimeout(500)
  await blocker.query('ROLLBACK')
  blocker.release()
  expect((await blocked).status).toBe(202)
  return await responses
}

/** The transactions that stored the events of these responses. */
async function transactionsOf(responses: readonly PublishResponse[]): Promise<Set<string>> {
  const ids = responses.flatMap(({ body }) => body.items.map((item: { id: string }) => item.id))
  const { rows } = await api.database.pool.query<{ xmin: string }>(
    'SELECT xmin FROM events WHERE event_id = ANY ($1::uuid[])',
    [ids],
  )
  expect(rows).toHaveLength(new Set(ids).size)
  return new Set(rows.map(({ xmin }) => xmin))
}

const statusesOf = (responses: readonly PublishResponse[]) => responses.map(({ status }) => status)

describe('POST /events: concurrent requests', () => {
  test('share a statement, and an error in one of them affects no other', async () => {
    const ids = { once: randomUUID(), twice: randomUUID(), earlier: randomUUID() }
    const unknown = randomUUID()
    const earlier = await publish(buildEvent(tenant.id, { id: ids.earlier }))
    const before = await countEventRows(api, tenant.id)

    const good = [
      buildEvent(tenant.id),
      buildEvent(other.id),
      { events: [buildEvent(tenant.id), buildEvent(other.id), buildEvent(tenant.id)] },
      buildEvent(tenant.id, { id: ids.once }),
    ]
    const twice = [
      { events: [buildEvent(unknown), buildEvent(tenant.id, { id: ids.twice })] },
      buildEvent(tenant.id, { id: ids.twice }),
      buildEvent(tenant.id, { id: ids.twice, created_at: '2026-01-01T00:00:00.000Z' }),
      // The same id of another organization is another event.
      buildEvent(other.id, { id: ids.twice }),
    ]
    const bad = [buildEvent(unknown), { events: [buildEvent(other.id), buildEvent(unknown)] }]
    const again = [buildEvent(tenant.id, { id: ids.earlier })]
    const responses = await publishAtOnce([...good, ...twice, ...bad, ...again])

    expect(statusesOf(responses)).toEqual([202, 202, 202, 202, 422, 202, 202, 202, 422, 422, 202])
    const [, , , , , first, second] = responses
    expect(second!.body).toEqual(first!.body)
    expect(responses.at(-1)!.body).toEqual(earlier.body)
    expect(responses[4]!.body.errors).toEqual([
      { pointer: '/events/0/tenant_id', message: 'is not an organization' },
    ])
    expect((await transactionsOf(responses.slice(0, 4))).size).toBe(1)
    const after = await countEventRows(api, tenant.id)
    expect(after.events! - before.events!).toBe(5)
    expect(after.published_event_ids! - before.published_event_ids!).toBe(2)
    expect(await countEventRows(api, unknown)).toEqual(noEventRows)
  })

  test('are stored one by one if PostgreSQL refuses the shared statement, so that only the invalid one fails', async () => {
    const { pool } = api.database
    const invalid = await api.makeTenant()
    await pool.query(`
      CREATE FUNCTION refuse_event() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.tenant_id = '${invalid.id}' THEN RAISE 'refused' USING ERRCODE = '22023'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse_event BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION refuse_event()`)
    try {
      const responses = await publishAtOnce([
        buildEvent(tenant.id),
        buildEvent(invalid.id),
        buildEvent(other.id),
        { events: [buildEvent(tenant.id), buildEvent(invalid.id)] },
      ])
      expect(statusesOf(responses)).toEqual([202, 500, 202, 500])
      expect((await transactionsOf([responses[0]!, responses[2]!])).size).toBe(2)
      expect(await countEventRows(api, invalid.id)).toEqual(noEventRows)
    } finally {
      await pool.query('DROP FUNCTION refuse_event CASCADE')
    }
  })

  test('keep their order of arrival', async () => {
    const ordered = await api.makeTenant()
    const { token } = await ordered.makeKey()
    const webhook = { url: 'https://hooks.example.com/in', events: ['*'] }
    expect((await api.call('post', '/webhooks', { token, body: webhook })).status).toBe(201)
    const responses = await publishAtOnce(Array.from({ length: 20 }, () => buildEvent(ordered.id)))
    expect((await transactionsOf(responses)).size).toBe(1)
    const { rows } = await api.database.pool.query<{ event_id: string; event_ref: string }>(
      `SELECT d.event_id, d.event_ref FROM all_deliveries d JOIN pending_deliveries p ON p.delivery_id = d.id
       WHERE d.tenant_id = $1 ORDER BY p.due_at, p.delivery_id`,
      [ordered.id],
    )
    expect(rows.map((row) => row.event_ref)).toEqual(rows.map((row) => row.event_ref).toSorted())
  })

  test('with more events than the shared limit get their own statement', async () => {
    const large = { events: Array.from({ length: 150 }, () => buildEvent(tenant.id)) }
    const responses = await publishAtOnce([buildEvent(tenant.id), large, buildEvent(other.id)])
    expect(statusesOf(responses)).toEqual([202, 202, 202])
    expect((await transactionsOf([responses[0]!, responses[2]!])).size).toBe(1)
    expect((await transactionsOf(responses)).size).toBe(2)
  })
})
