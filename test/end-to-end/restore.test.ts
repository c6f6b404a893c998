import { type Database } from '@hosting/postgres/database'
import { verifyWebhook } from '@hosting/sdk'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { root } from '../../tools/run.ts'
import { type TestKey } from '../support/api.ts'
import { callerOf, type Caller } from '../support/caller.ts'
import { siteData } from '../support/events.ts'
import { emptyRedis } from '../support/own-stack.ts'
import { until } from '../support/stack.ts'
import {
  run,
  redisUrl,
  environmentAt,
  start,
  query,
  restore,
  statementOf,
  stopAll,
  original,
  tenant,
  good,
  failing,
  repairReceiver,
  formerHome,
  subscriptions,
  moved,
  keys,
  acceptedBefore,
  acceptedInAll,
  dumpedAt,
  revoke,
} from '../support/dump.ts'

const statusOf = async (api: Caller, { token }: TestKey): Promise<number> =>
  (await api.call('get', '/auth/me', { token })).status

describe('a dump of the live system, restored with an empty Redis', () => {
  let restored: Database
  let api: Caller
  let sentHomeBefore: number
  let deliveries: { event_id: string; endpoint_id: string; id: string }[]

  beforeAll(async () => {
    restored = await restore('restored')
    sentHomeBefore = formerHome.requests.length
    deliveries = await query(
      restored,
      'SELECT id, event_id, endpoint_id FROM all_deliveries WHERE endpoint_id <> $1',
      [moved.id],
    )
    const unfinished = await unfinishedDeliveries()
    // The dump must be taken while events are published; otherwise the test proves nothing.
    expect(unfinished.length).toBeGreaterThan(0)
    expect(unfinished.length).toBeLessThan(deliveries.length)

    const moment = dumpedAt.toISOString()
    const lost = await query<{ id: string }>(
      original,
      statementOf('SELECT id FROM api_keys', { moment }),
    )
    const ids = lost.map(({ id }) => id)
    expect(ids.toSorted()).toEqual([keys.revokedAfter.id, keys.rotatedAfter.id].toSorted())
    await query(restored, statementOf('UPDATE api_keys', { keys: `{${ids.join(',')}}` }))
    const changed = await query<{ id: string }>(
      original,
      statementOf('SELECT id FROM webhook_endpoints', { moment }),
    )
    expect(changed).toEqual([{ id: moved.id }])
    await query(
      restored,
      statementOf(
        'UPDATE webhook_endpoints SET enabled = false, disabled_at = now()\nWHERE id = ANY',
        { endpoints: `{${moved.id}}` },
      ),
    )
    await emptyRedis(redisUrl)
    repairReceiver()
    const [service] = [await start('api', 'restored'), await start('worker', 'restored')]
    api = callerOf(service)
  })

  const unfinishedDeliveries = (): Promise<unknown[]> =>
    query(restored, 'SELECT 1 FROM pending_deliveries WHERE endpoint_id <> $1', [moved.id])

  test('contains every event that was accepted before it started, and none that was accepted after it', () => {
    const held = new Set(deliveries.map(({ event_id }) => event_id))
    expect(acceptedBefore.filter((id) => !held.has(id))).toEqual([])
    expect(acceptedInAll.some((id) => !held.has(id))).toBe(true)
  })

  test('every delivery in it is sent, signed with the secret of its endpoint', async () => {
    await until(unfinishedDeliveries, (rows) => rows.length === 0, 30_000)
    const arrived = new Set<string>()
    for (const [index, receiver] of [good, failing].entries()) {
      for (const { headers, body } of receiver.requests) {
        const signature = String(headers['service-signature'])
        const { id } = await verifyWebhook(body, signature, subscriptions[index]!.secret, {
          toleranceSeconds: 600,
        })
        arrived.add(`${id} ${subscriptions[index]!.id} ${String(headers['service-delivery'])}`)
      }
    }
    const missing = deliveries.filter(
      (each) => !arrived.has(`${each.event_id} ${each.endpoint_id} ${each.id}`),
    )
    expect(missing).toEqual([])
    const outcomes = await query(
      restored,
      'SELECT endpoint_id, outcome FROM all_deliveries GROUP BY 1, 2',
    )
    expect(outcomes).toHaveLength(3)
    for (const { id } of subscriptions) {
      expect(outcomes).toContainEqual({ endpoint_id: id, outcome: 'succeeded' })
    }
  })

  test('nothing is sent to the former URL of an endpoint', async () => {
    expect(sentHomeBefore).toBeGreaterThan(0)
    expect(formerHome.requests).toHaveLength(sentHomeBefore)
    const waiting = 'SELECT 1 FROM pending_deliveries WHERE endpoint_id = $1'
    expect((await query(restored, waiting, [moved.id])).length).toBeGreaterThan(0)
  })

  test('after following the runbook, active keys work, and no revoked key works', async () => {
    expect(await statusOf(api, keys.living)).toBe(200)
    expect(await statusOf(api, keys.revokedBefore)).toBe(401)
    expect(await statusOf(api, keys.revokedAfter)).toBe(401)
    expect(await statusOf(api, keys.rotatedAfter)).toBe(401)
  })

  test('the audit log verifies', async () => {
    await until(
      () => query(restored, 'SELECT 1 FROM audit_unsealed LIMIT 1'),
      (rows) => rows.length === 0,
    )
    const env = { PATH: process.env['PATH'], ...environmentAt('restored') }
    const { stdout } = await run(process.execPath, ['tools/verify-audit.ts'], { cwd: root, env })
    expect(stdout).toMatch(/^[1-9]\d* entries of 1 organizations, 0 errors$/m)
  })

  test('an event that a publisher sends again is accepted once', async () => {
    const event = { id: randomUUID(), tenant_id: tenant.id, type: 'site.created', data: siteData }
    await api.callInternal('post', '/events', event)
    expect((await api.callInternal('post', '/events', event)).status).toBe(202)
    const rows = await query(restored, 'SELECT 1 FROM events WHERE event_id = $1', [event.id])
    expect(rows).toHaveLength(1)
  })
})

describe('the same dump, with a Redis that is newer', () => {
  test('keys have the state of the database, although Redis has newer versions', async () => {
    await stopAll()
    await restore('restored_later')
    // Redis knows later versions of the keys, as in the original.
    await emptyRedis(redisUrl)
    const before = [await start('api', 'original'), await start('api', 'original')].map(callerOf)
    for (const api of before) {
      expect(await statusOf(api, keys.living)).toBe(200)
      expect(await statusOf(api, keys.revokedAfter)).toBe(401)
      expect(await statusOf(api, keys.rotatedAfter)).toBe(401)
    }
    await stopAll()

    const [one, other] = [
      callerOf(await start('api', 'restored_later')),
      callerOf(await start('api', 'restored_later')),
    ]
    // Without the runbook's statement these keys work again; the statement exists for this reason.
    for (const api of [one, other, one, other]) {
      expect(await statusOf(api, keys.revokedAfter)).toBe(200)
      expect(await statusOf(api, keys.rotatedAfter)).toBe(200)
      expect(await statusOf(api, keys.revokedBefore)).toBe(401)
    }
    // A change now raises the version to one that Redis already had. It must still apply immediately.
    await revoke(one, keys.revokedAfter)
    expect(await statusOf(other, keys.revokedAfter)).toBe(401)
    expect(await statusOf(one, keys.revokedAfter)).toBe(401)
  })
})
