import type pg from 'pg'
import type { ColumnType, RowOf, TypeOf } from './column-types.ts'

/** The types of named values: parameters of a statement, or columns of its rows. */
export type Types = Readonly<Record<string, ColumnType<unknown>>>

/** A statement with its parameters and the columns of its rows. See {@link defineStatement}. */
export interface Statement<Takes extends Types = Types, Gives extends Types = Types> {
  /** Under which it is prepared. */
  readonly name: string
  /** As PostgreSQL reads it, with numbered parameters. */
  readonly text: string
  /** The parameters, in the order of their numbers. */
  readonly parameters: readonly string[]
  readonly takes: Takes
  readonly gives: Gives
  /** Its columns in their order, by their names in the database. */
  readonly columns: readonly StatementColumn[]
  /** Makes a row of the values of its columns. */
  readonly toRow: (values: readonly unknown[]) => RowOf<Gives>
}

/** A column of a statement's rows. */
export interface StatementColumn {
  /** In snake case. */
  readonly name: string
  readonly type: ColumnType<unknown>
}

/** The values of a statement's parameters. */
export type Values<Takes extends Types> = { readonly [Name in keyof Takes]: TypeOf<Takes[Name]> }

/** Every statement that was defined. A test compares them with the database. */
export const statements = new Map<string, Statement>()

/** A colon before a word, but not a cast (`::`) or a part of a time or of a range (`HH24:MI`, `1:n`). */
export const placeholder = /(?<![:\w]):([a-z]\w*)/gi

/**
 * Defines a statement with named parameters. Call it once, at module load: the names are replaced by numbers here, and
 * each number is followed by a cast to the type of its parameter.
 *
 * @param sql - names a parameter as `:endpointIds`. The columns have the names of `gives` in snake case.
 * @throws Error if the text and `takes` name different parameters, if a parameter is a number, or if another statement
 * has the name.
 */
export function defineStatement<const Takes extends Types, const Gives extends Types>(
  definition: StatementDefinition<Takes, Gives>,
): Statement<Takes, Gives> {
  const { name } = definition
  if (statements.has(name)) throw new Error(`Two statements are named ${name}`)
  const statement = toStatement(definition)
  statements.set(name, statement)
  return statement
}

/** A statement that `runPrepared` runs. See {@link defineHotStatement}. */
export interface HotStatement<
  Takes extends Types = Types,
  Gives extends Types = Types,
> extends Statement<Takes, Gives> {
  readonly isHot: true
}

/**
 * Defines a statement whose plan is made once per connection and kept, often while the queues are empty. Any plan must
 * look up the rows of `pending_deliveries` and `endpoint_wakeups` in an index, so it joins them by
 * `p.delivery_id = ANY (ARRAY[d.delivery_id])` instead of `=`, and a NOT EXISTS ends with OFFSET 0
 * (packages/postgres/README.md#plans-of-hot-statements).
 */
export const defineHotStatement = <const Takes extends Types, const Gives extends Types>(
  definition: StatementDefinition<Takes, Gives>,
): HotStatement<Takes, Gives> =>
  Object.assign(defineStatement(definition), { isHot: true as const })

/** What {@link defineStatement} takes. */
export interface StatementDefinition<Takes extends Types, Gives extends Types> {
  readonly name: string
  readonly takes: Takes
  readonly gives: Gives
  readonly sql: string
}

/**
 * Defines a statement on a day partition, for each table that has partitions. The statements on the tables themselves are
 * among {@link statements}, so that they are compared with the database.
 *
 * @param toDefinition - takes the name of a table or of a partition.
 * @returns a function that makes the statement on a partition.
 */
export function definePartitionStatement<Takes extends Types, Gives extends Types>(
  tables: readonly string[],
  toDefinition: (table: string) => StatementDefinition<Takes, Gives>,
): (partition: string) => Statement<Takes, Gives> {
  for (const table of tables) {
    const definition = toDefinition(table)
    defineStatement({ ...definition, name: `${definition.name} ${table}` })
  }
  return (partition) => toStatement(toDefinition(partition))
}

/** Makes a statement without defining it, such as one on a partition. See {@link defineStatement}. */
export function toStatement<Takes extends Types, Gives extends Types>({
  name,
  takes,
  gives,
  sql,
}: StatementDefinition<Takes, Gives>): Statement<Takes, Gives> {
  if (/\$\d/.test(sql)) throw new Error(`The statement ${name} has a numbered parameter`)
  const parameters: string[] = []
  const text = sql.replaceAll(placeholder, (_, parameter: string) => {
    const type = takes[parameter]
    if (!type) throw new Error(`The statement ${name} does not take :${parameter}`)
    if (!parameters.includes(parameter)) parameters.push(parameter)
    return `$${parameters.indexOf(parameter) + 1}::${type.sql}`
  })
  const unused = Object.keys(takes).filter((parameter) => !parameters.includes(parameter))
  if (unused.length > 0) throw new Error(`The statement ${name} does not use ${unused.join(', ')}`)
  const members = Object.keys(gives)
  const toRow = (values: readonly unknown[]): RowOf<Gives> => {
    const row: Record<string, unknown> = {}
    for (let index = 0; index < members.length; index++) row[members[index]!] = values[index]
    return row as RowOf<Gives>
  }
  const columns = Object.entries(gives).map(([member, type]) => ({
    name: toSnakeCase(member),
    type,
  }))
  return { name, text, parameters, takes, gives, columns, toRow }
}

/** What runs a statement: the pool, or a connection of it inside a transaction. */
type Runner = Pick<pg.Pool | pg.ClientBase, 'query'>

/**
 * Runs a statement once. PostgreSQL plans it for these values: a condition such as `:status IS NULL OR status = :status`
 * costs nothing if the value is null, and can use an index otherwise.
 *
 * @returns its rows.
 */
export async function run<Takes extends Types, Gives extends Types>(
  runner: Runner,
  { text, parameters, toRow }: Statement<Takes, Gives>,
  values: Values<Takes>,
): Promise<RowOf<Gives>[]> {
  const query = { text, values: inOrder(parameters, values), rowMode: 'array' as const }
  const { rows } = await runner.query<unknown[]>(query)
  return rows.map(toRow)
}

/** Runs a statement that gives no rows, as {@link run} does. Returns the number of rows that it changed. */
export async function execute<Takes extends Types>(
  runner: Runner,
  { text, parameters }: Statement<Takes>,
  values: Values<Takes>,
): Promise<number> {
  const { rowCount } = await runner.query(text, inOrder(parameters, values))
  return rowCount ?? 0
}

/** The values of a statement's parameters in the order of their numbers. */
export function inOrder(parameters: readonly string[], values: Readonly<Record<string, unknown>>) {
  return parameters.map((parameter) => values[parameter])
}

/** The column of a member: `event_id` of `eventId`. */
export const toSnakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
