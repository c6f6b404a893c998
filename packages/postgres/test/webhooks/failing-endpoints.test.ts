import { disableFailingEndpoints, dropOldIncidents } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { makeSubscriber } from '../support/fixtures.ts'
import {
  database,
  type Owner,
  record,
  incidentsOf,
  summariesOf,
  duringTransaction,
} from '../support/endpoint-failures.ts'

describe('disableFailingEndpoints', () => {
  const makeFailing = async (hours: number | null, openForHours: number) => {
    const owner = await makeSubscriber(database)
    await database.prisma.webhookEndpoint.update({
      where: { id: owner.endpointId },
      data: { disableAfterFailingHours: hours },
    })
    await record(owner, 'FFFFF')
    await openFor(owner, openForHours)
    return owner
  }

  /** Moves the start of the open incident back. */
  const openFor = async ({ endpointId }: Owner, hours: number) => {
    const openedAt = new Date(Date.now() - hours * 3_600_000)
    await database.prisma.webhookIncident.updateMany({ where: { endpointId }, data: { openedAt } })
    await database.prisma.webhookEndpointFailures.update({
      where: { endpointId },
      data: { firstFailureAt: openedAt },
    })
  }

  const stateOf = async ({ endpointId }: Owner) => {
    const row = await database.prisma.webhookEndpoint.findUniqueOrThrow({
      where: { id: endpointId },
    })
    return { enabled: row.enabled, disabledReason: row.disabledReason }
  }

  test('disables an endpoint whose incident is open for as long as the setting allows', async () => {
    const [due, early, never] = [
      await makeFailing(2, 2.01),
      await makeFailing(2, 1.9),
      await makeFailing(null, 700),
    ]
    expect(await disableFailingEndpoints(database)).toEqual([
      { id: due.endpointId, tenantId: due.tenantId },
    ])
    expect(await stateOf(due)).toEqual({ enabled: false, disabledReason: 'failing' })
    expect(await stateOf(early)).toEqual({ enabled: true, disabledReason: null })
    expect(await stateOf(never)).toEqual({ enabled: true, disabledReason: null })
    expect(await summariesOf(due)).toEqual([{ failedAttempts: 5, closedBy: 'disabled' }])
    const [audited] = await database.prisma.auditEvent.findMany({
      where: { tenantId: due.tenantId },
    })
    expect(audited).toMatchObject({
      action: 'webhook.update',
      actorType: 'system',
      targetId: due.endpointId,
      details: {
        before: { enabled: true },
        after: { enabled: false },
        disabled_reason: 'failing',
      },
    })
  })

  test('concurrent processes disable an endpoint once', async () => {
    const owner = await makeFailing(1, 2)
    const calls = Array.from({ length: 8 }, () => disableFailingEndpoints(database))
    const disabled = (await Promise.all(calls)).flat()
    expect(disabled.map(({ id }) => id)).toEqual([owner.endpointId])
    const events = await database.prisma.auditEvent.count({ where: { tenantId: owner.tenantId } })
    expect(events).toBe(1)
  })

  test('an endpoint that succeeds before the check stays enabled', async () => {
    const owner = await makeFailing(1, 2)
    await duringTransaction(
      (client) => record(owner, 'S', client),
      () => disableFailingEndpoints(database),
    )
    expect(await stateOf(owner)).toEqual({ enabled: true, disabledReason: null })
    expect(await summariesOf(owner)).toEqual([{ failedAttempts: 5, closedBy: 'success' }])
  })
})

test('incidents are kept for 30 days after they close, and open ones longer', async () => {
  const owner = await makeSubscriber(database)
  await record(owner, 'FFFFFSFFFFFSFFFFF')
  const [old, recent, open] = await incidentsOf(owner)
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
  const move = (id: string, data: { openedAt: Date; closedAt?: Date }) =>
    database.prisma.webhookIncident.update({ where: { id }, data })
  await move(old!.id, { openedAt: ago(40), closedAt: ago(30.01) })
  await move(recent!.id, { openedAt: ago(40), closedAt: ago(29.9) })
  await move(open!.id, { openedAt: ago(40) })
  expect(await dropOldIncidents(database)).toBe(1)
  expect((await incidentsOf(owner)).map(({ id }) => id)).toEqual([recent!.id, open!.id])
})
