import { test } from '@jest/globals'
import { useStalls } from './support/stalls.ts'

/** Two pools of 10 each of two APIs and two workers; an API listens, a worker's retention may run. */
const sessionsMax = 4 * 21

const tryStalls = useStalls({
  name: 'without a pooler',
  sessionsMax,
  open: (servers) => Promise.resolve({ environment: { DATABASE_URL: servers.databaseUrl } }),
})

// A file for each way, so that they wait side by side.
test(
  'without a pooler, nothing is lost, committed by strangers or connected beyond the pools while PostgreSQL stalls',
  tryStalls,
)
