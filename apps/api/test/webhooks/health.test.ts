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
      failure_rate: 5 / 6,
    })
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
