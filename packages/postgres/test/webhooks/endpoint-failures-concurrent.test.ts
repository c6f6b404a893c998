import { describe, expect, test } from '@jest/globals'
import { makeEndpoint, makeSubscriber, makeTenant, setEnabled } from '../support/fixtures.ts'
import {
  database,
  recordAll,
  record,
  failuresOf,
  incidentsOf,
  summariesOf,
  duringTransaction,
  type Owner,
} from '../support/endpoint-failures.ts'
import { rollingBack } from '../support/database.ts'

describe('concurrently recorded attempts', () => {
  test('are all counted, and open one incident', async () => {
    const owner = await makeSubscriber(database)
    await Promise.all(Array.from({ length: 40 }, () => record(owner, 'FFF')))
    expect(await failuresOf(owner)).toMatchObject({ consecutiveFailures: 120, state: 'failing' })
    expect(await summariesOf(owner)).toEqual([{ failedAttempts: 120, closedBy: null }])
  })

  test('of several endpoints in different orders do not block each other', async () => {
    const tenantId = await makeTenant(database)
    const owners = await Promise.all(
      Array.from({ length: 6 }, async () => ({
        tenantId,
        endpointId: await makeEndpoint(database, tenantId),
      })),
    )
    const batch = (index: number) =>
      (index % 2 ? owners : owners.toReversed()).map((owner) => ({ owner, result: 'F' as const }))
    await Promise.all(Array.from({ length: 40 }, (_, index) => recordAll(batch(index))))
    for (const owner of owners) {
      expect(await summariesOf(owner)).toEqual([{ failedAttempts: 40, closedBy: null }])
    }
  })

  test('leave a consistent state in any order', async () => {
    const owner = await makeSubscriber(database)
    const results = ['FFFF', 'FFFSF', 'F', 'SFF', 'FFFFFFF', 'S']
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => record(owner, results[index % results.length]!)),
    )
    const incidents = await incidentsOf(owner)
    const open = incidents.filter(({ closedAt }) => closedAt === null)
    const { state, consecutiveFailures } = await failuresOf(owner)
    expect(incidents.every(({ failedAttempts }) => failedAttempts >= 5)).toBe(true)
    expect(open.map(({ failedAttempts }) => failedAttempts)).toEqual(
      state === 'failing' ? [consecutiveFailures] : [],
    )
    await record(owner, 'S')
    expect((await incidentsOf(owner)).every(({ closedBy }) => closedBy === 'success')).toBe(true)
  })

  test('a success that waits for the fifth failure closes the incident that it opened', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'FFFF')
    await duringTransaction(
      (client) => record(owner, 'F', client),
      () => record(owner, 'S'),
    )
    expect(await summariesOf(owner)).toEqual([{ failedAttempts: 5, closedBy: 'success' }])
    expect(await failuresOf(owner)).toMatchObject({ state: 'healthy', consecutiveFailures: 0 })
  })

  test('a fifth failure that waits for disabling opens no incident', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'FFFF')
    await duringTransaction(
      (client) =>
        client.query('UPDATE webhook_endpoints SET enabled = false WHERE id = $1', [
          owner.endpointId,
        ]),
      () => record(owner, 'F'),
    )
    expect(await incidentsOf(owner)).toEqual([])
  })

  test('disabling that waits for the fifth failure closes the incident', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'FFFF')
    await duringTransaction(
      (client) => record(owner, 'F', client),
      () => setEnabled(database, owner.endpointId, false),
    )
    expect(await summariesOf(owner)).toEqual([{ failedAttempts: 5, closedBy: 'disabled' }])
  })

  test('a success of a healthy endpoint waits for no other transaction', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'S')
    await rollingBack(database, async (client) => {
      await record(owner, 'F', client)
      await record(owner, 'S')
    })
  })
})

describe('failures are counted in the transaction of their attempts, in order, and only where there is one or the endpoint is not healthy', () => {
  /** The versions of the rows of an endpoint, which show writes and locks, also those of transactions that were rolled back. */
  const versionsOf = async ({ endpointId }: Owner) => {
    const { rows } = await database.pool.query<{ state: string }>(
      `SELECT concat_ws(' ', 'endpoint', ctid, xmin, xmax) AS state FROM webhook_endpoints WHERE id = $1
       UNION ALL
       SELECT concat_ws(' ', 'failures', ctid, xmin, xmax) FROM webhook_endpoint_failures WHERE endpoint_id = $1
       ORDER BY 1`,
      [endpointId],
    )
    return rows.map(({ state }) => state)
  }

  test('the success of a healthy endpoint neither writes nor locks a row of the endpoint', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'S')
    const before = await versionsOf(owner)
    expect(before).toHaveLength(2)
    await record(owner, 'SSS')
    expect(await versionsOf(owner)).toEqual(before)
    await record(owner, 'F')
    expect(await versionsOf(owner)).not.toEqual(before)
  })

  test('the success of an endpoint that is not healthy is counted', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'FFFFF')
    await record(owner, 'S')
    expect(await failuresOf(owner)).toMatchObject({ state: 'healthy', consecutiveFailures: 0 })
    await record(owner, 'F')
    await record(owner, 'S')
    expect(await failuresOf(owner)).toMatchObject({ consecutiveFailures: 0 })
  })

  test('what is rolled back with the attempts is not counted, and the next ones continue in order', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'FF')
    const client = await database.pool.connect()
    await client.query('BEGIN')
    await record(owner, 'FFF', client)
    await client.query('ROLLBACK')
    client.release()
    expect(await failuresOf(owner)).toMatchObject({ consecutiveFailures: 2 })
    await record(owner, 'SFF')
    await record(owner, 'FFF')
    expect(await failuresOf(owner)).toMatchObject({ state: 'failing', consecutiveFailures: 5 })
    expect(await summariesOf(owner)).toEqual([{ failedAttempts: 5, closedBy: null }])
  })
})
