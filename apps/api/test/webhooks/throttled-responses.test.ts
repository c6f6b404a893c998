import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi()

interface Shown {
  readonly id: string
  readonly next_attempt_at: string
}

/** An endpoint that gets one attempt in 1.2 s, with four deliveries that wait: no worker runs. */
async function makeThrottled() {
  const { token } = await (await api.makeTenant()).makeKey()
  const { id } = await makeWebhook(api, token)
  await api.call('patch', `/webhooks/${id}`, { token, body: { rate_limit_per_second: 1 } })
  const waiting: Shown[] = []
  for (let count = 0; count < 4; count++) {
    const { body } = await api.call('post', `/webhooks/${id}/ping`, { token })
    waiting.push(body.delivery as Shown)
  }
  return { token, id, waiting }
}

const read = async (token: string, id: string): Promise<Shown> =>
  (await api.call('get', `/webhook-deliveries/${id}`, { token })).body.delivery as Shown

const timeOf = ({ next_attempt_at }: Shown): number => Date.parse(next_attempt_at)

describe('the response that creates a delivery to a throttled endpoint', () => {
  test.each([
    ['a ping', (id: string) => ({ path: `/webhooks/${id}/ping`, body: undefined })],
    [
      'a test',
      (id: string) => ({ path: `/webhooks/${id}/test`, body: { event_type: 'site.created' } }),
    ],
    [
      'a redelivery',
      (_id: string, first: Shown) => ({
        path: `/webhook-deliveries/${first.id}/redeliver`,
        body: undefined,
      }),
    ],
  ])(
    'has the expected time of the next attempt, as later reads do: %s',
    async (_what, toRequest) => {
      const { token, id, waiting } = await makeThrottled()
      const { path, body } = toRequest(id, waiting[0]!)
      const startedAt = Date.now()
      const response = await api.call('post', path, { token, body })
      expect(response.status).toBe(202)
      const created = response.body.delivery as Shown
      // The fifth of five, 1.2 s apart. Earlier ones move with the time that passes.
      expect(timeOf(created) - startedAt).toBeGreaterThan(4 * 1_200 - 100)
      const shown = await read(token, created.id)
      const elapsedMs = Date.now() - startedAt
      expect(Math.abs(timeOf(shown) - timeOf(created))).toBeLessThan(1_200 + elapsedMs)
      expect({ ...shown, next_attempt_at: created.next_attempt_at }).toEqual(created)
    },
  )

  test('predicts each ping for after the previous one', async () => {
    const times = (await makeThrottled()).waiting.map(timeOf)
    const steps = times.slice(1).map((time, index) => time - times[index]!)
    for (const step of steps) expect(step).toBeGreaterThanOrEqual(1_200)
  })
})
