import { test } from '@jest/globals'
import { useStalls } from './support/stalls.ts'

/** Per API and worker: two pools of 10, and one connection for LISTEN or for retention. */
const sessionsMax = 4 * 21

const tryStalls = useStalls({
  name: 'without a pooler',
  sessionsMax,
  open: (servers) => Promise.resolve({ environment: { DATABASE_URL: servers.databaseUrl } }),
})

// One file per setup, so that they wait in parallel.
test(
  'without a pooler, nothing is lost, no transaction holds two changes, and no connection exceeds the pools while PostgreSQL stalls',
  tryStalls,
)
