import { mergeAttemptStats } from '@hosting/postgres/deliveries'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { makeSubscriber, type Subscriber } from '../support/delivery-list.ts'
import { recordAttempts } from '../support/recorded-attempts.ts'

const api = useApi()

const show = async ({ token, webhookId }: Subscriber) =>
  (await api.call('get', `/webhooks/${webhookId}`, { token })).body.webhook

const patch = ({ token, webhookId }: Subscriber, body: object) =>
  api.call('patch', `/webhooks/${webhookId}`, { token, body })

describe('the health of an endpoint', () => {
  test('is unknown before the first attempt', async () => {
    const subscriber = await makeSubscriber(api)
    expect((await show(subscriber)).health).toEqual({
      state: 'unknown',
      failing_since: null,
      consecutive_failures: 0,
      last_status_code: null,
      last_error_class: null,
      failure_rate: null,
      failure_rate_24h: null,
    })
    await recordAttempts(api, subscriber, 'S')
    expect((await show(subscriber)).health).toMatchObject({
      state: 'healthy',
      consecutive_failures: 0,
    })
  })

  test('is failing since the start of the first of five failures, until a success', async () => {
    const subscriber = await makeSubscriber(api)
    const [first] = await recordAttempts(api, subscriber, 'FFFFF')
    expect((await show(subscriber)).health).toEqual({
      state: 'failing',
      failing_since: first,
      consecutive_failures: 5,
      last_status_code: 503,
      last_error_class: 'http_error',
      failure_rate: 1,
      failure_rate_24h: 1,
    })
    const { body } = await api.call('get', '/webhooks', { token: subscriber.token })
    expect(body.items[0].health).toMatchObject({ state: 'failing', consecutive_failures: 5 })
    await recordAttempts(api, subscriber, 'S')
    expect((await show(subscriber)).health).toEqual({
      state: 'healthy',
      failing_since: null,
      consecutive_failures: 0,
      last_status_code: 503,
      last_error_class: 'http_error',
      failure_rate: 0,
      failure_rate_24h: 5 / 6,
    })
  })
})

describe('failure_rate', () => {
  const ratesOf = async (subscriber: Subscriber) => {
    const { failure_rate, failure_rate_24h } = (await show(subscriber)).health
    return [failure_rate, failure_rate_24h]
  }

  test('counts from the close of the last incident on, so an endpoint that has recovered is healthy', async () => {
    const subscriber = await makeSubscriber(api)
    await recordAttempts(api, subscriber, 'SFFF')
    expect(await ratesOf(subscriber)).toEqual([3 / 4, 3 / 4])
    await recordAttempts(api, subscriber, 'FFFF')
    expect(await ratesOf(subscriber)).toEqual([7 / 8, 7 / 8])
    await recordAttempts(api, subscriber, 'S')
    expect(await ratesOf(subscriber)).toEqual([0, 7 / 9])
    await recordAttempts(api, subscriber, 'F')
    expect(await ratesOf(subscriber)).toEqual([1 / 2, 8 / 10])
  })

  test('counts exactly where one statement records the failures, the success and what follows', async () => {
    const subscriber = await makeSubscriber(api)
    await recordAttempts(api, subscriber, 'FFFFFFSSSF')
    expect(await ratesOf(subscriber)).toEqual([1 / 4, 7 / 10])
    await recordAttempts(api, subscriber, 'FFFFFSFFFFFSS')
    expect(await ratesOf(subscriber)).toEqual([0, 17 / 23])
  })

  test('counts after the merge of the attempts of an hour what it counted before', async () => {
    const subscriber = await makeSubscriber(api)
    await recordAttempts(api, subscriber, 'FFFFFSF')
    await mergeAttemptStats(api.database)
    expect(await ratesOf(subscriber)).toEqual([1 / 2, 6 / 7])
  })

  test('counts from the disabling of a failing endpoint on', async () => {
    const subscriber = await makeSubscriber(api)
    await recordAttempts(api, subscriber, 'FFFFF')
    await patch(subscriber, { enabled: false })
    expect(await ratesOf(subscriber)).toEqual([null, 1])
    await patch(subscriber, { enabled: true })
    await recordAttempts(api, subscriber, 'S')
    expect(await ratesOf(subscriber)).toEqual([0, 5 / 6])
  })

  test('is exact whatever attempts are recorded at the same time as the close', async () => {
    const subscriber = await makeSubscriber(api)
    await recordAttempts(api, subscriber, 'FFFFF')
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        recordAttempts(api, subscriber, index % 3 === 0 ? 'S' : 'FF'),
      ),
    )
    const [rate, daily] = await ratesOf(subscriber)
    expect(daily).toBe((5 + 16) / (5 + 20))
    expect(rate).toBeGreaterThanOrEqual(0)
    expect(rate).toBeLessThanOrEqual(16 / 17)
    await recordAttempts(api, subscriber, 'FFFFFSSSF')
    expect((await ratesOf(subscriber))[0]).toBe(1 / 4)
  })

  test('counts 24 hours if the last incident was closed before', async () => {
    const subscriber = await makeSubscriber(api)
    await recordAttempts(api, subscriber, 'FFFFFSSF')
    await api.database.pool.query(
      `UPDATE webhook_endpoint_failures SET rate_from = rate_from - interval '25 hours' WHERE endpoint_id = $1`,
      [subscriber.webhookId],
    )
    expect(await ratesOf(subscriber)).toEqual([6 / 8, 6 / 8])
  })
})

describe('disabled_reason', () => {
  test('is manual for an endpoint that a person disabled, and null for an enabled one', async () => {
    const subscriber = await makeSubscriber(api)
    expect((await show(subscriber)).disabled_reason).toBeNull()
    expect((await patch(subscriber, { enabled: false })).body.webhook.disabled_reason).toBe(
      'manual',
    )
    expect((await patch(subscriber, { enabled: true })).body.webhook).toMatchObject({
      disabled_reason: null,
      health: { state: 'unknown', consecutive_failures: 0 },
    })
  })
})

describe('rate_limit_per_second and disable_after_failing_hours', () => {
  const members = [
    { member: 'rate_limit_per_second', max: 1_000 },
    { member: 'disable_after_failing_hours', max: 720 },
  ]

  test('are null by default, and can be set when the endpoint is created', async () => {
    const { tenant, token } = await makeSubscriber(api)
    const body = {
      url: 'https://hooks.example.com/limited',
      events: ['*'],
      rate_limit_per_second: 5,
      disable_after_failing_hours: 24,
    }
    const { status, body: created } = await api.call('post', '/webhooks', { token, body })
    expect([status, created.webhook]).toEqual([201, expect.objectContaining(body)])
    const events = await api.database.prisma.auditEvent.findMany({
      where: { tenantId: tenant.id, targetId: created.webhook.id },
    })
    expect(events[0]!.details).toMatchObject({
      rate_limit_per_second: 5,
      disable_after_failing_hours: 24,
    })
  })

  test.each(members)('$member can be changed and removed', async ({ member, max }) => {
    const subscriber = await makeSubscriber(api)
    expect((await show(subscriber))[member]).toBeNull()
    expect((await patch(subscriber, { [member]: max })).body.webhook[member]).toBe(max)
    expect((await patch(subscriber, { description: 'Orders' })).body.webhook[member]).toBe(max)
    expect((await patch(subscriber, { [member]: null })).body.webhook[member]).toBeNull()
  })

  test.each(
    members.flatMap(({ member, max }) =>
      [0, -1, max + 1, 1.5, '5', true].map((value) => ({ member, value })),
    ),
  )('422 for $member $value', async ({ member, value }) => {
    const subscriber = await makeSubscriber(api)
    const response = await patch(subscriber, { [member]: value })
    expect(response.status).toBe(422)
    expect(response.body.errors[0].pointer).toBe(`/${member}`)
  })
})
