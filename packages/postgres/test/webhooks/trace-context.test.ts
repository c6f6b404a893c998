import { claimAttempts } from '@hosting/postgres/deliveries'
import { publishEvents } from '@hosting/postgres/webhooks'
import { expect, test } from '@jest/globals'
import { buildTaken } from '../../../../test/support/attempts.ts'
import { useDatabase } from '../support/database.ts'
import { buildEvent, makeSubscriber } from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

const traceParent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

test("an attempt gets the trace of its event's publish, or none", async () => {
  const { tenantId } = await makeSubscriber(database)
  const events = [buildEvent(tenantId, { traceParent }), buildEvent(tenantId)]
  const { deliveries } = await publishEvents(database, events, undefined)
  const claims = deliveries.map((delivery) => buildTaken({ deliveryId: delivery.deliveryId }))
  const claimed = await claimAttempts(database, claims, 1_000)
  const byPayload = new Map(claimed.map((attempt) => [attempt.payload, attempt.traceParent]))
  expect(events.map(({ payload }) => byPayload.get(payload))).toEqual([traceParent, null])
})
