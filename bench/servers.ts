import { Redis } from 'ioredis'
import { createHash } from 'node:crypto'
import pg from 'pg'
import { startTestServers } from '../test/support/servers.ts'
import type { BenchmarkResult } from './results.ts'

/** The service token that the measured processes accept. */
export const serviceToken = 'bench-service-token'

/** A separate database and Redis, and the environment of processes that use them. */
export interface BenchSystem {
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly serverSecret: Buffer
  readonly environment: Readonly<Record<string, string>>
}

/** The servers of a benchmark: the first system, or several separate ones. */
export interface BenchServers extends BenchSystem {
  readonly systems: readonly BenchSystem[]
  /** Version and settings of the servers, as they report them. */
  readonly facts: BenchmarkResult['servers']
  stop(): Promise<void>
}

/**
 * Starts the same kinds of servers as the tests.
 *
 * @param options - `durable`: whether commits are written to the disk, as in production; `systems`: the number of
 *   databases.
 */
export async function useBenchServers({
  durable = false,
  systems: count = 1,
} = {}): Promise<BenchServers> {
  const servers = await startTestServers(count, { durable })
  const systems = servers.databaseUrls.map((databaseUrl, index) =>
    toSystem(databaseUrl, servers.redisUrls[index]!),
  )
  const facts = {
    PostgreSQL: await askPostgres(systems[0]!.databaseUrl),
    Redis: await askRedis(systems[0]!.redisUrl),
  }
  return { ...systems[0]!, systems, facts, stop: () => servers.stop() }
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

type Facts = Readonly<Record<string, string>>

/** Whether commits are written to the disk, and the memory settings. */
const postgresSettings = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers']

async function askPostgres(connectionString: string): Promise<Facts> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query<{ name: string; value: string }>(
    'SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name',
    [['server_version', ...postgresSettings]],
  )
  await client.end()
  const { server_version: version, ...settings } = Object.fromEntries(
    rows.map(({ name, value }) => [name, value]),
  )
  return { version: version!.split(' ')[0]!, ...settings }
}

async function askRedis(url: string): Promise<Facts> {
  const redis = new Redis(url)
  const version = /redis_version:(\S+)/.exec(await redis.info('server'))![1]!
  const appendonly = await redisSetting(redis, 'appendonly')
  const appendfsync = await redisSetting(redis, 'appendfsync')
  redis.disconnect()
  return { version, appendonly, appendfsync }
}

async function redisSetting(redis: Redis, name: string): Promise<string> {
  const [, value] = (await redis.config('GET', name)) as [string, string]
  return value
}
