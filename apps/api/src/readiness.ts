import { processClock } from '@hosting/core/clock'
import { neededPostgres, readDatabaseState } from '@hosting/postgres/database'
import { checkDurability, type CheckResult } from '@hosting/process'
import { neededRedis, redisTopologyOf } from '@hosting/redis'
import type { Services } from './api/services.ts'

/** The API needs the database, which must accept writes, and a correct clock. Without Redis or change notifications it runs degraded. */
export async function checkReadiness({
  database,
  config,
  attempts,
  keyChanges,
  checkSettings,
}: Services): Promise<Record<string, CheckResult>> {
  const [state, isRedisUp] = await Promise.all([readDatabaseState(database), attempts.responds()])
  return {
    database: state.isReachable ? 'ok' : 'unavailable',
    database_writable: state.isWritable ? 'ok' : 'unavailable',
    redis: isRedisUp ? 'ok' : 'degraded',
    notifications: keyChanges.isListening() ? 'ok' : 'degraded',
    clock: processClock.isWrong() ? 'unavailable' : 'ok',
    ...checkDurability(state.lossySettings, config),
    ...checkSettings(state.wrongSettings),
  }
}

/** The checks that fail as far as the process knows without asking PostgreSQL or Redis. */
export function findFailedChecks({ attempts, keyChanges }: Services): string[] {
  const failed = {
    clock: processClock.isWrong(),
    redis: !attempts.isReady(),
    notifications: !keyChanges.isListening(),
  }
  return Object.entries(failed).flatMap(([name, hasFailed]) => (hasFailed ? [name] : []))
}

/** The servers that the API needs, for its liveness. */
export const neededServers = ({ config, database, attempts, gate }: Services) => [
  neededPostgres(database),
  neededRedis(redisTopologyOf(config), [attempts, gate]),
]
