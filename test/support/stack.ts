import { openDatabase, type Database } from '@hosting/postgres/database'
import { afterAll, beforeAll } from '@jest/globals'
import { connect, type TestApi } from './api.ts'
import { makeOwnStack, type OwnStack } from './own-stack.ts'
import { startService, type ServiceProcess } from './processes.ts'
import { asOne, manyMachines } from './topology.ts'

export { until } from './until.ts'

/**
 * A real API process and worker processes with a database and a Redis that no other test uses. On many
 * machines, each process is two.
 */
export interface Stack {
  readonly api: TestApi
  readonly database: Database
  /** Of one of its nodes. */
  readonly redisUrl: string
  eachRedis: OwnStack['eachRedis']
  /** Starts another worker; stopped automatically. */
  startWorker(overrides?: Record<string, string>): Promise<ServiceProcess>
  /** Starts another API process; stopped automatically. */
  startApi(overrides?: Record<string, string>): Promise<ServiceProcess>
}

const processesEach = manyMachines() ? 2 : 1

/** Starts an API process for a test file; the tests start the workers. */
export function useStack(overrides: Record<string, string> = {}): Stack {
  const started: ServiceProcess[] = []
  const stack = {} as { -readonly [Name in keyof Stack]: Stack[Name] }
  let own: OwnStack

  const start = async (name: 'api' | 'worker', further: Record<string, string> = {}, count = 1) => {
    const environment = { ...own.environment, ...further }
    const services = Array.from({ length: count }, () => startService(name, environment))
    const service = await asOne(await Promise.all(services))
    started.push(service)
    return service
  }

  beforeAll(async () => {
    own = await makeOwnStack(overrides)
    const database = openDatabase(own.databaseUrl, { onError: () => undefined })
    const service = await start('api', {}, processesEach)
    Object.assign(stack, {
      api: connect(database, service),
      database,
      redisUrl: own.redisUrl,
      eachRedis: own.eachRedis,
      startWorker: (further) => start('worker', further, processesEach),
      startApi: (further) => start('api', further),
    } satisfies Stack)
  })

  afterAll(async () => {
    await Promise.all(started.map((service) => service.stop()))
    await stack.database.close()
    await own.remove()
  })

  return stack
}
