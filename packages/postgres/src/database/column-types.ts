/**
 * A type of PostgreSQL, for parameters and columns, and what pg makes of it. A test compares the columns of every
 * statement with what PostgreSQL says.
 */
export interface ColumnType<Value> {
  readonly sql: string
  readonly isNullable: boolean
  /** Why a column that is no column of a table is never null. */
  readonly neverNull?: string
  /** Exists only for the compiler. */
  readonly value?: Value
}

/** What a value of the type is in TypeScript. */
export type TypeOf<Type> = Type extends ColumnType<infer Value> ? Value : never

/** A row with columns of these types. */
export type RowOf<Types> = { readonly [Name in keyof Types]: TypeOf<Types[Name]> }

const typeOf = <Value>(sql: string): ColumnType<Value> => ({ sql, isNullable: false })

const nullableOf = <Value>(sql: string): ColumnType<Value | null> => ({ sql, isNullable: true })

/**
 * A column that is computed and never null, which PostgreSQL cannot say.
 *
 * @param reason - why it is never null, such as `count`.
 */
const notNull = <Value>(type: ColumnType<Value>, reason: string): ColumnType<Value> => ({
  ...type,
  neverNull: reason,
})

/** The types of statements. */
export const types = {
  uuid: typeOf<string>('uuid'),
  text: typeOf<string>('text'),
  /** The id of a key. */
  keyId: typeOf<string>('bpchar'),
  int: typeOf<number>('int4'),
  smallint: typeOf<number>('int2'),
  float: typeOf<number>('float8'),
  /** pg reads it as a string, because a number may be larger than the integers of JavaScript. */
  bigint: typeOf<string>('int8'),
  bool: typeOf<boolean>('bool'),
  time: typeOf<Date>('timestamptz'),
  bytes: typeOf<Buffer>('bytea'),
  /** A result that a caller ignores, of a function that is called for its effect. */
  nothing: nullableOf<unknown>('void'),
  /** An enumeration or another type by its name in the database. */
  named: <Value extends string>(sql: string): ColumnType<Value> => typeOf(sql),
  /** JSON of a known shape. The statement builds it, with members in camel case, so it is never null. */
  json: <Value>(): ColumnType<Value> => notNull(typeOf<Value>('json'), 'built by the statement'),
  /** A column with JSON of a known shape. */
  jsonb: <Value>(): ColumnType<Value> => typeOf('jsonb'),
  /** A parameter whose value is a text in JSON. */
  jsonText: typeOf<string>('jsonb'),
  listOf: <Value>({ sql }: ColumnType<Value>): ColumnType<readonly Value[]> => typeOf(`${sql}[]`),
  nullable: <Value>({ sql }: ColumnType<Value>): ColumnType<Value | null> => nullableOf(sql),
  notNull,
} as const
