import { sessionConfigOf } from '@hosting/postgres/database'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { readSources } from '../../../../test/structure/sources.ts'
import { types, type ColumnType } from '../../src/database/column-types.ts'
import { defineStatement, statements, type Statement } from '../../src/database/statement.ts'
import { useDatabase } from '../support/database.ts'
import { describeStatement, loadStatements } from '../support/describe-statement.ts'

const { int, listOf, uuid } = types

let client: pg.Client
// Before the database is dropped.
afterAll(() => client.end())
const database = useDatabase()
let typeNames: ReadonlyMap<number, string>
/** The columns of tables that are never null, as `table.column` by their numbers. */
let requiredColumns: ReadonlySet<string>

beforeAll(async () => {
  await loadStatements()
  client = new pg.Client(sessionConfigOf(database.url))
  await client.connect()
  const known = await client.query<{ oid: number; name: string }>(
    'SELECT oid::int, oid::regtype::text AS name FROM pg_type',
  )
  typeNames = new Map(known.rows.map(({ oid, name }) => [oid, name]))
  const columns = await client.query<{ id: string }>(
    `SELECT attrelid || '.' || attnum AS id FROM pg_attribute WHERE attnotnull AND attnum > 0`,
  )
  requiredColumns = new Set(columns.rows.map(({ id }) => id))
})

/** PostgreSQL's name of a type: `integer` of `int4`. */
const nameOf = async ({ sql }: ColumnType<unknown>): Promise<string> => {
  const { rows } = await client.query<{ name: string }>('SELECT $1::regtype::text AS name', [sql])
  return rows[0]!.name
}

/** What is wrong about the nullability of a column. */
function findNullError(type: ColumnType<unknown>, field: pg.FieldDef): string[] {
  const isRequired = requiredColumns.has(`${field.tableID}.${field.columnID}`)
  if (!type.isNullable && type.neverNull === undefined && !isRequired) {
    return [`${field.name} may be null: declare it as nullable, or say why it is never null`]
  }
  return type.neverNull !== undefined && isRequired
    ? [`${field.name} is a column that is never null: the reason is not needed`]
    : []
}

/** What differs between a statement and PostgreSQL's description of it. */
async function findErrors({
  name,
  text,
  parameters,
  takes,
  columns,
}: Statement): Promise<string[]> {
  const described = await describeStatement(client, text)
  const actual = {
    parameters: described.parameterTypes.map((oid) => typeNames.get(oid)),
    columns: described.columns.map((field) => [field.name, typeNames.get(field.dataTypeID)]),
  }
  const declared = {
    parameters: await Promise.all(parameters.map((parameter) => nameOf(takes[parameter]!))),
    columns: await Promise.all(
      columns.map(async (column) => [column.name, await nameOf(column.type)]),
    ),
  }
  const isSame = JSON.stringify(actual) === JSON.stringify(declared)
  const errors = isSame
    ? columns.flatMap(({ type }, index) => findNullError(type, described.columns[index]!))
    : [`PostgreSQL says ${JSON.stringify(actual)}, declared is ${JSON.stringify(declared)}`]
  return errors.map((error) => `${name}: ${error}`)
}

test('the declared parameters and columns of every statement match PostgreSQL, including nulls', async () => {
  const sources = await readSources('packages/postgres/src/**/*.ts')
  const calls = sources.flatMap(({ text }) => text.match(/= defineStatement\(\{/g) ?? [])
  expect(statements.size).toBeGreaterThanOrEqual(calls.length)
  const errors: string[] = []
  for (const statement of statements.values()) {
    errors.push(
      ...(await findErrors(statement).catch((error: Error) => [
        `${statement.name}: ${error.message}`,
      ])),
    )
  }
  expect(errors).toEqual([])
})

test('each name in a statement has one number, with a cast to its type', () => {
  const { text, parameters } = defineStatement({
    name: 'example',
    takes: { ids: listOf(uuid), countMax: int },
    gives: { id: uuid },
    sql: `SELECT id::uuid, '10:30'::time FROM tenants WHERE id = ANY (:ids) OR id <> ALL (:ids) LIMIT :countMax`,
  })
  statements.delete('example')
  expect(text).toBe(
    `SELECT id::uuid, '10:30'::time FROM tenants WHERE id = ANY ($1::uuid[]) OR id <> ALL ($1::uuid[]) LIMIT $2::int4`,
  )
  expect(parameters).toEqual(['ids', 'countMax'])
})

test.each([
  [{ a: int }, 'SELECT :b', 'does not take :b'],
  [{ a: int, b: int }, 'SELECT :a', 'does not use b'],
  [{ a: int }, 'SELECT :a, $1', 'has a numbered parameter'],
])('a statement with parameters other than its names is refused', (takes, sql, message) => {
  expect(() => defineStatement({ name: 'example', takes, gives: {}, sql })).toThrow(message)
})
