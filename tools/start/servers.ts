import { startPostgres } from '../local-stack/postgres.ts'
import { startRedis } from '../local-stack/redis.ts'
import type { RunningServer, ServerOptions } from '../local-stack/server.ts'
import { explainStore } from './failure.ts'
import type { Lifetime } from './lifetime.ts'
import { say } from './say.ts'
import { startTogether } from './together.ts'

/** The URLs of the data stores. */
export interface Servers {
  /** With the role that migrates. */
  readonly databaseUrl: string
  /** Whether the server is ours, so that the API and the worker get a separate role. */
  readonly isOwnPostgres: boolean
  /** The file with the password of our PostgreSQL. */
  readonly passwordFile?: string | undefined
  readonly redisUrl: string
}

/** Starts PostgreSQL and Redis, except those that DATABASE_URL and REDIS_URL name. */
export async function startServers(lifetime: Lifetime, directory: string): Promise<Servers> {
  const options: ServerOptions = { directory, durable: true, log: say }
  const [postgres, redis] = await startTogether(lifetime, [
    given('DATABASE_URL') ?? startPostgres(options).catch(explainStore),
    given('REDIS_URL') ?? startRedis(options).catch(explainStore),
  ])
  return {
    databaseUrl: postgres.url(),
    isOwnPostgres: !process.env['DATABASE_URL'],
    passwordFile: postgres.passwordFile,
    redisUrl: redis.url(),
  }
}

/** A server that is managed elsewhere. */
function given(variable: string): Promise<RunningServer> | undefined {
  const url = process.env[variable]
  if (!url) return undefined
  return Promise.resolve({
    url: () => url,
    stop: () => Promise.resolve(),
    ended: new Promise<never>(() => undefined),
  })
}
