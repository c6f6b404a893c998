import { test } from '@jest/globals'
import { poolSize, startPgbouncer } from '../support/pgbouncer.ts'
import { useStalls } from './support/stalls.ts'

/** Two APIs listen and two workers' retention may run past the pooler. */
const sessionsMax = poolSize + 4

const tryStalls = useStalls({
  name: 'behind PgBouncer in transaction mode',
  sessionsMax,
  async open({ postgres, databaseUrl }) {
    const pgbouncer = await startPgbouncer(postgres.url())
    const environment = {
      DATABASE_URL: pgbouncer.url(databaseUrl),
      DATABASE_DIRECT_URL: databaseUrl,
    }
    return { environment, close: () => pgbouncer.stop() }
  },
})

// A file for each way, so that they wait side by side.
test(
  'behind PgBouncer in transaction mode, nothing is lost, committed by strangers or connected beyond the pools while PostgreSQL stalls',
  tryStalls,
)
