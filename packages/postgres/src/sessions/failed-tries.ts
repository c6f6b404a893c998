import { decideTry, type TryLimit } from '@hosting/core/sessions'
import { types } from '../database/column-types.ts'
import type { Client, Transaction } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import { Prisma } from '../generated/client.ts'

const { int, listOf, notNull, text, time } = types

/** A name under which a try is counted, with its rule. */
export interface TryCharge {
  readonly name: string
  readonly rule: TryLimit
}

/**
 * Counts a try under its names. If one of them has to wait, counts it under none. Tries with a common
 * name are serialized until the transaction ends.
 *
 * @returns how long the try has to wait, in ms. 0 if it is allowed.
 */
export async function takeTry(tx: Transaction, charges: readonly TryCharge[]): Promise<number> {
  const rows = await runIn(tx, lockStatement, { names: charges.map(({ name }) => name) })
  const decisions = rows.map((row) => {
    const { rule } = charges.find(({ name }) => name === row.name)!
    return { name: row.name, decision: decideTry(row, rule, row.now) }
  })
  const waitMs = Math.max(...decisions.map(({ decision }) => decision.waitMs))
  if (waitMs > 0) return waitMs
  for (const { name, decision } of decisions) {
    if ('next' in decision) await tx.failedTries.update({ where: { name }, data: decision.next })
  }
  return 0
}

/** Adds the names that are new, and gives the rows of all, which it locks in the order of the names. */
const lockStatement = defineStatement({
  name: 'lock-failed-tries',
  takes: { names: listOf(text) },
  gives: {
    name: text,
    failures: int,
    lastAt: time,
    blockedUntil: time,
    /**
     * When the row was locked, by the database's clock, which all processes share. Rounded like the
     * columns, so that an earlier write never has a later time.
     */
    now: notNull(time, 'clock_timestamp()'),
  },
  sql: `
    INSERT INTO failed_tries (name, failures, last_at, blocked_until, forgotten_at)
    SELECT name, 0, now(), now(), now() FROM unnest(:names) name ORDER BY name
    ON CONFLICT (name) DO UPDATE SET name = EXCLUDED.name
    RETURNING name, failures, last_at, blocked_until, clock_timestamp()::timestamptz(3) AS now`,
})

/** Records that a try has failed, and restarts the time until it is forgotten. */
export async function settleTry(tx: Transaction, names: readonly string[]): Promise<void> {
  await tx.$executeRaw`
    UPDATE failed_tries SET last_at = clock_timestamp() WHERE name IN (${inOrder(names)})`
}

/** Reverts the failure that a try was counted as. */
export async function forgiveTry(client: Client, names: readonly string[]): Promise<void> {
  await client.$executeRaw`
    UPDATE failed_tries SET failures = greatest(failures - 1, 0), blocked_until = last_at
    WHERE name IN (${inOrder(names)})`
}

/** To avoid deadlocks, rows are locked in the order of their names. */
const inOrder = (names: readonly string[]): Prisma.Sql =>
  Prisma.sql`
    SELECT name FROM failed_tries WHERE name = ANY (${[...names]}::text[]) ORDER BY name FOR UPDATE`

/** Deletes all failures under a name. */
export async function forgetTries(client: Client, name: string): Promise<void> {
  await client.failedTries.deleteMany({ where: { name } })
}

/** Deletes names whose failures have all expired. Returns their number. */
export const dropForgottenTries = defineDeletion({
  name: 'delete-forgotten-tries',
  table: 'failed_tries',
  where: 'forgotten_at < now() AND blocked_until < now()',
})
