import {
  makePartitions,
  openDatabase,
  type Database,
  type Timeouts,
} from '@hosting/postgres/database'
import { afterAll, beforeAll } from '@jest/globals'
import type { PoolClient } from 'pg'
import { passMidnight } from '../../../../test/support/midnight.ts'
import { makeOwnStack } from '../../../../test/support/own-stack.ts'
import { patienceMs } from '../../../../test/support/patience.ts'

/** A migrated database of a test file's own, without rows. */
export interface TestDatabase extends Database {
  readonly url: string
}

/** Longer than a test file runs. Tests count the days of records from now, and a file must run within one day. */
const fileMsMax = 60_000

/** Fixtures of many rows may take long where several suites run at the same time. Only tests of limits need short ones. */
const patientTimeouts: Partial<Timeouts> = {
  acquireMs: patienceMs,
  queryMs: patienceMs,
  transactionMs: patienceMs,
  statementMs: patienceMs,
  lockMs: patienceMs,
}

/** Makes a database for a test file, with `partitions` of today if asked, and drops it after. */
export function useDatabase({
  connectionsMax = 20,
  timeouts = {},
  partitions = false,
}: {
  connectionsMax?: number
  timeouts?: Partial<Timeouts>
  partitions?: boolean
} = {}): TestDatabase {
  const database = {} as TestDatabase
  let remove = () => Promise.resolve()
  beforeAll(async () => {
    await passMidnight(fileMsMax)
    const stack = await makeOwnStack()
    const url = stack.environment['DATABASE_URL']!
    const opened = openDatabase(url, {
      connectionsMax,
      timeouts: { ...patientTimeouts, ...timeouts },
      onError: () => undefined,
    })
    Object.assign(database, opened, { url })
    remove = async () => {
      await opened.close()
      await stack.remove()
    }
    if (partitions) await makePartitions(database)
  }, 2 * fileMsMax)
  afterAll(() => remove())
  return database
}

/** Runs work in a transaction, and rolls it back. */
export async function rollingBack<T>(
  { pool }: Pick<Database, 'pool'>,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    return await work(client)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

/** The error with which work fails. @throws Error if it does not fail. */
export const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: Error) => error,
  )
