import { processClock } from '@hosting/core'
import { isReachable } from '@hosting/postgres'
import type { CheckResult } from '@hosting/process'
import type { Services } from './services.ts'

/** The API needs the database and a correct clock. Without Redis or change notifications it runs degraded. */
export async function checkReadiness({
  database,
  attempts,
  keyChanges,
}: Services): Promise<Record<string, CheckResult>> {
  return {
    database: (await isReachable(database)) ? 'ok' : 'unavailable',
    redis: attempts.isReady() ? 'ok' : 'degraded',
    notifications: keyChanges.isListening() ? 'ok' : 'degraded',
    clock: processClock.isWrong() ? 'unavailable' : 'ok',
  }
}
