import { verifyWebhook } from '@hosting/sdk'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { TestTenant } from '../support/api.ts'
import { siteData } from '../support/events.ts'
import type { ServiceProcess } from '../support/processes.ts'
import {
  startRawReceiver,
  startReceiver,
  type ReceivedRequest,
  type Receiver,
  type Reply,
} from '../support/receiver.ts'
import { testOfOneWorker, until, useStack } from '../support/stack.ts'
import { webhookUser, type Subscription } from '../support/webhook-user.ts'

// One attempt at a time, so that attempts are made in the order in which they are taken; dead after two.
const stack = useStack({
  WEBHOOK_RETRY_DELAYS_SECONDS: '0.2',
  WORKER_CONCURRENCY: '1',
  LOG_LEVEL: 'trace',
})
const { subscribe, publish, listDeliveries, endedDelivery } = webhookUser(stack)

let worker: ServiceProcess
beforeAll(async () => {
  worker = await stack.startWorker()
})

async function post(token: string, path: string, body?: unknown) {
  const response = await stack.api.call('post', path, { token, body })
  expect([200, 202]).toContain(response.status)
  return response.body
}

const show = async ({ token, id }: Subscription) =>
  (await stack.api.call('get', `/webhooks/${id}`, { token })).body.webhook

const setEnabled = ({ token, id }: Subscription, enabled: boolean) =>
  stack.api.call('patch', `/webhooks/${id}`, { token, body: { enabled } })

const redeliver = async ({ token }: Subscription, deliveryId: string): Promise<string> =>
  (await post(token, `/webhook-deliveries/${deliveryId}/redeliver`)).delivery.id

const signatureOf = ({ headers }: ReceivedRequest) => headers['service-signature'] as string

const verify = (request: ReceivedRequest, secret: string | readonly string[]) =>
  verifyWebhook(request.body, signatureOf(request), secret)

/** For each `v1` of the header, in order, the secret that signed it. */
async function signersOf(
  request: ReceivedRequest,
  secrets: Readonly<Record<string, string>>,
): Promise<string[]> {
  const [t, ...signatures] = signatureOf(request).split(',')
  const names: string[] = []
  for (const signature of signatures) {
    for (const [name, secret] of Object.entries(secrets)) {
      const verified = verifyWebhook(request.body, `${t},${signature}`, secret)
      await verified.then(
        () => names.push(name),
        (error: unknown) => expect(error).toMatchObject({ reason: 'signature_mismatch' }),
      )
    }
  }
  expect(names).toHaveLength(signatures.length)
  return names
}

/** A receiver with a configurable response, and an endpoint for it. */
async function makeSubscriber(respond?: (request: ReceivedRequest) => Reply | Promise<Reply>) {
  const receiver = await startReceiver(respond && { respond })
  const tenant = await stack.api.makeTenant()
  return { receiver, tenant, endpoint: await subscribe(tenant, receiver.url) }
}

const idsOf = (requests: readonly ReceivedRequest[]): string[] =>
  requests.map(({ body }) => JSON.parse(body.toString()).id)

describe('a ping', () => {
  test('arrives signed as webhook.ping, only at its endpoint', async () => {
    const { receiver: other, tenant, endpoint: all } = await makeSubscriber()
    const receiver = await startReceiver()
    const endpoint = await subscribe(tenant, receiver.url, ['dns.*'])
    const { delivery } = await post(endpoint.token, `/webhooks/${endpoint.id}/ping`)
    const request = await receiver.next()
    expect(await verify(request, endpoint.secret)).toEqual({
      id: delivery.event.id,
      type: 'webhook.ping',
      created_at: delivery.event.created_at,
      tenant_id: tenant.id,
      data: { object_type: 'webhook', object_id: endpoint.id },
    })
    expect(request.headers).toMatchObject({
      'service-event': 'webhook.ping',
      'service-delivery': delivery.id,
    })
    expect(await endedDelivery(endpoint)).toMatchObject({ id: delivery.id, status: 'succeeded' })

    const eventId = await publish(tenant)
    await other.next()
    expect(idsOf(other.requests)).toEqual([eventId])
    expect(await listDeliveries(all)).toHaveLength(1)
    expect(receiver.requests).toHaveLength(1)
    await Promise.all([receiver.close(), other.close()])
  })
})

describe('a redelivery', () => {
  test('of a succeeded delivery sends the same event and bytes with another delivery id', async () => {
    const { receiver, tenant, endpoint } = await makeSubscriber()
    const eventId = await publish(tenant)
    const first = await receiver.next()
    const before = await endedDelivery(endpoint)
    const againId = await redeliver(endpoint, before.id)
    const second = await receiver.next()
    expect(second.body.equals(first.body)).toBe(true)
    expect(await verify(second, endpoint.secret)).toMatchObject({ id: eventId })
    expect([first, second].map(({ headers }) => headers['service-delivery'])).toEqual([
      before.id,
      againId,
    ])
    expect(againId).not.toBe(before.id)
    expect(await endedDelivery(endpoint)).toMatchObject({
      id: againId,
      status: 'succeeded',
      attempt_count: 1,
      redelivery_of: before.id,
      event: { id: eventId },
    })
    const [, kept] = await listDeliveries(endpoint)
    expect(kept).toMatchObject({ id: before.id, status: 'succeeded', attempt_count: 1 })
    await receiver.close()
  })

  test('of a dead delivery has its own retries', async () => {
    let failuresLeft = 3
    const { receiver, tenant, endpoint } = await makeSubscriber(() => ({
      status: failuresLeft-- > 0 ? 503 : 200,
    }))
    await publish(tenant)
    const dead = await endedDelivery(endpoint)
    expect(dead).toMatchObject({ status: 'dead', attempt_count: 2 })
    const againId = await redeliver(endpoint, dead.id)
    const again = await endedDelivery(endpoint)
    expect(again).toMatchObject({ id: againId, status: 'succeeded', attempt_count: 2 })
    expect(again.attempts).toMatchObject([
      { number: 1, status_code: 503 },
      { number: 2, status_code: 200 },
    ])
    const { requests } = receiver
    expect(requests.map(({ headers }) => headers['service-delivery'])).toEqual([
      dead.id,
      dead.id,
      againId,
      againId,
    ])
    expect(new Set(requests.map(({ body }) => body.toString())).size).toBe(1)
    const [, kept] = await listDeliveries(endpoint)
    expect(kept).toMatchObject({ id: dead.id, status: 'dead', attempt_count: 2 })
    await receiver.close()
  })
})

describe('a rotation', () => {
  const rotate = async ({ token, id }: Subscription, grace_seconds: number): Promise<string> =>
    (await post(token, `/webhooks/${id}/rotate-secret`, { grace_seconds })).secret

  async function sendOne(tenant: TestTenant, receiver: Receiver): Promise<ReceivedRequest> {
    await publish(tenant)
    return receiver.next()
  }

  /** Moves the ends of the endpoint's secrets closer by `seconds`. */
  const letPass = ({ id }: Subscription, seconds: number) =>
    stack.database.pool.query(
      `UPDATE webhook_secrets SET expires_at = expires_at - $2 * interval '1 s'
       WHERE endpoint_id = $1`,
      [id, seconds],
    )

  test('with an overlap period signs with every valid secret, newest first, each until its own end', async () => {
    const { receiver, tenant, endpoint } = await makeSubscriber()
    const secrets: Record<string, string> = { first: endpoint.secret }
    expect(await signersOf(await sendOne(tenant, receiver), secrets)).toEqual(['first'])

    secrets['second'] = await rotate(endpoint, 7_200)
    const both = await sendOne(tenant, receiver)
    expect(await signersOf(both, secrets)).toEqual(['second', 'first'])
    for (const secret of Object.values(secrets)) {
      expect(await verify(both, secret)).toMatchObject({ type: 'site.created' })
    }

    // The second ends before the first, although its overlap period started later.
    secrets['third'] = await rotate(endpoint, 3_600)
    await letPass(endpoint, 3_540)
    const all = await sendOne(tenant, receiver)
    expect(await signersOf(all, secrets)).toEqual(['third', 'second', 'first'])
    await letPass(endpoint, 60)
    const fewer = await sendOne(tenant, receiver)
    expect(await signersOf(fewer, secrets)).toEqual(['third', 'first'])

    secrets['fourth'] = await rotate(endpoint, 0)
    const last = await sendOne(tenant, receiver)
    expect(await signersOf(last, secrets)).toEqual(['fourth'])
    const retired = [endpoint.secret, secrets['second'], secrets['third']]
    await expect(verify(last, retired)).rejects.toMatchObject({ reason: 'signature_mismatch' })
    await receiver.close()
  })

  test('applies to the next attempt of a delivery that was sent already', async () => {
    const secrets: Record<string, string> = {}
    const { receiver, tenant, endpoint } = await makeSubscriber(async () => {
      if (secrets['new']) return { status: 204 }
      secrets['new'] = await rotate(endpoint, 0)
      return { status: 500 }
    })
    secrets['old'] = endpoint.secret
    await publish(tenant)
    const [first, retry] = [await receiver.next(), await receiver.next()]
    expect(await endedDelivery(endpoint)).toMatchObject({ status: 'succeeded', attempt_count: 2 })
    expect(await signersOf(first, secrets)).toEqual(['old'])
    expect(await signersOf(retry, secrets)).toEqual(['new'])
    expect(retry.body.equals(first.body)).toBe(true)
    await receiver.close()
  })
})

describe('a recovery', () => {
  test('sends every dead delivery again once, and shows its progress', async () => {
    let status = 500
    const { receiver, tenant, endpoint } = await makeSubscriber(() => ({ status }))
    const { token, id } = endpoint
    const since = new Date().toISOString()
    const count = 60
    const event = { tenant_id: tenant.id, type: 'site.created', data: siteData }
    const events = Array.from({ length: count }, () => event)
    const published = await stack.api.callInternal('post', '/events', { events })
    const eventIds = published.body.items.map((item: { id: string }) => item.id) as string[]
    const countOf = async (what: string) => {
      const path = `/webhooks/${id}/deliveries?limit=100&status=${what}`
      return (await stack.api.call('get', path, { token })).body.items.length as number
    }
    await until(
      () => countOf('dead'),
      (dead) => dead === count,
    )
    status = 204
    const sentBefore = receiver.requests.length

    const { recovery } = await post(token, `/webhooks/${id}/recover`, { since })
    expect(recovery).toMatchObject({ total: count })
    const progress: number[] = []
    const ended = await until(
      async () => {
        const path = `/webhooks/${id}/recoveries/${recovery.id}`
        const shown = (await stack.api.call('get', path, { token })).body.recovery
        progress.push(shown.done)
        return shown
      },
      (shown) => shown.status !== 'running',
    )
    expect(ended).toEqual({ id: recovery.id, status: 'done', total: count, done: count })
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    await until(
      () => countOf('succeeded'),
      (succeeded) => succeeded === count,
    )
    expect(idsOf(receiver.requests.slice(sentBefore)).toSorted()).toEqual(eventIds.toSorted())
    expect(await countOf('dead')).toBe(count)
    await receiver.close()
  }, 80_000)
})

describe('a disabled endpoint', () => {
  testOfOneWorker(
    'makes queued deliveries, due retries and new events wait, and gets them oldest first once enabled',
    async () => {
      const asked = Promise.withResolvers<void>()
      const { receiver, tenant, endpoint } = await makeSubscriber(async () => {
        if (receiver.requests.length > 1) return { status: 204 }
        await asked.promise
        return { status: 500 }
      })
      // The first is in progress while two are queued and the endpoint is disabled; then it fails. The worker is
      // stopped meanwhile: a long attempt would be detached and make room for the next.
      const retried = await publish(tenant)
      await receiver.next()
      const queued: string[] = []
      await worker.whileStopped(async () => {
        queued.push(await publish(tenant), await publish(tenant))
        expect(await show(endpoint)).toMatchObject({ waiting_deliveries: 2 })
        await setEnabled(endpoint, false)
        asked.resolve()
      })
      const waiting = async () => {
        const items = await listDeliveries(endpoint)
        return items.map(({ status, attempt_count }) => [status, attempt_count])
      }
      const [fresh, onceTried] = [
        ['waiting_endpoint', 0],
        ['waiting_endpoint', 1],
      ]
      await until(waiting, (items) => items.some(([, attempts]) => attempts === 1))
      await untilDueAndFree(endpoint, 3)
      const later = await publish(tenant)
      expect(await waiting()).toEqual([fresh, fresh, fresh, onceTried])
      expect(await show(endpoint)).toMatchObject({ enabled: false, waiting_deliveries: 4 })
      expect(receiver.requests).toHaveLength(1)

      await setEnabled(endpoint, true)
      await until(waiting, (items) => items.every(([status]) => status === 'succeeded'))
      expect(idsOf(receiver.requests)).toEqual([retried, ...queued, retried, later])
      expect(await show(endpoint)).toMatchObject({ enabled: true, waiting_deliveries: 0 })
      await receiver.close()
    },
  )

  /** Waits until `count` deliveries of the endpoint are due and none of them has a job left. */
  const untilDueAndFree = ({ id }: Subscription, count: number) =>
    until(
      async () => {
        const { rowCount } = await stack.database.pool.query(
          `SELECT 1 FROM pending_deliveries
           WHERE endpoint_id = $1 AND due_at < now() AND held_until < now() AND lease_id IS NULL`,
          [id],
        )
        return rowCount
      },
      (free) => free === count,
    )
})

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
