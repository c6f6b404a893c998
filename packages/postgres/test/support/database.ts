import { openDatabase, type Database } from '@hosting/postgres'
import { afterAll, beforeAll } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import { makeOwnStack } from '../../../../test/support/own-stack.ts'

/** A migrated database of a test file's own, without rows and without partitions. */
export interface TestDatabase extends Database {
  readonly url: string
}

const dayMs = 86_400_000
/** Longer than a test file takes. */
const fileMsMax = 60_000

/** Records stand in partitions of days, and tests count days from now: a file is to see one day alone. */
async function untilDayIsLong(): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < fileMsMax) await setTimeout(leftMs + 1_000)
}

/** Makes a database for a test file and drops it after. */
export function useDatabase({ connectionsMax = 20 } = {}): TestDatabase {
  const database = {} as TestDatabase
  let remove = () => Promise.resolve()
  beforeAll(async () => {
    await untilDayIsLong()
    const stack = await makeOwnStack()
    const url = stack.environment['DATABASE_URL']!
    const opened = openDatabase(url, { connectionsMax, onError: () => undefined })
    Object.assign(database, opened, { url })
    remove = async () => {
      await opened.close()
      await stack.remove()
    }
  }, 2 * fileMsMax)
  afterAll(() => remove())
  return database
}
