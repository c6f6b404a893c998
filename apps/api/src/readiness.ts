import { processClock } from '@hosting/core'
import { isReachable } from '@hosting/postgres'
import type { CheckResult } from '@hosting/process'
import type { Services } from './services.ts'

/** The API needs the database and a right clock; without Redis it goes on, degraded (contract §5). */
export async function checkReadiness({
  database,
  attempts,
}: Services): Promise<Record<string, CheckResult>> {
  return {
    database: (await isReachable(database)) ? 'ok' : 'unavailable',
    redis: attempts.isReady() ? 'ok' : 'degraded',
    clock: processClock.isWrong() ? 'unavailable' : 'ok',
  }
}
