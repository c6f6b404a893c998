import { test } from '@jest/globals'
import { poolSize, startPgbouncer } from '../support/pgbouncer.ts'
import { useStalls } from './support/stalls.ts'

/**
 * Four connections bypass the pooler: LISTEN of two APIs, and retention of two workers. Beside each, while it is silent,
 * another one may ask whether the server works for it (packages/postgres/connections.md#silent-connections).
 */
const sessionsMax = poolSize + 2 * 4

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

// One file per setup, so that they wait in parallel.
test(
  'behind PgBouncer, nothing is lost, no transaction holds two changes, and no connection exceeds the pools while PostgreSQL stalls',
  tryStalls,
)
