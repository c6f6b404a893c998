import { advanceRecoveries } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { until } from '../../../../test/support/until.ts'
import { makeSubscriber } from '../support/delivery-list.ts'
import { ago, type Target, useRecoveries } from '../support/recoveries.ts'
import { invalid, notFound, refusalOf } from '../support/refusals.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()
const dayMs = 86_400_000
const minuteMs = 60_000

const { recover, redeliveredOf, makeDead, makeDeadOnes, countRecoveries } = useRecoveries(api)

describe('POST /webhooks/{id}/recover: one recovery at a time', () => {
  const running = { status: 409, code: 'conflict' }

  test('409 conflict only while a recovery of the endpoint is running', async () => {
    const subscriber = await makeSubscriber(api)
    await makeDeadOnes(subscriber, 2)
    const first = (await recover(subscriber)).body.recovery
    expect(refusalOf(await recover(subscriber))).toEqual(running)
    const path = `/webhooks/${subscriber.webhookId}/recoveries/${first.id}`
    await api.call('delete', path, { token: subscriber.token })
    expect((await recover(subscriber)).status).toBe(202)
  })

  test('one of 50 concurrent requests is 202, and the others are 409', async () => {
    const subscriber = await makeSubscriber(api)
    await makeDead(subscriber)
    const responses = await Promise.all(Array.from({ length: 50 }, () => recover(subscriber)))
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(1)
    const refused = responses.filter(({ status }) => status !== 202)
    expect(refused.map(refusalOf)).toEqual(Array.from({ length: 49 }, () => running))
    expect(await countRecoveries(subscriber)).toBe(1)
  })

  test('another endpoint is not affected', async () => {
    const [one, other] = [await makeSubscriber(api), await makeSubscriber(api)]
    await makeDead(one)
    await makeDead(other)
    expect((await recover(one)).status).toBe(202)
    expect((await recover(other)).status).toBe(202)
  })

  test('100 requests create no more deliveries than one', async () => {
    const subscriber = await makeSubscriber(api)
    const dead = await makeDeadOnes(subscriber, 5)
    const statuses = new Set<number>()
    for (let round = 0; round < 5; round++) {
      const responses = await Promise.all(Array.from({ length: 20 }, () => recover(subscriber)))
      for (const { status } of responses) statuses.add(status)
      await advanceRecoveries(api.database, { stepMax: 50, stepMs: 0, recoveriesMax: 9 })
    }
    expect([...statuses].toSorted()).toEqual([202, 409])
    expect(await redeliveredOf(subscriber)).toEqual(dead)
  }, 90_000)
})

describe('POST /webhooks/{id}/recover: dry_run', () => {
  const dryRun = (target: Target) => recover(target, { since: ago(minuteMs), dry_run: true })

  test('200 returns only the total, and changes nothing', async () => {
    const subscriber = await makeSubscriber(api)
    await makeDeadOnes(subscriber, 2)
    const { status, body } = await dryRun(subscriber)
    expect([status, body]).toEqual([200, { total: 2 }])
    expect(await countRecoveries(subscriber)).toBe(0)
    expect(await auditOf(api, subscriber.tenant.id)).toHaveLength(1)
  })

  test('200 even while a recovery runs: it counts deliveries that it has not resent yet', async () => {
    const subscriber = await makeSubscriber(api)
    await makeDeadOnes(subscriber, 3)
    await recover(subscriber)
    await advanceRecoveries(api.database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 })
    expect((await dryRun(subscriber)).body).toEqual({ total: 2 })
  })

  test('false has the same effect as omitting it', async () => {
    const subscriber = await makeSubscriber(api)
    const body = { since: ago(minuteMs), dry_run: false }
    expect((await recover(subscriber, body)).status).toBe(202)
  })

  test("429 rate_limited for more than an organization's concurrent reads", async () => {
    const subscriber = await makeSubscriber(api)
    const codes: (string | undefined)[] = []
    const locking = await api.database.pool.connect()
    await locking.query('BEGIN; LOCK TABLE deliveries IN ACCESS EXCLUSIVE MODE')
    const running = Array.from({ length: 110 }, async () => {
      const { status, body } = await dryRun(subscriber)
      if (status !== 200) codes.push(body.code)
    })
    await until(
      async () => codes,
      ([first]) => first !== undefined,
    )
    await locking.query('ROLLBACK')
    locking.release()
    await Promise.all(running)
    expect(new Set(codes)).toEqual(new Set(['rate_limited']))
  })

  test('404 for a deleted endpoint, 422 for a value other than true and false', async () => {
    const subscriber = await makeSubscriber(api)
    const body = { since: ago(minuteMs), dry_run: 'yes' }
    expect(refusalOf(await recover(subscriber, body))).toEqual(invalid('/dry_run'))
    const { token, webhookId } = subscriber
    await api.call('delete', `/webhooks/${webhookId}`, { token })
    expect(refusalOf(await dryRun(subscriber))).toEqual(notFound)
  })
})

describe('POST /webhooks/{id}/recover: errors', () => {
  const since = ago(minuteMs)

  test.each<[what: string, body: unknown, ...pointers: string[]]>([
    ['no body', undefined, ''],
    ['null', 'null', ''],
    ['a list', [], ''],
    ['no since', {}, '/since'],
    ['an until without since', { until: since }, '/since'],
    ['a since of null', { since: null }, '/since'],
    ['a since that is a number', { since: Date.now() }, '/since'],
    ['a since that is a date', { since: since.slice(0, 10) }, '/since'],
    ['a since without an offset', { since: since.slice(0, -1) }, '/since'],
    ['a since that is no day', { since: '2026-02-30T00:00:00Z' }, '/since'],
    ['a since that is no time', { since: 'yesterday' }, '/since'],
    ['a leap second', { since: '2026-06-30T23:59:60Z' }, '/since'],
    ['a since over 30 days ago', { since: ago(30 * dayMs + 2 * minuteMs) }, '/since'],
    ['a since of long ago', { since: '0001-01-01T00:00:00Z' }, '/since'],
    ['a since to come, without until', { since: ago(-dayMs) }, '/since'],
    ['an until of null', { since, until: null }, '/until'],
    ['an until that is no time', { since, until: 'now' }, '/until'],
    ['an until at since', { since, until: since }, '/until'],
    ['an until before since', { since, until: ago(2 * minuteMs) }, '/until'],
    ['bad times', { since: 1, until: 2 }, '/since', '/until'],
    ['an unknown member', { since, statuses: 'dead' }, '/statuses'],
  ])('422 validation_failed names the invalid members: %s', async (_what, body, ...pointers) => {
    const { token, webhookId, tenant } = await makeSubscriber(api)
    const headers = { 'content-type': 'application/json' }
    const path = `/webhooks/${webhookId}/recover`
    const response = await api.call('post', path, { token, body, headers })
    expect(refusalOf(response)).toEqual(invalid(...pointers))
    expect(await countRecoveries({ token, webhookId })).toBe(0)
    expect(await auditOf(api, tenant.id)).toHaveLength(1)
  })

  test("404 is the same for a missing endpoint, a deleted one, another organization's and an invalid id", async () => {
    const subscriber = await makeSubscriber(api)
    const { token, webhookId: deletedId } = subscriber
    await makeDead(subscriber)
    await api.call('delete', `/webhooks/${deletedId}`, { token })
    const foreign = await makeSubscriber(api)
    await makeDead(foreign)
    for (const webhookId of [randomUUID(), deletedId, foreign.webhookId, 'nonsense']) {
      expect(refusalOf(await recover({ token, webhookId }))).toEqual(notFound)
    }
    expect(await countRecoveries(subscriber)).toBe(0)
    expect(await countRecoveries(foreign)).toBe(0)
    expect(await auditOf(api, subscriber.tenant.id)).toHaveLength(2)
    expect(await auditOf(api, foreign.tenant.id)).toHaveLength(1)
  })
})
