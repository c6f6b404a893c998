import { createHash } from 'node:crypto'
import { startTestServers } from '../test/support/servers.ts'

/** The service token that the processes under measurement take. */
export const serviceToken = 'bench-service-token'

/** A database and a Redis of their own, and the environment of processes on them. */
export interface BenchSystem {
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly serverSecret: Buffer
  readonly environment: Readonly<Record<string, string>>
}

/** The servers of a benchmark: the first system, or several apart. */
export interface BenchServers extends BenchSystem {
  readonly systems: readonly BenchSystem[]
  stop(): Promise<void>
}

/**
 * Starts the servers that the tests use too.
 *
 * @param options - `durable`: whether what is committed is on the disk, as in production; `systems`: how
 *   many databases there are.
 */
export async function useBenchServers({
  durable = false,
  systems: count = 1,
} = {}): Promise<BenchServers> {
  const servers = await startTestServers(count, { durable })
  const systems = servers.databaseUrls.map((databaseUrl, index) =>
    toSystem(databaseUrl, servers.redisUrls[index]!),
  )
  return { ...systems[0]!, systems, stop: () => servers.stop() }
}

const serverSecret = Buffer.alloc(32, 3)

const toSystem = (databaseUrl: string, redisUrl: string): BenchSystem => ({
  databaseUrl,
  redisUrl,
  serverSecret,
  environment: {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    HOST: '127.0.0.1',
    PORT: '0',
    INTERNAL_PORT: '0',
    LOG_LEVEL: 'info',
    INTERNAL_TOKENS: createHash('sha256').update(serviceToken).digest('hex'),
    SERVER_SECRET: serverSecret.toString('base64'),
    SECRETS_KEYRING: `bench:${Buffer.alloc(32, 5).toString('base64')}`,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  },
})
