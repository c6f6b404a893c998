import { makePartitions } from '@hosting/postgres/database'
import { beforeAll, test } from '@jest/globals'
import fc from 'fast-check'
import { useDatabase } from '../support/database.ts'
import { deliveryCommands } from '../support/delivery-commands.ts'
import { DeliveryModel } from '../support/delivery-model.ts'
import { makeSubscriber } from '../support/fixtures.ts'

const database = useDatabase()
beforeAll(() => makePartitions(database))

/** An endpoint without deliveries, and the model of it. */
async function start() {
  const subscriber = await makeSubscriber(database)
  const model = new DeliveryModel()
  const { rows } = await database.pool.query<{ id: string }>(
    'SELECT id FROM webhook_secrets WHERE endpoint_id = $1',
    [subscriber.endpointId],
  )
  model.secretIds = rows.map(({ id }) => id)
  return { model, real: { database, ...subscriber } }
}

test('publishes, claims, records, changes and recoveries in any order match the model', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(deliveryCommands, { maxCommands: 60, size: 'max' }),
      async (commands) => {
        const started = await start()
        await fc.asyncModelRun(() => started, commands)
      },
    ),
    { numRuns: 15, endOnFailure: true },
  )
})
