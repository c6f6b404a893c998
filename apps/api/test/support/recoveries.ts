import type { TestApi } from '../../../../test/support/api.ts'
import { failure, lastFailure, makeAttempts } from './attempts.ts'
import { makeSubscriber, type DeliverySummary, type Subscriber } from './delivery-list.ts'
import { publish } from './events.ts'

export const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()

const minuteMs = 60_000

/** The endpoint whose deliveries are recovered. */
export type Target = Pick<Subscriber, 'token' | 'webhookId'>

/** Recovers deliveries through the API, and reads what became of them. */
export function useRecoveries(api: TestApi) {
  const recover = (
    { token, webhookId }: Target,
    body: unknown = { since: ago(minuteMs) },
    headers: Record<string, string> = {},
  ) => api.call('post', `/webhooks/${webhookId}/recover`, { token, body, headers })

  const show = async ({ token, webhookId }: Target, id: string) =>
    (await api.call('get', `/webhooks/${webhookId}/recoveries/${id}`, { token })).body.recovery

  const listDeliveries = async ({ token, webhookId }: Target): Promise<DeliverySummary[]> =>
    (await api.call('get', `/webhooks/${webhookId}/deliveries`, { token })).body.items

  /** Which deliveries were sent again, each as often as it was, by their ids. */
  async function redeliveredOf(target: Target): Promise<string[]> {
    const { rows } = await api.database.pool.query<{ id: string }>(
      `SELECT redelivery_of AS id FROM all_deliveries
       WHERE endpoint_id = $1 AND redelivery_of IS NOT NULL ORDER BY 1`,
      [target.webhookId],
    )
    return rows.map(({ id }) => id)
  }

  /** Publishes an event whose delivery ends dead; gives the delivery's id. */
  async function makeDead({ tenant }: Subscriber): Promise<string> {
    const id = (await publish(api, tenant.id)).deliveryIds[0]!
    await makeAttempts(api, id, [failure, lastFailure])
    return id
  }

  async function makeDeadOnes(subscriber: Subscriber, count: number): Promise<string[]> {
    const ids: string[] = []
    while (ids.length < count) ids.push(await makeDead(subscriber))
    return ids
  }

  const countRecoveries = async ({ webhookId }: Target): Promise<number> =>
    api.database.prisma.webhookRecovery.count({ where: { endpointId: webhookId } })

  return { recover, show, listDeliveries, redeliveredOf, makeDead, makeDeadOnes, countRecoveries }
}

/** The path of a recovery. */
export const recoveryPath = (webhookId: string, id: string) =>
  `/webhooks/${webhookId}/recoveries/${id}`

/** An endpoint with this number of dead deliveries in a running recovery. */
export async function makeRecovery(api: TestApi, count = 1) {
  const subscriber = await makeSubscriber(api)
  const { tenant, token, webhookId } = subscriber
  for (let made = 0; made < count; made++) {
    const { deliveryIds } = await publish(api, tenant.id)
    await makeAttempts(api, deliveryIds[0]!, [lastFailure])
  }
  const body = { since: ago(minuteMs) }
  const { recovery } = (await api.call('post', `/webhooks/${webhookId}/recover`, { token, body }))
    .body
  const { id } = recovery
  return { ...subscriber, recovery, id, path: recoveryPath(webhookId, id) }
}
