import pg from 'pg'
import { AlreadyRunning } from '../../tools/local-stack/owner.ts'
import { startPostgres } from '../../tools/local-stack/postgres.ts'
import { startRedis } from '../../tools/local-stack/redis.ts'
import type { RunningServer, ServerOptions } from '../../tools/local-stack/server.ts'
import { migrate } from '../../tools/migrations.ts'
import { root } from '../../tools/run.ts'
import { hostileStatements, testsAreHostile } from './hostile-database.ts'

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
  const name = durable ? 'durable-stack' : 'test-stack'
  const start = (run: (options: ServerOptions) => Promise<RunningServer>) =>
    startInFreeFolder(name, (directory) => run({ directory, durable }))
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
  const postgres = databaseUrl ? given(databaseUrl) : await start(startPostgres)
  const redis = redisUrl ? given(redisUrl) : await start(startRedis)
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

/** Several test runs of a checkout may run at the same time: each starts servers in a folder of its own. */
async function startInFreeFolder(
  name: string,
  start: (directory: string) => Promise<RunningServer>,
): Promise<RunningServer> {
  for (let run = 1; ; run++) {
    try {
      return await start(`${root}.cache/${run === 1 ? name : `${name}-${run}`}`)
    } catch (error) {
      if (!(error instanceof AlreadyRunning)) throw error
    }
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
  await administer(urlOf, (client) => createDatabase(client, template))
  await migrate(urlOf(template))
  await administer(urlOf, async (client) => {
    for (const database of databases) {
      await createDatabase(client, database, `TEMPLATE ${template}`)
    }
  })
  return { template, databases }
}

async function createDatabase(client: pg.Client, name: string, template = ''): Promise<void> {
  await client.query(`CREATE DATABASE ${name} ${template}`)
  if (testsAreHostile()) await client.query(hostileStatements(`DATABASE ${name}`))
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
