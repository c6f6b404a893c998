import { updateEndpoint } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  makeEndpoint,
  makeSubscriber,
  makeTenant,
  removeEndpoint,
  setEnabled,
} from '../support/fixtures.ts'
import {
  database,
  type Result,
  recordAll,
  record,
  failuresOf,
  incidentsOf,
  summariesOf,
} from '../support/endpoint-failures.ts'

describe('the health of an endpoint', () => {
  test('is unknown before its first success', async () => {
    const owner = await makeSubscriber(database)
    expect(await failuresOf(owner)).toMatchObject({ state: 'unknown', consecutiveFailures: 0 })
    await record(owner, 'FF')
    expect(await failuresOf(owner)).toMatchObject({ state: 'unknown', consecutiveFailures: 2 })
    await record(owner, 'S')
    expect(await failuresOf(owner)).toEqual({
      state: 'healthy',
      consecutiveFailures: 0,
      firstFailureAt: null,
    })
  })

  test('stays healthy with four failures in a row', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'SFFFF')
    expect(await failuresOf(owner)).toMatchObject({ state: 'healthy', consecutiveFailures: 4 })
    expect(await incidentsOf(owner)).toEqual([])
  })

  test('is failing from the fifth failure in a row, since the start of the first', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'S')
    const [first] = await record(owner, 'FF')
    await record(owner, 'FFF')
    expect(await failuresOf(owner)).toEqual({
      state: 'failing',
      consecutiveFailures: 5,
      firstFailureAt: first,
    })
    expect(await incidentsOf(owner)).toMatchObject([
      { openedAt: first, closedAt: null, closedBy: null, failedAttempts: 5 },
    ])
  })

  test('an incident counts every failure, and describes the last one', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'FFFFFF')
    await recordAll([{ owner, result: 'F', statusCode: 503 }])
    const [incident] = await incidentsOf(owner)
    expect(incident).toMatchObject({
      tenantId: owner.tenantId,
      failedAttempts: 7,
      lastStatusCode: 503,
      lastErrorClass: 'http_error',
    })
    expect(
      await database.prisma.webhookEndpointFailures.findUnique({
        where: { endpointId: owner.endpointId },
      }),
    ).toMatchObject({ lastStatusCode: 503, lastErrorClass: 'http_error', incidentId: incident!.id })
  })

  test('the first success closes the incident', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'FFFFF')
    await record(owner, 'SF')
    const [incident] = await incidentsOf(owner)
    expect(incident).toMatchObject({ closedBy: 'success', failedAttempts: 5 })
    expect(incident!.closedAt!.getTime()).toBeGreaterThan(incident!.openedAt.getTime())
    expect(await failuresOf(owner)).toMatchObject({ state: 'healthy', consecutiveFailures: 1 })
  })

  test('every incident within one statement is recorded', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'FFF')
    await record(owner, 'FFSFFFFFFSSFFFFSFFFFFFF')
    expect(await summariesOf(owner)).toEqual([
      { failedAttempts: 5, closedBy: 'success' },
      { failedAttempts: 6, closedBy: 'success' },
      { failedAttempts: 7, closedBy: null },
    ])
  })

  test('depends only on the sequence of attempts, however they are divided into statements', async () => {
    const result = fc.constantFrom<Result>('S', 'F', 'F', 'F')
    const batches = fc.array(fc.array(result, { minLength: 1, maxLength: 9 }), { maxLength: 8 })
    const tenantId = await makeTenant(database)
    await fc.assert(
      fc.asyncProperty(batches, async (made) => {
        const owner = { tenantId, endpointId: await makeEndpoint(database, tenantId) }
        for (const batch of made) await record(owner, batch.join(''))
        const runs = made.flat().join('').split('S')
        const closedBy = (index: number) => (index < runs.length - 1 ? 'success' : null)
        expect(await summariesOf(owner)).toEqual(
          runs
            .map((run, index) => ({ failedAttempts: run.length, closedBy: closedBy(index) }))
            .filter(({ failedAttempts }) => failedAttempts >= 5),
        )
        expect(await failuresOf(owner)).toMatchObject({
          consecutiveFailures: runs.at(-1)!.length,
          state: runs.at(-1)!.length >= 5 ? 'failing' : runs.length > 1 ? 'healthy' : 'unknown',
        })
      }),
      { numRuns: 60 },
    )
  })
})

describe('disabling, enabling and deleting', () => {
  test('disabling closes the incident, and no later failure opens one', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'FFFFFF')
    await setEnabled(database, owner.endpointId, false)
    await record(owner, 'FFFFF')
    expect(await summariesOf(owner)).toEqual([{ failedAttempts: 6, closedBy: 'disabled' }])
    expect(await failuresOf(owner)).toMatchObject({ state: 'unknown', consecutiveFailures: 6 })
  })

  test('enabling restarts the count', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'SFFFF')
    await setEnabled(database, owner.endpointId, false)
    await setEnabled(database, owner.endpointId, true)
    expect(await failuresOf(owner)).toEqual({
      state: 'unknown',
      consecutiveFailures: 0,
      firstFailureAt: null,
    })
    await record(owner, 'FFFF')
    expect(await incidentsOf(owner)).toEqual([])
    await record(owner, 'F')
    expect(await summariesOf(owner)).toEqual([{ failedAttempts: 5, closedBy: null }])
  })

  test('deleting closes the incident', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'FFFFF')
    await removeEndpoint(database, owner.endpointId)
    expect(await summariesOf(owner)).toEqual([{ failedAttempts: 5, closedBy: 'deleted' }])
  })

  test('any other change leaves the incident open', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'FFFFF')
    await database.prisma.$transaction((tx) =>
      updateEndpoint(tx, owner.endpointId, { description: 'Orders', enabled: true }),
    )
    expect(await summariesOf(owner)).toEqual([{ failedAttempts: 5, closedBy: null }])
  })

  test('the reason is manual by default, and null after the endpoint is enabled', async () => {
    const { endpointId } = await makeSubscriber(database, { enabled: false })
    const reason = async () =>
      (await database.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id: endpointId } }))
        .disabledReason
    expect(await reason()).toBe('manual')
    await setEnabled(database, endpointId, true)
    expect(await reason()).toBeNull()
    await setEnabled(database, endpointId, false)
    expect(await reason()).toBe('manual')
  })
})
