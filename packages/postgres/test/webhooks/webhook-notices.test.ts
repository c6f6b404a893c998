import { type Database, type Transaction } from '@hosting/postgres/database'
import { putUser } from '@hosting/postgres/directory'
import {
  announceWaitingIncidents,
  listNotices,
  writeIncidentNotices,
} from '@hosting/postgres/notices'
import { disableFailingEndpoints, updateEndpoint } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { recordAttempts } from '../../../../test/support/recorded-attempts.ts'
import { until } from '../../../../test/support/until.ts'
import { useDatabase } from '../support/database.ts'
import { makeEndpoint, makeTenant, removeEndpoint, setEnabled } from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

interface Owner {
  readonly tenantId: string
  readonly endpointId: string
  readonly adminId: string
}

async function makePerson(tenantId: string, roles: ('admin' | 'support')[]): Promise<string> {
  const id = randomUUID()
  const person = { id, tenantId, email: `${id}@example.test`, name: 'Ana', status: 'active', roles }
  await database.prisma.$transaction((tx) => putUser(tx, { ...person, status: 'active' }, []))
  return id
}

async function makeOwner(): Promise<Owner> {
  const tenantId = await makeTenant(database)
  const adminId = await makePerson(tenantId, ['admin'])
  const url = 'https://hooks.example.com/in?token=secret'
  return { tenantId, adminId, endpointId: await makeEndpoint(database, tenantId, { url }) }
}

/**
 * Records attempts in one statement and writes the notices of incidents, as a worker does: `FFS` is two failures and a
 * success.
 */
async function record(owner: Owner, results: string): Promise<void> {
  await recordOnly(owner, results)
  await writeIncidentNotices(database, 100)
}

const recordOnly = ({ tenantId, endpointId }: Owner, results: string) =>
  recordAttempts(
    database.pool,
    Array.from(results, (result) => ({
      tenantId,
      endpointId,
      statusCode: result === 'F' ? 503 : 200,
      errorClass: result === 'F' ? 'http_error' : null,
    })),
  )

/** Announces incidents that waited, and writes their notices. Returns the number of limits that had ended. */
async function announceWaiting(): Promise<number> {
  const count = await announceWaitingIncidents(database, 100)
  await writeIncidentNotices(database, 100)
  return count
}

const noticesOf = async (userId: string) =>
  (await listNotices(database, { userId }, { after: undefined, take: 100 })).rows.toReversed()

const typesOf = async ({ adminId }: Pick<Owner, 'adminId'>) =>
  (await noticesOf(adminId)).map(({ type }) => type)

test('an incident causes one notice when it opens and one when a success closes it', async () => {
  const owner = await makeOwner()
  await record(owner, 'FFFF')
  expect(await typesOf(owner)).toEqual([])
  await record(owner, 'F')
  await record(owner, 'FFF')
  expect(await typesOf(owner)).toEqual(['webhook.failing'])
  await record(owner, 'S')
  await record(owner, 'SS')
  expect(await typesOf(owner)).toEqual(['webhook.failing', 'webhook.recovered'])
  const [failing, recovered] = await noticesOf(owner.adminId)
  const subject = { type: 'webhook', id: owner.endpointId, name: 'hooks.example.com/in' }
  expect(failing).toMatchObject({
    subject,
    details: { failed_attempts: 5, status_code: 503, error_class: 'http_error', closed_at: null },
  })
  expect(recovered).toMatchObject({
    subject,
    details: { failed_attempts: 8, closed_at: expect.stringMatching(/^\d{4}-.*Z$/) },
  })
})

/** Lets time pass for the limits of an endpoint's notices. */
const passMinutes = ({ endpointId }: Owner, minutes: number) =>
  database.pool.query(
    `UPDATE webhook_notice_limits SET next_at = next_at - make_interval(mins => $2) WHERE endpoint_id = $1`,
    [endpointId, minutes],
  )

const countIncidents = ({ endpointId }: Owner) =>
  database.prisma.webhookIncident.count({ where: { endpointId } })

describe('an endpoint that fails and recovers again and again', () => {
  const both = ['webhook.failing', 'webhook.recovered']

  test('causes at most one notice of each type in 30 minutes, while its incidents are exact', async () => {
    const owner = await makeOwner()
    for (let incident = 0; incident < 20; incident++) await record(owner, 'FFFFFS')
    await passMinutes(owner, 29)
    await record(owner, 'FFFFFS')
    expect(await typesOf(owner)).toEqual(both)
    expect(await countIncidents(owner)).toBe(21)
    await passMinutes(owner, 1)
    await record(owner, 'FFFFFS')
    expect(await typesOf(owner)).toEqual([...both, ...both])
  })

  test('race: workers that record concurrently write one notice of each type', async () => {
    const owner = await makeOwner()
    await Promise.all(Array.from({ length: 12 }, () => record(owner, 'FFFFFS')))
    expect(await typesOf(owner)).toEqual(both)
  })

  test('causes a later notice if it still fails after the 30 minutes', async () => {
    const owner = await makeOwner()
    await record(owner, 'FFFFFSFFFFF')
    await announceWaiting()
    expect(await typesOf(owner)).toEqual(both)
    await passMinutes(owner, 30)
    await Promise.all([0, 1].map(() => announceWaiting()))
    expect(await typesOf(owner)).toEqual([...both, 'webhook.failing'])
    await record(owner, 'S')
    expect(await typesOf(owner)).toEqual([...both, ...both])
  })

  test('causes a later notice of its recovery if the last notice says that it fails', async () => {
    const owner = await makeOwner()
    await record(owner, 'FFFFFSFFFFF')
    await database.pool.query(
      `UPDATE webhook_notice_limits SET next_at = now() - interval '1 s' WHERE endpoint_id = $1 AND type = 'webhook.failing'`,
      [owner.endpointId],
    )
    await announceWaiting()
    await record(owner, 'S')
    expect(await typesOf(owner)).toEqual([...both, 'webhook.failing'])
    await database.pool.query(
      `UPDATE webhook_notice_limits SET next_at = now() - interval '1 s' WHERE endpoint_id = $1 AND type = 'webhook.recovered'`,
      [owner.endpointId],
    )
    await announceWaiting()
    expect(await typesOf(owner)).toEqual([...both, ...both])
  })

  test('causes no later notice if the last one of each type still holds, and its limits are deleted', async () => {
    const owner = await makeOwner()
    await record(owner, 'FFFFFSFFFFFS')
    await passMinutes(owner, 30)
    expect(await announceWaiting()).toBeGreaterThanOrEqual(2)
    expect(await typesOf(owner)).toEqual(both)
    const { endpointId } = owner
    expect(await database.prisma.webhookNoticeLimit.count({ where: { endpointId } })).toBe(0)
  })
})

test('an incident that opens and closes within a statement causes both notices', async () => {
  const owner = await makeOwner()
  await record(owner, 'FFFFFS')
  expect(await typesOf(owner)).toEqual(['webhook.failing', 'webhook.recovered'])
})

test('only the admins get the notice, each one', async () => {
  const owner = await makeOwner()
  const second = await makePerson(owner.tenantId, ['admin'])
  const support = await makePerson(owner.tenantId, ['support'])
  const foreign = await makeOwner()
  await record(owner, 'FFFFF')
  expect(await typesOf({ adminId: second })).toEqual(['webhook.failing'])
  expect(await typesOf({ adminId: support })).toEqual([])
  expect(await typesOf(foreign)).toEqual([])
})

test('disabling or deleting a failing endpoint sends no webhook.recovered', async () => {
  const [disabled, deleted] = [await makeOwner(), await makeOwner()]
  await record(disabled, 'FFFFF')
  await setEnabled(database, disabled.endpointId, false)
  await setEnabled(database, disabled.endpointId, true)
  await record(disabled, 'S')
  expect(await typesOf(disabled)).toEqual(['webhook.failing'])
  await record(deleted, 'FFFFF')
  await removeEndpoint(database, deleted.endpointId)
  expect(await typesOf(deleted)).toEqual(['webhook.failing'])
})

test('race: several workers that disable a failing endpoint cause one webhook.disabled', async () => {
  const owner = await makeOwner()
  await database.prisma.$transaction((tx) =>
    updateEndpoint(tx, owner.endpointId, {
      disableAfterFailingHours: 1,
      description: 'The\n pager',
    }),
  )
  await record(owner, 'FFFFF')
  await database.pool.query(
    `UPDATE webhook_incidents SET opened_at = opened_at - interval '2 hours' WHERE endpoint_id = $1`,
    [owner.endpointId],
  )
  await database.pool.query(
    `UPDATE webhook_endpoint_failures SET first_failure_at = first_failure_at - interval '2 hours'
     WHERE endpoint_id = $1`,
    [owner.endpointId],
  )
  await Promise.all(Array.from({ length: 5 }, () => disableFailingEndpoints(database)))
  expect(await typesOf(owner)).toEqual(['webhook.failing', 'webhook.disabled'])
  expect((await noticesOf(owner.adminId))[1]).toMatchObject({
    subject: { id: owner.endpointId, name: 'The pager' },
    details: { hours: 1 },
  })
})

test('race: concurrently recorded failures open one incident and cause one notice', async () => {
  const owner = await makeOwner()
  await Promise.all(Array.from({ length: 12 }, () => record(owner, 'F')))
  expect(await typesOf(owner)).toEqual(['webhook.failing'])
})

describe('the notices of incidents', () => {
  test('race: workers that take them at once write each once, failures first', async () => {
    const owners = await Promise.all(Array.from({ length: 6 }, makeOwner))
    await Promise.all(owners.map((owner) => recordOnly(owner, 'FFFFFS')))
    await until(
      () => Promise.all(Array.from({ length: 4 }, () => writeIncidentNotices(database, 5))),
      (counts) => counts.every((count) => count === 0),
    )
    for (const owner of owners) {
      expect(await typesOf(owner)).toEqual(['webhook.failing', 'webhook.recovered'])
    }
  })

  test('are written by the next worker if one fails after taking them', async () => {
    const owner = await makeOwner()
    await recordOnly(owner, 'FFFFF')
    const failing = {
      pool: database.pool,
      prisma: {
        $transaction: (work: (tx: Transaction) => Promise<number>) =>
          database.prisma.$transaction(async (tx) => {
            await work(tx)
            throw new Error('killed')
          }),
      },
    }
    await expect(
      writeIncidentNotices(failing as unknown as Pick<Database, 'pool' | 'prisma'>, 100),
    ).rejects.toThrow('killed')
    expect(await typesOf(owner)).toEqual([])
    await writeIncidentNotices(database, 100)
    expect(await typesOf(owner)).toEqual(['webhook.failing'])
  })

  test('have the first 100 characters of the name of the endpoint', async () => {
    const owner = await makeOwner()
    const description = `${'é'.repeat(99)}\u{1f600}more`
    await database.prisma.$transaction((tx) =>
      updateEndpoint(tx, owner.endpointId, { description }),
    )
    await record(owner, 'FFFFF')
    const [notice] = await noticesOf(owner.adminId)
    expect(notice!.subject.name).toBe(`${'é'.repeat(99)}\u{1f600}`)
  })

  test('are not written for an endpoint that was deleted meanwhile', async () => {
    const owner = await makeOwner()
    await recordOnly(owner, 'FFFFF')
    await removeEndpoint(database, owner.endpointId)
    await writeIncidentNotices(database, 100)
    expect(await typesOf(owner)).toEqual([])
  })
})
