import type { ClientBase } from 'pg'
import { types } from './column-types.ts'
import type { Database } from './database.ts'
import { defineStatement, run } from './define-statement.ts'

const { listOf, notNull, text } = types

/**
 * Raises the sequences that are behind what is stored, as after a move by logical replication, which does not copy
 * their state. Any number of processes can call it at the same time.
 *
 * @returns the names of the sequences that were raised.
 */
export async function raisePositions(
  client: Database['pool'] | ClientBase,
): Promise<readonly string[]> {
  const [row] = await run(client, raiseStatement, {})
  return row!.raised
}

/** Gives the names of the sequences that it raises. It locks each of these. */
const raiseStatement = defineStatement({
  name: 'raise-positions',
  takes: {},
  gives: { raised: notNull(listOf(text), 'an array') },
  sql: 'SELECT raise_positions() AS raised',
})
