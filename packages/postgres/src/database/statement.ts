import type { ColumnType, RowOf } from './column-types.ts'
import type { Client, Database } from './database.ts'
import {
  inOrder,
  run,
  type HotStatement,
  type Statement,
  type Types,
  type Values,
} from './define-statement.ts'
import { retryTransient } from './errors.ts'
import { withPartitions } from './partitions.ts'

export * from './define-statement.ts'

/**
 * Runs a hot statement with a plan that uses only indexes, prepared under its name once per connection.
 * Behind a pooler, the statement is planned each time. Creates partitions that it finds missing.
 *
 * @returns its rows.
 */
export async function runPrepared<Takes extends Types, Gives extends Types>(
  database: Pick<Database, 'pool' | 'hotPool'>,
  statement: HotStatement<Takes, Gives>,
  values: Values<Takes>,
): Promise<RowOf<Gives>[]> {
  const { hotPool } = database
  if (!hotPool) return await runPlanned(database, statement, values)
  const { name, text, parameters, toRow } = statement
  const query = { name, text, values: inOrder(parameters, values), rowMode: 'array' as const }
  const { rows } = await withPartitions(database, () =>
    retryTransient(() => hotPool.query<unknown[]>(query)),
  )
  return rows.map(toRow)
}

/**
 * Runs a hot statement that occasionally has many rows. It is planned for this execution, without the
 * restrictions of {@link runPrepared}, whose plans join the parts of a statement by nested loops.
 *
 * @returns its rows.
 */
export const runPlanned = <Takes extends Types, Gives extends Types>(
  database: Pick<Database, 'pool'>,
  statement: Statement<Takes, Gives>,
  values: Values<Takes>,
): Promise<RowOf<Gives>[]> =>
  withPartitions(database, () => retryTransient(() => run(database.pool, statement, values)))

/**
 * Runs a statement once, in a transaction of Prisma. Its columns have the types that {@link run} gives them.
 *
 * @returns its rows.
 */
export async function runIn<Takes extends Types, Gives extends Types>(
  tx: Client,
  { text, parameters, columns, toRow }: Statement<Takes, Gives>,
  values: Values<Takes>,
): Promise<RowOf<Gives>[]> {
  const rows = await tx.$queryRawUnsafe<Record<string, unknown>[]>(
    text,
    ...inOrder(parameters, values),
  )
  return rows.map((row) => toRow(columns.map(({ name, type }) => toValue(type, row[name]))))
}

/** A value of Prisma as pg reads it. */
function toValue({ sql }: ColumnType<unknown>, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return sql === 'bytea' && value instanceof Uint8Array ? Buffer.from(value) : value
}

/** Runs a statement that gives no rows as {@link runIn} does. Returns the number of rows that it changed. */
export const executeIn = <Takes extends Types>(
  tx: Client,
  { text, parameters }: Statement<Takes>,
  values: Values<Takes>,
): Promise<number> => tx.$executeRawUnsafe(text, ...inOrder(parameters, values))
