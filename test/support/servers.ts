import pg from 'pg'
import { startPostgres } from '../../tools/local-stack/postgres.ts'
import { startRedis } from '../../tools/local-stack/redis.ts'
import { migrate } from '../../tools/migrations.ts'
import { root } from '../../tools/run.ts'

/** The servers of a test run, with a database per jest worker. */
export interface TestServers {
  /** By jest worker, from 1. */
  readonly databaseUrls: readonly string[]
  readonly redisUrls: readonly string[]
  /** A migrated database without rows, used as a template. */
  readonly templateUrl: string
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL and Redis for tests, or uses those of DATABASE_URL and REDIS_URL, and creates a
 * migrated database per jest worker.
 */
export async function startTestServers(
  workers: number,
  { durable = false } = {},
): Promise<TestServers> {
  const directory = `${root}.cache/${durable ? 'durable' : 'test'}-stack`
  const postgres = process.env['DATABASE_URL']
    ? given(process.env['DATABASE_URL'])
    : await startPostgres({ directory, durable })
  const redis = process.env['REDIS_URL']
    ? given(process.env['REDIS_URL'])
    : await startRedis({ directory, durable })
  const { template, databases } = await makeDatabases(postgres.url, workers)
  return {
    databaseUrls: databases.map(postgres.url),
    redisUrls: databases.map((_, index) => redis.url(String(index + 1))),
    templateUrl: postgres.url(template),
    async stop() {
      await administer(postgres.url, (client) => dropDatabases(client, [...databases, template]))
      await Promise.all([postgres.stop(), redis.stop()])
    },
  }
}

const given = (serverUrl: string) => ({
  url(database?: string): string {
    const url = new URL(serverUrl)
    if (database !== undefined) url.pathname = `/${database}`
    return url.href
  },
  stop: () => Promise.resolve(),
})

type UrlOf = (database?: string) => string

async function makeDatabases(
  urlOf: UrlOf,
  workers: number,
): Promise<{ template: string; databases: string[] }> {
  const run = `hosting_test_${process.pid}`
  const template = `${run}_template`
  const databases = Array.from({ length: workers }, (_, index) => `${run}_${index + 1}`)
  await administer(urlOf, (client) => client.query(`CREATE DATABASE ${template}`))
  await migrate(urlOf(template))
  await administer(urlOf, async (client) => {
    for (const database of databases) {
      await client.query(`CREATE DATABASE ${database} TEMPLATE ${template}`)
    }
  })
  return { template, databases }
}

async function dropDatabases(client: pg.Client, databases: readonly string[]): Promise<void> {
  for (const database of databases) {
    await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
  }
}

async function administer(
  urlOf: UrlOf,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf() })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
