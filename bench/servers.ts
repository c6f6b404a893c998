import { createHash } from 'node:crypto'
import { startTestServers } from '../test/support/servers.ts'

/** The service token that the processes under measurement take. */
export const serviceToken = 'bench-service-token'

/** The servers of a benchmark, and the environment of processes on them. */
export interface BenchServers {
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly serverSecret: Buffer
  readonly environment: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** Starts the servers that the tests use too, with a database of its own. */
export async function useBenchServers(): Promise<BenchServers> {
  const servers = await startTestServers(1)
  const [databaseUrl, redisUrl] = [servers.databaseUrls[0]!, servers.redisUrls[0]!]
  const serverSecret = Buffer.alloc(32, 3)
  return {
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
    stop: () => servers.stop(),
  }
}
