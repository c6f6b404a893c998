import { isReachable } from '@hosting/postgres'
import type { CheckResult } from '@hosting/process'
import type { Services } from './services.ts'

/** The API needs the database; without Redis it goes on, degraded (contract §5). */
export async function checkReadiness({
  database,
  attempts,
}: Services): Promise<Record<string, CheckResult>> {
  return {
    database: (await isReachable(database)) ? 'ok' : 'unavailable',
    redis: attempts.isReady() ? 'ok' : 'degraded',
  }
}
