import { openDatabase, type Database } from '@hosting/postgres'
import { afterAll, beforeAll } from '@jest/globals'
import { connect, type TestApi } from './api.ts'
import { makeOwnStack, type OwnStack } from './own-stack.ts'
import { startService, type ServiceProcess } from './processes.ts'

export { until } from './until.ts'

/** A real API process and worker processes on a database and a Redis of their own. */
export interface Stack {
  readonly api: TestApi
  readonly database: Database
  readonly redisUrl: string
  /** Starts a further worker; the test need not stop it. */
  startWorker(overrides?: Record<string, string>): Promise<ServiceProcess>
  /** Starts a further API process; the test need not stop it. */
  startApi(overrides?: Record<string, string>): Promise<ServiceProcess>
}

/** Starts an API process for a test file; workers are started by its tests. */
export function useStack(overrides: Record<string, string> = {}): Stack {
  const started: ServiceProcess[] = []
  const stack = {} as { -readonly [Name in keyof Stack]: Stack[Name] }
  let own: OwnStack

  const start = async (name: 'api' | 'worker', further: Record<string, string> = {}) => {
    const service = await startService(name, { ...own.environment, ...further })
    started.push(service)
    return service
  }

  beforeAll(async () => {
    own = await makeOwnStack(overrides)
    const database = openDatabase(own.environment['DATABASE_URL']!, { onError: () => undefined })
    const service = await start('api')
    Object.assign(stack, {
      api: connect(database, service),
      database,
      redisUrl: own.redisUrl,
      startWorker: (further) => start('worker', further),
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
