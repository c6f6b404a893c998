import { makePartitions } from '@hosting/postgres/database'
import { createLogger } from '@hosting/process'
import { expect, test } from '@jest/globals'
import { useDatabase } from '../../../packages/postgres/test/support/database.ts'
import {
  findRecord,
  makeSubscriber,
  publish,
  succeed,
} from '../../../packages/postgres/test/support/fixtures.ts'
import { testConfig } from '../../../test/support/environment.ts'
import { createRepair } from '../src/duties/repair.ts'
import { closeServices, openServices } from '../src/services.ts'

const database = useDatabase()

test('the repair duty ends deliveries without an outcome and counts them', async () => {
  await makePartitions(database)
  const { tenantId } = await makeSubscriber(database)
  const ids = await publish(database, tenantId, { count: 3 })
  await succeed(database, ids)
  await database.pool.query('UPDATE deliveries SET outcome = NULL WHERE id = ANY ($1)', [
    ids.slice(1),
  ])
  const config = testConfig({ DATABASE_URL: database.url })
  const services = await openServices(config, createLogger('worker', 'silent'))
  try {
    const repair = createRepair()
    const stopping = new AbortController().signal
    await repair.run(services, stopping)
    for (const id of ids)
      expect(await findRecord(database, id)).toMatchObject({ outcome: 'succeeded' })
    await repair.run(services, stopping)
    const { values } = await services.metrics.repaired.get()
    const counts = Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]))
    expect(counts).toEqual({ succeeded: 2, dead: 0, queued: 0 })
  } finally {
    await closeServices(services)
  }
})
