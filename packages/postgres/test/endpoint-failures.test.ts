import { createUuidv7 } from '@hosting/core'
import {
  disableFailingEndpoints,
  dropOldIncidents,
  makePartitions,
  updateWebhookEndpoint,
} from '@hosting/postgres'
import { beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { useDatabase } from './support/database.ts'
import {
  makeEndpoint,
  makeSubscriber,
  makeTenant,
  removeEndpoint,
  setEnabled,
} from './support/fixtures.ts'

const database = useDatabase()
beforeAll(async () => {
  await makePartitions(database)
})

type Client = Pick<typeof database.pool, 'query'>
interface Owner {
  readonly tenantId: string
  readonly endpointId: string
}

/** An attempt: `S` succeeds, `F` fails. */
type Result = 'S' | 'F'

/** Records attempts of endpoints in one statement, as a worker does. */
async function recordAll(
  attempts: readonly {
    readonly owner: Owner
    readonly result: Result
    readonly statusCode?: number
  }[],
  client: Client = database.pool,
): Promise<Date[]> {
  const startedAt = attempts.map((_, index) => new Date(Date.now() - 1_000 + index))
  await client.query(
    `INSERT INTO delivery_attempts
       (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class)
     SELECT id, id, endpoint_id, tenant_id, 1, started_at, 10, status_code, error_class
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::int[], $6::text[])
       AS a (id, endpoint_id, tenant_id, started_at, status_code, error_class)`,
    [
      attempts.map(() => createUuidv7()),
      attempts.map(({ owner }) => owner.endpointId),
      attempts.map(({ owner }) => owner.tenantId),
      startedAt,
      attempts.map(({ result, statusCode = 500 }) => (result === 'S' ? 200 : statusCode)),
      attempts.map(({ result }) => (result === 'S' ? null : 'http_error')),
    ],
  )
  return startedAt
}

/** Records attempts of one endpoint in one statement: `FFS` is two failures and a success. */
const record = (owner: Owner, results: string, client?: Client): Promise<Date[]> =>
  recordAll(
    Array.from(results, (result) => ({ owner, result: result as Result })),
    client,
  )

const failuresOf = async ({ endpointId }: Owner) => {
  const row = await database.prisma.webhookEndpointFailures.findUniqueOrThrow({
    where: { endpointId },
  })
  const { state, consecutiveFailures, firstFailureAt } = row
  return { state, consecutiveFailures, firstFailureAt }
}

/** The incidents of an endpoint, oldest first. */
const incidentsOf = ({ endpointId }: Owner) =>
  database.prisma.webhookIncident.findMany({ where: { endpointId }, orderBy: { id: 'asc' } })

const summariesOf = async (owner: Owner) =>
  (await incidentsOf(owner)).map(({ failedAttempts, closedBy }) => ({ failedAttempts, closedBy }))

/** Runs work while a transaction is open, and commits it after `work` has started. */
async function duringTransaction(
  begin: (client: Client) => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<void> {
  const client = await database.pool.connect()
  try {
    await client.query('BEGIN')
    await begin(client)
    const running = work()
    await untilOneWaits()
    await client.query('COMMIT')
    await running
  } finally {
    client.release()
  }
}

async function untilOneWaits(): Promise<void> {
  for (;;) {
    const { rows } = await database.pool.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    if (rows[0]!.waiting > 0) return
  }
}

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

  test('is what the sequence of attempts says, however they are divided into statements', async () => {
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

  test('enabling starts counting again', async () => {
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

  test('a change that neither disables nor enables leaves the incident open', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'FFFFF')
    await database.prisma.$transaction((tx) =>
      updateWebhookEndpoint(tx, owner.endpointId, { description: 'Orders', enabled: true }),
    )
    expect(await summariesOf(owner)).toEqual([{ failedAttempts: 5, closedBy: null }])
  })

  test('the reason is manual unless one is named, and gone when the endpoint is enabled', async () => {
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

describe('attempts that are recorded at the same time', () => {
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

  test('leave a consistent state, whatever their order', async () => {
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

  test('a fifth failure that waits for the disabling opens no incident', async () => {
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

  test('a disabling that waits for the fifth failure closes the incident', async () => {
    const owner = await makeSubscriber(database)
    await record(owner, 'FFFF')
    await duringTransaction(
      (client) => record(owner, 'F', client),
      () => setEnabled(database, owner.endpointId, false),
    )
    expect(await summariesOf(owner)).toEqual([{ failedAttempts: 5, closedBy: 'disabled' }])
  })

  test('a success of a healthy endpoint waits for nobody', async () => {
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
      details: { enabled: false, disabled_reason: 'failing' },
    })
  })

  test('several processes disable an endpoint once', async () => {
    const owner = await makeFailing(1, 2)
    const calls = Array.from({ length: 8 }, () => disableFailingEndpoints(database))
    const disabled = (await Promise.all(calls)).flat()
    expect(disabled.map(({ id }) => id)).toEqual([owner.endpointId])
    const events = await database.prisma.auditEvent.count({ where: { tenantId: owner.tenantId } })
    expect(events).toBe(1)
  })

  test('an endpoint that succeeds in the meantime stays enabled', async () => {
    const owner = await makeFailing(1, 2)
    await duringTransaction(
      (client) => record(owner, 'S', client),
      () => disableFailingEndpoints(database),
    )
    expect(await stateOf(owner)).toEqual({ enabled: true, disabledReason: null })
    expect(await summariesOf(owner)).toEqual([{ failedAttempts: 5, closedBy: 'success' }])
  })
})

test('incidents are kept for 30 days from their close, and open ones for longer', async () => {
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
