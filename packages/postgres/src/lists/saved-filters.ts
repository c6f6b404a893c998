import { createUuidv7 } from '@hosting/core/ids'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, execute, run } from '../database/statement.ts'
import { runTransaction } from '../database/transaction.ts'

const { int, text, uuid } = types

/** A list of the panel, as a person sees it. */
export interface PersonalList {
  readonly userId: string
  /** The path of the list, such as `/deliveries`. */
  readonly list: string
}

/** Filters of a list that a person saved. */
export interface SavedFilter {
  readonly id: string
  readonly name: string
  /** The query of the list's URL, without `?`. */
  readonly query: string
}

/** Reads the filters that a person saved for a list, by name. */
export const listSavedFilters = (
  { pool }: Pick<Database, 'pool'>,
  list: PersonalList,
): Promise<SavedFilter[]> => run(pool, listStatement, { ...list })

/** Returns the filters of a person and list by name. */
const listStatement = defineStatement({
  name: 'list-saved-filters',
  takes: { userId: uuid, list: text },
  gives: { id: uuid, name: text, query: text },
  sql: `
    SELECT id, name, query FROM saved_filters WHERE user_id = :userId AND list = :list
    ORDER BY lower(name), name`,
})

/**
 * Saves filters under a name. It replaces those that the person saved for the list under the same name.
 *
 * @param savedMax - how many a person has for a list at most.
 * @returns whether it was saved: not if that would be too many, or if the person is deleted.
 */
export const saveFilter = (
  database: Pick<Database, 'pool'>,
  filter: PersonalList & Omit<SavedFilter, 'id'>,
  savedMax: number,
): Promise<boolean> =>
  runTransaction(database, async (client) => {
    const { userId } = filter
    const [person] = await run(client, lockStatement, { userId })
    if (!person) return false
    const others = savedMax - 1
    return (await execute(client, saveStatement, { ...filter, id: createUuidv7(), others })) === 1
  })

/** Returns a person who is not deleted, and locks the row, so that a person saves one filter at a time. */
const lockStatement = defineStatement({
  name: 'lock-saver-of-filter',
  takes: { userId: uuid },
  gives: { id: uuid },
  sql: 'SELECT id FROM users WHERE id = :userId AND deleted_at IS NULL FOR NO KEY UPDATE',
})

/** Adds a filter or changes the one of its name, unless the list has too many others. */
const saveStatement = defineStatement({
  name: 'save-filter',
  takes: { id: uuid, userId: uuid, list: text, name: text, query: text, others: int },
  gives: {},
  sql: `
    INSERT INTO saved_filters (id, user_id, list, name, query)
    SELECT :id, :userId, :list, :name, :query
    WHERE :others >= (SELECT count(*) FROM saved_filters
      WHERE user_id = :userId AND list = :list AND name <> :name)
    ON CONFLICT (user_id, list, name) DO UPDATE SET query = EXCLUDED.query`,
})

/** Deletes filters that the person saved for the list. Nothing happens if there are none with this id. */
export async function deleteSavedFilter(
  { pool }: Pick<Database, 'pool'>,
  filter: PersonalList & Pick<SavedFilter, 'id'>,
): Promise<void> {
  await execute(pool, deleteStatement, { ...filter })
}

/** Deletes a filter of a person and list. */
const deleteStatement = defineStatement({
  name: 'delete-saved-filter',
  takes: { id: text, userId: uuid, list: text },
  gives: {},
  sql: 'DELETE FROM saved_filters WHERE id::text = :id AND user_id = :userId AND list = :list',
})
