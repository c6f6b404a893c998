import { verifyWebhook } from '@hosting/sdk'
import { describe, expect, test } from '@jest/globals'
import type { TestTenant } from '../support/api.ts'
import { type ReceivedRequest, type Receiver } from '../support/receiver.ts'
import { until } from '../support/stack.ts'
import { type Subscription } from '../support/webhook-user.ts'
import {
  stack,
  publish,
  listDeliveries,
  endedDelivery,
  worker,
  post,
  makeSubscriber,
  show,
  setEnabled,
  signatureOf,
  verify,
  idsOf,
} from '../support/webhook-subscriber.ts'

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

  test('with an overlap period signs with every valid secret, newest first, until each ends', async () => {
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

  test('applies to the next attempt of a delivery that was already sent', async () => {
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

describe('a disabled endpoint', () => {
  test('holds queued deliveries, due retries and new events, and gets them oldest first when enabled', async () => {
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
  })

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
