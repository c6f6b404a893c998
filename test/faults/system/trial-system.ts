import { openDatabase, type Database } from '@hosting/postgres/database'
import { rm } from 'node:fs/promises'
import { environmentOn } from '../../support/environment.ts'
import { poolSize, startPgbouncer, type Pgbouncer } from '../../support/pgbouncer.ts'
import { root } from '../../../tools/run.ts'
import type { Schedule } from '../schedule/schedule.ts'
import { startServers, type FaultServers } from './servers.ts'
import { makeSlot, type ServiceSlot } from './service-slot.ts'
import { observerUrl } from './sessions.ts'
import { moveToSmallDisk, type SmallDisk } from './small-disk.ts'

/** The system of one run, with servers of its own. */
export interface TrialSystem {
  readonly servers: FaultServers
  /** Present if the services connect through it. */
  readonly pgbouncer: Pgbouncer | undefined
  /** Present in runs with stalls: holds the tables. */
  readonly disk: SmallDisk | undefined
  /** The most PostgreSQL sessions of the services. */
  readonly sessionsMax: number
  readonly apis: readonly ServiceSlot[]
  readonly workers: readonly ServiceSlot[]
  /** Bypasses the proxies. */
  readonly database: Database
  /** The root of the build that runs, and the settings of its processes. They lead past the proxies. */
  readonly folder: string
  readonly environment: Record<string, string>
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

/** Per process: two pools of 10, and one connection for LISTEN or for retention. */
const sessionsOfProcess = 21
/**
 * Per process: one connection bypasses the pooler, and while it is silent, another one may ask whether the server
 * works for it (packages/postgres/connections.md#silent-connections).
 */
const sessionsPastPooler = 2

/**
 * Starts PostgreSQL, Redis, two APIs and two workers.
 *
 * @param folder - the folder whose build runs, with a slash at its end.
 */
export async function startTrialSystem(
  folder: string,
  { way, isStalled }: Pick<Schedule, 'way' | 'isStalled'>,
): Promise<TrialSystem> {
  const directory = `${root}.cache/faults-${process.pid}`
  const servers = await startServers(directory, `${folder}prisma`)
  const disk = isStalled && way === 'direct' ? await moveToSmallDisk(servers) : undefined
  const pgbouncer = way === 'pooled' ? await startPgbouncer(servers.postgres.url()) : undefined
  const database = openDatabase(observerUrl(servers.databaseUrl), { onError: () => undefined })
  const ends: string[] = []
  const environment = environmentOn({
    ...settings,
    NODE_ENV: 'test',
    DATABASE_URL: pgbouncer?.url(servers.databaseUrl) ?? servers.databaseUrl,
    ...(pgbouncer && { DATABASE_DIRECT_URL: servers.databaseUrl }),
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
    pgbouncer,
    disk,
    sessionsMax: pgbouncer
      ? poolSize + sessionsPastPooler * slots.length
      : sessionsOfProcess * slots.length,
    apis,
    workers,
    database,
    folder,
    environment,
    ends,
    async close() {
      await Promise.all(slots.map((slot) => slot.close()))
      await database.close()
      await pgbouncer?.stop()
      await servers.stop()
      await disk?.remove()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
