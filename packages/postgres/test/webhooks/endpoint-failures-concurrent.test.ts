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
} from '../support/endpoint-failures.ts'

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
    const client = await database.pool.connect()
    try {
      await client.query('BEGIN')
      await record(owner, 'F', client)
      await record(owner, 'S')
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })
})
