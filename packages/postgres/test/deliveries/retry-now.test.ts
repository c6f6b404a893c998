import { continueRetries, countRetries, retryEndpointNow } from '@hosting/postgres/deliveries'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import {
  failAttempt,
  findPending,
  makeEndpoint,
  makeSubscriber,
  publish,
} from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

const hourMs = 3_600_000

test('countRetries counts retries that wait and those that are due', async () => {
  const { tenantId, endpointId } = await makeSubscriber(database)
  const ids = await publish(database, tenantId, { count: 4 })
  expect(await countRetries(database, endpointId)).toEqual({ waiting: 0, due: 0 })
  for (const id of ids.slice(0, 3)) await failAttempt(database, id, { delayMs: hourMs })
  expect(await countRetries(database, endpointId)).toEqual({ waiting: 3, due: 0 })
  await database.prisma.$transaction((tx) => retryEndpointNow(tx, endpointId))
  expect(await countRetries(database, endpointId)).toEqual({ waiting: 0, due: 3 })
})

describe('retryEndpointNow', () => {
  test('makes the first deliveries due in its transaction, and the others in later steps', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 5 })
    for (const id of ids) await failAttempt(database, id, { delayMs: hourMs })
    const countDue = async () => {
      const rows = await Promise.all(ids.map((id) => findPending(database, id)))
      return rows.filter((row) => row!.due_in_ms <= 0).length
    }
    const count = await database.prisma.$transaction((tx) => retryEndpointNow(tx, endpointId, 2))
    expect(count).toBe(2)
    expect(await countDue()).toBe(2)
    expect(await continueRetries(database, 2)).toBe(2)
    expect(await continueRetries(database, 2)).toBe(1)
    expect(await countDue()).toBe(5)
    expect(await continueRetries(database, 2)).toBe(0)
  })

  test('does not make a delivery due again that failed after the request', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 3 })
    for (const id of ids) await failAttempt(database, id, { delayMs: hourMs })
    await database.prisma.$transaction((tx) => retryEndpointNow(tx, endpointId, 1))
    const due = []
    for (const id of ids) if ((await findPending(database, id))!.due_in_ms <= 0) due.push(id)
    expect(due).toHaveLength(1)
    await failAttempt(database, due[0]!, { number: 2, delayMs: hourMs })
    expect(await continueRetries(database)).toBe(2)
    expect((await findPending(database, due[0]!))!.due_in_ms).toBeGreaterThan(hourMs / 2)
  })
})

describe('continueRetries', () => {
  beforeEach(async () => {
    await database.pool.query('DELETE FROM webhook_retries')
  })
  afterEach(async () => {
    await database.pool.query('DROP FUNCTION IF EXISTS refuse_update CASCADE')
  })

  /** Makes an organization whose endpoints have two waiting retries each, and requests them: one each becomes due. */
  async function requestRetries(endpoints: number): Promise<string[]> {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const endpointIds = [endpointId]
    while (endpointIds.length < endpoints) endpointIds.push(await makeEndpoint(database, tenantId))
    for (const id of await publish(database, tenantId, { count: 2 }))
      await failAttempt(database, id, { delayMs: hourMs })
    for (const id of endpointIds)
      await database.prisma.$transaction((tx) => retryEndpointNow(tx, id, 1))
    return endpointIds
  }

  const isWaiting = async (endpointId: string) =>
    (await countRetries(database, endpointId)).waiting > 0

  /** Lets every update of the endpoints' deliveries fail. */
  const refuseUpdates = (...endpointIds: readonly string[]) =>
    database.pool.query(
      `CREATE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
       CREATE TRIGGER refuse_update BEFORE UPDATE ON pending_deliveries FOR EACH ROW
         WHEN (OLD.endpoint_id = ANY ('{${endpointIds.join()}}')) EXECUTE FUNCTION refuse_update()`,
    )

  test('gives organizations turns: many requests of one do not keep another waiting', async () => {
    await requestRetries(10)
    const [other] = await requestRetries(1)
    expect(await continueRetries(database)).toBe(10)
    expect(await isWaiting(other!)).toBe(false)
  })

  test('takes the oldest request of an organization first', async () => {
    const [oldest, ...others] = await requestRetries(11)
    await continueRetries(database)
    expect(await isWaiting(oldest!)).toBe(false)
    expect(await isWaiting(others.at(-1)!)).toBe(true)
  })

  test('continues the others if the update of one endpoint fails, and then throws its error', async () => {
    const [failing, second] = await requestRetries(2)
    const [other] = await requestRetries(1)
    await refuseUpdates(failing!)
    await expect(continueRetries(database)).rejects.toThrow('refused')
    expect(await Promise.all([failing!, second!, other!].map(isWaiting))).toEqual([
      true,
      false,
      false,
    ])
  })

  test('organizations whose requests stay do not keep another waiting', async () => {
    const earlier: string[] = []
    while (earlier.length < 10) earlier.push(...(await requestRetries(1)))
    const [other] = await requestRetries(1)
    await refuseUpdates(...earlier)
    // Each step takes ten of the eleven organizations.
    for (let step = 0; step < 40 && (await isWaiting(other!)); step++) {
      await expect(continueRetries(database)).rejects.toThrow('refused')
    }
    expect(await isWaiting(other!)).toBe(false)
  })
})
