import { openDatabase, type Database } from '@hosting/postgres/database'
import { rm } from 'node:fs/promises'
import { startServers, type FaultServers } from './servers.ts'
import { environmentOn } from '../../support/environment.ts'
import { root } from '../../../tools/run.ts'
import { makeSlot, type ServiceSlot } from './service-slot.ts'

/** The system of one run, with servers of its own. */
export interface TrialSystem {
  readonly servers: FaultServers
  readonly apis: readonly ServiceSlot[]
  readonly workers: readonly ServiceSlot[]
  /** Bypasses the proxies. */
  readonly database: Database
  /** Processes that ended without being told to. */
  readonly ends: readonly string[]
  close(): Promise<void>
}

/** The settings of the processes: short times, so that a run of a minute holds many retries. */
export const settings = {
  LOG_LEVEL: 'info',
  WORKER_CONCURRENCY: '20',
  WEBHOOK_ENDPOINT_CONCURRENCY: '5',
  WEBHOOK_JOB_HOLD_SECONDS: '2',
  WEBHOOK_TIMEOUT_SECONDS: '2',
  WEBHOOK_RETRY_DELAYS_SECONDS: '1,1,1,2,2,3',
}

/**
 * Starts PostgreSQL, Redis, two APIs and two workers.
 *
 * @param folder - the folder whose build runs, with a slash at its end.
 */
export async function startTrialSystem(folder: string): Promise<TrialSystem> {
  const directory = `${root}.cache/faults-${process.pid}`
  const servers = await startServers(directory, `${folder}prisma`)
  const database = openDatabase(servers.databaseUrl, { onError: () => undefined })
  const ends: string[] = []
  const environment = environmentOn({
    ...settings,
    NODE_ENV: 'test',
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redis.url(),
  })
  const onEnd = (name: string, report: string): void => {
    process.stderr.write(`${name} ${report}\n`)
    ends.push(`${name} ${report}`)
  }
  const make = (kind: 'api' | 'worker', number: number) =>
    makeSlot({ kind, name: `${kind} ${number}` }, { environment, folder }, onEnd)
  const apis = [await make('api', 1), await make('api', 2)]
  const workers = [await make('worker', 1), await make('worker', 2)]
  const slots = [...apis, ...workers]
  await Promise.all(slots.map((slot) => slot.start()))
  return {
    servers,
    apis,
    workers,
    database,
    ends,
    async close() {
      await Promise.all(slots.map((slot) => slot.close()))
      await database.close()
      await servers.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
