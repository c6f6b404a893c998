import { types, type ColumnType } from './column-types.ts'
import type { Database } from './database.ts'
import { defineStatement, execute, type Types, type Values } from './define-statement.ts'

/** The most rows that a statement deletes by default. */
const perStatementDefault = 1_000

/** How rows are deleted that are no longer kept. */
export interface DeletionOptions {
  /** The most rows that a statement deletes. Default: 1,000. */
  readonly perStatement?: number
  /** Ends the work after a statement. */
  readonly stopping?: AbortSignal
}

/** What {@link defineDeletionBy} takes. */
interface DeletionDefinition<Takes extends Types> {
  /** Of the statement. */
  readonly name: string
  /** One that is not partitioned. */
  readonly table: string
  readonly takes: Takes
  /** The condition of the rows to delete. */
  readonly where: string
}

/**
 * Defines how rows that are no longer kept are deleted. Call it once, at module load. Each statement deletes a batch of
 * rows, so that it ends within its time limit for any number of rows, and skips those that another transaction has
 * locked.
 *
 * @returns a function that deletes until no such row is left, and returns their number.
 */
export function defineDeletion(definition: Omit<DeletionDefinition<Types>, 'takes'>) {
  const deleteRows = defineDeletionBy({ ...definition, takes: {} })
  return (database: Pick<Database, 'pool'>, options?: DeletionOptions): Promise<number> =>
    deleteRows(database, {}, options)
}

/** The same as {@link defineDeletion}, for a condition with parameters. */
export function defineDeletionBy<const Takes extends Types>({
  name,
  table,
  takes,
  where,
}: DeletionDefinition<Takes>) {
  const statement = defineStatement<Takes & { perStatement: ColumnType<number> }, Types>({
    name,
    takes: { ...takes, perStatement: types.int },
    gives: {},
    sql: `
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE ${where} LIMIT :perStatement FOR UPDATE SKIP LOCKED))`,
  })
  return async (
    { pool }: Pick<Database, 'pool'>,
    values: Values<Takes>,
    { perStatement = perStatementDefault, stopping }: DeletionOptions = {},
  ): Promise<number> => {
    for (let total = 0; ;) {
      if (stopping?.aborted) return total
      const deleted = await execute(pool, statement, { ...values, perStatement })
      total += deleted
      if (deleted < perStatement) return total
    }
  }
}
