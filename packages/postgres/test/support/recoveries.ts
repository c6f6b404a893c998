import { finishAttempts } from '@hosting/postgres/deliveries'
import { createRecovery, findRecovery, type RecoverySpan } from '@hosting/postgres/webhooks'
import { beforeEach } from '@jest/globals'
import { useDatabase } from './database.ts'
import { buildFinished, claim, makeSubscriber, publish } from './fixtures.ts'

export const database = useDatabase({ partitions: true })

beforeEach(async () => {
  await database.pool.query('DELETE FROM webhook_recoveries; DELETE FROM recovery_rounds')
})

export interface Target {
  readonly tenantId: string
  readonly endpointId: string
}

export async function endAs(status: 'succeeded' | 'dead', deliveryId: string): Promise<void> {
  const leaseId = (await claim(database, deliveryId))!
  await finishAttempts(database, [
    buildFinished({
      deliveryId,
      leaseId,
      nextStep: { status },
      ...(status === 'dead' && { outcome: { statusCode: 500, errorClass: 'http_error' } }),
    }),
  ])
}

/** Creates an endpoint with dead deliveries. Returns their ids. */
export async function makeDead(count: number) {
  const target = await makeSubscriber(database)
  const dead = (await publish(database, target.tenantId, { count })).toSorted()
  for (const id of dead) await endAs('dead', id)
  return { ...target, dead }
}

export const recover = (target: Target, span: Partial<RecoverySpan> = {}) =>
  createRecovery(
    database.prisma,
    { tenantId: target.tenantId, endpointId: target.endpointId },
    { sinceMs: Date.now() - 60_000, untilMs: Date.now() + 1, ...span },
  )

export const show = async ({ tenantId, endpointId }: Target, id: string) => {
  const row = await findRecovery(database.prisma, { tenantId, endpointId, id })
  return row && [row.status, row.done, row.total]
}

/** Which deliveries were sent again, each as often as it was, by their ids. */
export async function redelivered({ endpointId }: Target): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT redelivery_of AS id FROM all_deliveries
     WHERE endpoint_id = $1 AND redelivery_of IS NOT NULL ORDER BY 1`,
    [endpointId],
  )
  return rows.map(({ id }) => id)
}
