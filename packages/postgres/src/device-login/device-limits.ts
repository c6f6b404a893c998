import { earlierStartsMs, type EarlierStart } from '@hosting/core/device-login'
import { createUuidv7 } from '@hosting/core/ids'
import { types } from '../database/column-types.ts'
import type { Client, Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'

const { bool, notNull, text, time } = types

/** The recent device logins of an address, and the current time. */
export interface DeviceStarts {
  readonly earlier: readonly EarlierStart[]
  readonly now: Date
}

/**
 * Returns the device logins that an address started recently.
 *
 * @param addressGroup - the address group that the limits count.
 */
export async function findDeviceStarts(
  client: Client,
  addressGroup: string,
): Promise<DeviceStarts> {
  const now = await readClock(client)
  const since = new Date(now.getTime() - earlierStartsMs)
  const earlier = await runIn(client, startsStatement, { addressGroup, since })
  return { earlier, now }
}

/** Gives the logins that an address group started since a time. It locks nothing. */
const startsStatement = defineStatement({
  name: 'list-device-starts',
  takes: { addressGroup: text, since: time },
  gives: { createdAt: time, expiresAt: time, pending: notNull(bool, 'the column is never null') },
  sql: `
    SELECT created_at, expires_at, status = 'pending' AS pending
    FROM device_requests WHERE address_group = :addressGroup AND created_at > :since`,
})

/**
 * As {@link findDeviceStarts}, with a lock: until the transaction ends, no other login is started from
 * the address, so concurrent starts cannot exceed the limits.
 */
export async function lockDeviceStarts(
  tx: Transaction,
  addressGroup: string,
): Promise<DeviceStarts> {
  await lockName(tx, `device-start:${addressGroup}`)
  return findDeviceStarts(tx, addressGroup)
}

/** Takes a lock on the name until the transaction ends. */
const lockName = (tx: Transaction, name: string): Promise<unknown> =>
  tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`

async function readClock(client: Client): Promise<Date> {
  const rows = await client.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`
  return rows[0]!.now
}

/**
 * Returns the times of the person's wrong user codes within `withinMs`. Until the transaction ends, the
 * person cannot enter another code.
 */
export async function lockUserCodeGuesses(
  tx: Transaction,
  userId: string,
  withinMs: number,
): Promise<{ wrongAt: Date[]; now: Date }> {
  await lockName(tx, `user-code:${userId}`)
  const now = await readClock(tx)
  const rows = await tx.wrongUserCode.findMany({
    where: { userId, givenAt: { gt: new Date(now.getTime() - withinMs) } },
    select: { givenAt: true },
  })
  return { wrongAt: rows.map(({ givenAt }) => givenAt), now }
}

/** Records that the person entered a wrong user code. */
export async function addWrongUserCode(
  tx: Transaction,
  userId: string,
  givenAt: Date,
): Promise<void> {
  await tx.wrongUserCode.create({ data: { id: createUuidv7(), userId, givenAt } })
}
