import { claimAttempts } from '@hosting/postgres/deliveries'
import { expect, test } from '@jest/globals'
import { buildTaken } from '../../../../test/support/attempts.ts'
import { useDatabase } from '../../../../packages/postgres/test/support/database.ts'
import { makeSubscriber, publish } from '../../../../packages/postgres/test/support/fixtures.ts'
import { tapStatements } from '../../../../packages/postgres/test/support/tap-statements.ts'

const database = useDatabase({ partitions: true })

/** Claims attempts together; gives the deliveries whose attempts were claimed, and the statements that ran. */
async function claim(deliveryIds: readonly string[]) {
  const names: string[] = []
  const tapped = tapStatements(database, (name) => void names.push(name))
  const taken = deliveryIds.map((deliveryId) => buildTaken({ deliveryId }))
  const claimed = await claimAttempts(tapped, taken, 60_000)
  return { ids: claimed.map(({ deliveryId }) => deliveryId).toSorted(), names }
}

async function publishThrottled(): Promise<string> {
  const { tenantId, endpointId } = await makeSubscriber(database)
  await database.prisma.webhookEndpoint.update({
    where: { id: endpointId },
    data: { rateLimitPerSecond: 5 },
  })
  return (await publish(database, tenantId))[0]!
}

test('attempts that can be sent now are claimed in one round trip', async () => {
  const { tenantId } = await makeSubscriber(database)
  const deliveryIds = await publish(database, tenantId, { count: 3 })
  expect(await claim(deliveryIds)).toEqual({
    ids: deliveryIds,
    names: ['claim-unthrottled-attempts'],
  })
})

test('an attempt of an endpoint with a rate limit is claimed in a second one, together with the others', async () => {
  const { tenantId } = await makeSubscriber(database)
  const [open] = await publish(database, tenantId)
  const throttled = await publishThrottled()
  expect(await claim([throttled, open!])).toEqual({
    ids: [throttled, open!].toSorted(),
    names: ['claim-unthrottled-attempts', 'claim-attempts'],
  })
})

test('two jobs of an attempt in one batch claim it once', async () => {
  const { tenantId } = await makeSubscriber(database)
  const [deliveryId] = await publish(database, tenantId)
  expect((await claim([deliveryId!, deliveryId!])).ids).toEqual([deliveryId])
})
