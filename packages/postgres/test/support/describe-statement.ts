import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'

/** What PostgreSQL says about a statement without running it. */
export interface StatementDescription {
  /** Object ids of the types. */
  readonly parameterTypes: readonly number[]
  /** Empty: the statement gives no rows. */
  readonly columns: readonly pg.FieldDef[]
}

/** Asks PostgreSQL to parse and describe a statement, as a driver does before it runs one. */
export function describeStatement(client: pg.Client, text: string): Promise<StatementDescription> {
  const { promise, resolve, reject } = Promise.withResolvers<StatementDescription>()
  client.query(new Description(text, resolve, reject))
  return promise
}

/** Runs in place of a query of pg. */
class Description implements pg.Submittable {
  readonly #text: string
  readonly #resolve: (description: StatementDescription) => void
  readonly #reject: (error: Error) => void
  #parameterTypes: readonly number[] = []
  #columns: readonly pg.FieldDef[] = []

  constructor(
    text: string,
    resolve: (description: StatementDescription) => void,
    reject: (error: Error) => void,
  ) {
    this.#text = text
    this.#resolve = resolve
    this.#reject = reject
  }

  submit(connection: pg.Connection): void {
    connection.once('parameterDescription', ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
      this.#parameterTypes = dataTypeIDs
    })
    connection.parse({ name: '', text: this.#text, types: [] }, true)
    connection.describe({ type: 'S', name: '' }, true)
    connection.sync()
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#columns = fields
  }

  handleReadyForQuery(): void {
    this.#resolve({ parameterTypes: this.#parameterTypes, columns: this.#columns })
  }

  handleError(error: Error): void {
    this.#reject(error)
  }
}

/** Loads every module of the package, so that all its statements are defined. */
export async function loadStatements(): Promise<void> {
  const source = join(import.meta.dirname, '../../src')
  for (const { name } of readdirSync(source, { withFileTypes: true })) {
    if (name !== 'generated') await import(`../../src/${name}/index.ts`)
  }
}
