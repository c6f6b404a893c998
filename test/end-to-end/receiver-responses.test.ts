import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { startRawReceiver, type Reply } from '../support/receiver.ts'
import { type Subscription } from '../support/webhook-user.ts'
import {
  stack,
  subscribe,
  publish,
  endedDelivery,
  worker,
  makeSubscriber,
} from '../support/webhook-subscriber.ts'

describe('the response of a receiver', () => {
  test('is neither stored nor logged, whether it is a success, a failure or not HTTP', async () => {
    const marker = `marker-${randomUUID()}`
    const replies: Reply[] = [
      { status: 200, body: marker },
      { status: 500, body: JSON.stringify({ error: marker }) },
      { status: 302, headers: { location: `https://example.com/${marker}` }, body: marker },
      { status: 204, headers: { 'x-marker': marker } },
    ]
    const subscriber = await makeSubscriber(({ path }) => replies[Number(path.slice(1))]!)
    const { tenant, receiver } = subscriber
    const raw = await startRawReceiver((socket) => socket.end(`HTTP/9 ${marker}\r\n${marker}`))
    const urls = [
      ...replies.map((_, index) => `${receiver.url}${index}`),
      `http://127.0.0.1:${raw.port}/`,
    ]
    const endpoints: Subscription[] = []
    for (const url of urls) endpoints.push(await subscribe(tenant, url))
    await publish(tenant)
    const shown: unknown[] = []
    for (const endpoint of endpoints) shown.push(await endedDelivery(endpoint))
    expect(shown).toMatchObject([
      { status: 'succeeded', attempts: [{ status_code: 200 }] },
      { status: 'dead', attempts: [{ error_class: 'http_error' }, { number: 2 }] },
      { status: 'dead', attempts: [{ error_class: 'redirect' }, { number: 2 }] },
      { status: 'succeeded' },
      { status: 'dead', attempts: [{ error_class: 'protocol_error' }, { number: 2 }] },
    ])

    expect(await worker.stop()).toBe(0)
    const tables = await dumpTables()
    const logs = worker.lines.join('\n')
    // The search covers data that was actually written.
    for (const { id } of endpoints) {
      expect(tables).toContain(id)
      expect(logs).toContain(id)
    }
    const bytes = [...Buffer.from(marker)].join(',')
    const texts = [marker, Buffer.from(marker).toString('hex'), bytes]
    for (const text of texts) {
      expect(tables.includes(text)).toBe(false)
      expect(logs.includes(text)).toBe(false)
      expect(JSON.stringify(shown)).not.toContain(text)
    }
    await Promise.all([receiver.close(), raw.close()])
  })

  /** Every row of every table, as text. */
  async function dumpTables(): Promise<string> {
    const { pool } = stack.database
    const { rows: tables } = await pool.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
    expect(tables.length).toBeGreaterThan(20)
    const dumps = await Promise.all(
      tables.map(({ name }) => pool.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`)),
    )
    return dumps.flatMap(({ rows }) => rows.map(({ row }) => row)).join('\n')
  }
})
