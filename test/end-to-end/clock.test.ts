import { timeOfUuidv7 } from '@hosting/core/ids'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { agedRecords } from '../../packages/postgres/test/support/aged-records.ts'
import { connect } from '../support/api.ts'
import { makeCertificates } from '../support/certificates.ts'
import { siteData } from '../support/events.ts'
import { clockOffBy } from '../support/faketime.ts'
import { readiness, readMetric, untilRounds } from '../support/observe.ts'
import { startReceiver } from '../support/receiver.ts'
import { releaseHeld } from '../support/release-held.ts'
import { until, useStack } from '../support/stack.ts'
import { writeTemporary } from '../support/temporary-folder.ts'
import { webhookUser } from '../support/webhook-user.ts'

const stack = useStack()
const skews = ['+32d', '+2h', '-2d']
/** The tests and the database use the clock of one machine. The tolerance allows for a busy machine. */
const nearMs = 60_000
const hourMs = 3_600_000

/** Installs the package before any process starts, so that no other process starts with the wrong clock. */
beforeAll(() => clockOffBy('+0d'), 120_000)

const expectNow = (timeMs: number): void =>
  expect(Math.abs(timeMs - Date.now())).toBeLessThan(nearMs)

async function readRecords() {
  const query = async (text: string) => (await stack.database.pool.query<{ id: string }>(text)).rows
  return {
    partitions: await query(
      `SELECT inhrelid::regclass::text AS id FROM pg_inherits
       WHERE inhparent IN ('events'::regclass, 'deliveries'::regclass, 'delivery_attempts'::regclass) ORDER BY 1`,
    ),
    events: await query('SELECT id::text FROM events ORDER BY id'),
    deliveries: await query('SELECT id::text FROM all_deliveries ORDER BY id'),
    secrets: await query('SELECT id::text FROM webhook_secrets ORDER BY id'),
  }
}

describe.each(skews)('a worker whose clock is off by %s', (skew) => {
  test('loses nothing, sends and records everything once, and reports that its clock is wrong', async () => {
    const { subscribe, endedDelivery } = webhookUser(stack)
    const receiver = await startReceiver()
    const tenant = await stack.api.makeTenant()
    const endpoint = await subscribe(tenant, receiver.url)
    const { token } = endpoint
    const rotation = { token, body: { grace_seconds: 3_600 } }
    await stack.api.call('post', `/webhooks/${endpoint.id}/rotate-secret`, rotation)
    const aged = agedRecords(stack.database)
    const old = await aged.addDelivery(await aged.addEvent(20), 20, 20)
    const events = Array.from({ length: 20 }, () => ({
      tenant_id: tenant.id,
      type: 'site.created',
      data: siteData,
    }))
    const published = await stack.api.callInternal('post', '/events', { events })
    expect(published.status).toBe(202)
    const before = await readRecords()

    const worker = await stack.startWorker(await clockOffBy(skew))
    for (const _ of events) {
      const { headers } = await receiver.next()
      expectNow(Number(headers['service-timestamp']) * 1_000)
      expect(String(headers['service-signature']).match(/v1=/g)).toHaveLength(2)
    }
    // By then every deleting duty that runs has completed its first round.
    await untilRounds(worker, 'relay', 4)
    await endedDelivery(endpoint)
    const { rows: attempts } = await until(
      () =>
        stack.database.pool.query<{ id: string; started_at: Date }>(
          'SELECT id::text, started_at FROM recorded_attempts WHERE endpoint_id = $1',
          [endpoint.id],
        ),
      ({ rowCount }) => rowCount === events.length,
    )
    for (const { id, started_at } of attempts) {
      expectNow(timeOfUuidv7(id))
      expectNow(started_at.getTime())
    }
    expect(receiver.requests).toHaveLength(events.length)
    expect(await readRecords()).toEqual(before)
    expect(before.deliveries).toContainEqual({ id: old })
    expect(await readiness(worker)).toMatchObject({
      status: 503,
      checks: { clock: 'unavailable', database: 'ok' },
    })
    expect(await worker.stop()).toBe(0)
    await receiver.close()
  }, 120_000)
})

test('a worker with a wrong clock counts no attempt for a certificate that only it considers expired', async () => {
  const { subscribe, publish, listDeliveries, endedDelivery } = webhookUser(stack)
  const certificates = await makeCertificates({ addresses: ['127.0.0.1'] })
  const receiver = await startReceiver({ tls: certificates })
  const tenant = await stack.api.makeTenant()
  const endpoint = await subscribe(tenant, receiver.url)
  const trusting = { NODE_EXTRA_CA_CERTS: writeTemporary('ca.pem', certificates.ca) }
  const wrong = await stack.startWorker({ ...trusting, ...(await clockOffBy('+32d')) })
  await publish(tenant)
  await until(
    () => readMetric(wrong, 'hosting_attempts_postponed_total{reason="clock"}'),
    (postponed) => postponed > 0,
  )
  expect(await listDeliveries(endpoint)).toMatchObject([{ status: 'queued', attempt_count: 0 }])
  expect(await wrong.stop()).toBe(0)

  await releaseHeld(stack.database)
  const right = await stack.startWorker(trusting)
  expect(await endedDelivery(endpoint)).toMatchObject({ status: 'succeeded', attempt_count: 1 })
  expect(await right.stop()).toBe(0)
  await receiver.close()
}, 120_000)

describe.each(skews)('an API whose clock is off by %s', (skew) => {
  test('accepts events, stores correct times, applies the requested overlap period, and reports that its clock is wrong', async () => {
    const process = await stack.startApi(await clockOffBy(skew))
    const api = connect(stack.database, process)
    const tenant = await api.makeTenant()
    const { subscribe, publish } = webhookUser({ api })
    const endpoint = await subscribe(tenant, 'http://127.0.0.1:9/')
    const { token } = endpoint
    const eventId = await publish(tenant)
    expectNow(timeOfUuidv7(eventId))
    const deliveries = await api.call('get', `/webhooks/${endpoint.id}/deliveries`, { token })
    expectNow(Date.parse(deliveries.body.items[0].event.created_at))
    expectNow(Date.parse(deliveries.body.items[0].next_attempt_at))

    const rotation = { token, body: { grace_seconds: 3_600 } }
    const rotated = await api.call('post', `/webhooks/${endpoint.id}/rotate-secret`, rotation)
    const { webhook } = rotated.body
    expectNow(Date.parse(webhook.previous_secret_expires_at) - hourMs)
    for (const member of ['created_at', 'updated_at', 'secret_rotated_at']) {
      expectNow(Date.parse(webhook[member]))
    }

    const expires_at = new Date(Date.now() + hourMs).toISOString()
    const body = { name: 'ends in an hour', scopes: ['*'], expires_at }
    const made = await api.call('post', '/api-keys', { token, body })
    expect(made.status).toBe(201)
    const key = made.body.key as Record<string, string>
    for (const member of ['created_at', 'updated_at']) expectNow(Date.parse(key[member]!))
    const me = await api.call('get', '/auth/me', { token: made.body.token })
    expect([me.status, me.body.key.status]).toEqual([200, 'active'])
    const log = await api.call('get', '/audit-log', { token })
    for (const { occurred_at } of log.body.items) expectNow(Date.parse(occurred_at))
    expect(await readiness(process)).toMatchObject({
      status: 503,
      checks: { clock: 'unavailable', database: 'ok' },
    })
  }, 120_000)
})

test('processes whose clocks are correct are ready', async () => {
  const processes = [await stack.startWorker(), await stack.startApi()]
  for (const process of processes) {
    expect(await readiness(process)).toMatchObject({ status: 200, checks: { clock: 'ok' } })
  }
})
