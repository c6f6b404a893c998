import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { useApi } from '../../../../test/support/api.ts'
import { callerAt } from '../../../../test/support/caller.ts'
import { serviceToken } from '../../../../test/support/environment.ts'
import { readMetric } from '../../../../test/support/observe.ts'
import { until } from '../../../../test/support/until.ts'
import { buildEvent } from '../support/events.ts'

const api = useApi()

/** Sends a publish whose client leaves when the returned function is called. */
function publishAndLeave(body: unknown): () => void {
  const request = http.request(`${api.internalUrl}/internal/v1/events`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' },
  })
  request.on('error', () => undefined)
  request.end(JSON.stringify(body))
  return () => request.destroy()
}

const publish = (event: unknown) => callerAt(api).callInternal('post', '/events', event)

/** Publishes while a statement with another event hangs, until the work is done. Returns the response to the other. */
async function whileHanging(event: unknown, work: () => Promise<void>) {
  const { pool } = api.database
  const blocker = await pool.connect()
  await blocker.query('BEGIN; LOCK TABLE pending_deliveries IN ACCESS EXCLUSIVE MODE')
  const hanging = publish(event)
  await until(
    () => pool.query('SELECT 1 FROM pg_locks WHERE NOT granted'),
    ({ rowCount }) => rowCount! > 0,
  )
  try {
    await work()
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
  return await hanging
}

async function makeEvents(count: number) {
  const { id } = await api.makeTenant()
  const events = Array.from({ length: count }, () => buildEvent(id, { id: randomUUID() }))
  return {
    events,
    /** The ids of the stored events, in the order of acceptance. */
    async listStored(): Promise<string[]> {
      const { rows } = await api.database.pool.query<{ event_id: string }>(
        'SELECT event_id FROM events WHERE tenant_id = $1 ORDER BY position',
        [id],
      )
      return rows.map((row) => row.event_id)
    },
  }
}

test('while a statement hangs, a publish that waits for it gets 503 within seconds, and nothing is accepted twice', async () => {
  const { events, listStored } = await makeEvents(3)
  const [running, waiting, after] = events
  const hanging = await whileHanging(running, async () => {
    for (const response of await Promise.all([waiting, { events: [waiting] }].map(publish))) {
      expect(response).toMatchObject({ status: 503, code: 'service_unavailable' })
      expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
      expect(response.ms).toBeLessThan(8_000)
    }
  })
  expect(hanging.status).toBe(202)
  expect((await publish(after)).status).toBe(202)
  expect(await listStored()).toEqual([running!.id, after!.id])
  // What got 503 is published again.
  expect((await publish(waiting)).status).toBe(202)
  expect((await publish(waiting)).status).toBe(202)
  expect(await listStored()).toEqual([running!.id, after!.id, waiting!.id])
})

test('a publish whose client leaves while it waits for its statement is not stored', async () => {
  const { events, listStored } = await makeEvents(3)
  const [running, left, after] = events
  const hanging = await whileHanging(running, async () => {
    const leave = publishAndLeave(left)
    // Until it is read and checked.
    await setTimeout(500)
    leave()
    await until(countClosed, (count) => count > 0)
  })
  expect(hanging.status).toBe(202)
  expect((await publish(after)).status).toBe(202)
  expect(await listStored()).toEqual([running!.id, after!.id])
})

/** The number of publishes that were closed without a response: Node gives them its default status. */
const countClosed = (): Promise<number> =>
  readMetric(
    { internalPort: Number(new URL(api.internalUrl).port) },
    'hosting_api_request_seconds_count{operation="internal.events",status="200"}',
  )
