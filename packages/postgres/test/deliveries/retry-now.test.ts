import { makePartitions } from '@hosting/postgres/database'
import { continueRetries, countRetries, retryEndpointNow } from '@hosting/postgres/deliveries'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import { failAttempt, findPending, makeSubscriber, publish } from '../support/fixtures.ts'

const database = useDatabase()
beforeAll(async () => {
  await makePartitions(database)
})

const hourMs = 3_600_000

test('countRetries counts scheduled retries that are not due yet', async () => {
  const { tenantId, endpointId } = await makeSubscriber(database)
  const ids = await publish(database, tenantId, { count: 4 })
  expect(await countRetries(database, endpointId)).toBe(0)
  for (const id of ids.slice(0, 3)) await failAttempt(database, id, { delayMs: hourMs })
  expect(await countRetries(database, endpointId)).toBe(3)
  await database.prisma.$transaction((tx) => retryEndpointNow(tx, endpointId))
  expect(await countRetries(database, endpointId)).toBe(0)
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
