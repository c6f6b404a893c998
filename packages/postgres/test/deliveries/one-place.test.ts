import { abandonDeliveries, finishAttempts } from '@hosting/postgres/deliveries'
import { expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import {
  buildFinished,
  claim,
  makeSubscriber,
  publish,
  removeEndpoint,
} from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

interface Seen {
  readonly deliveries: number
  readonly rows: number
  readonly ended: number
}

/** Looks at the deliveries of an organization again and again while work is done. */
async function watch(tenantId: string, view: string, work: Promise<unknown>): Promise<Seen[]> {
  const seen: Seen[] = []
  const state = { isDone: false }
  const done = work.finally(() => (state.isDone = true))
  do {
    const { rows } = await database.pool.query<Seen>(
      `SELECT count(*)::int AS rows, count(DISTINCT id)::int AS deliveries, count(outcome)::int AS ended
       FROM ${view} WHERE tenant_id = $1`,
      [tenantId],
    )
    seen.push(rows[0]!)
  } while (!state.isDone)
  await done
  return seen
}

test.each(['all_deliveries', 'delivery_states'])(
  'race: whoever reads %s sees each delivery once, while it is retried, ends, or loses its endpoint',
  async (view) => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 60 })
    const steps = [
      { status: 'succeeded' },
      { status: 'dead' },
      { status: 'waiting_retry', delayMs: 60_000 },
    ] as const
    const end = async (): Promise<void> => {
      for (const [index, deliveryId] of ids.slice(0, 45).entries()) {
        const leaseId = (await claim(database, deliveryId))!
        await finishAttempts(database, [
          buildFinished({ deliveryId, leaseId, nextStep: steps[index % steps.length]! }),
        ])
      }
      await removeEndpoint(database, endpointId)
      while ((await abandonDeliveries(database, { batchMax: 5, batchesMax: 1 })) > 0);
    }
    const seen = await watch(tenantId, view, end())
    expect(seen.filter(({ rows, deliveries }) => rows !== 60 || deliveries !== 60)).toEqual([])
    expect(seen.some(({ ended }) => ended > 0 && ended < 60)).toBe(true)
    const { rows } = await database.pool.query(
      'SELECT count(*)::int AS count FROM deliveries WHERE tenant_id = $1',
      [tenantId],
    )
    expect(rows).toEqual([{ count: 60 }])
  },
)
