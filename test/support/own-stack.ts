import { Redis } from 'ioredis'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { testEnvironment } from './environment.ts'

/** Redis databases 1 to 7 are the jest workers' own; each has a second one, for stacks. */
const stackDatabases = 8

/** A database and a Redis that no other test has touched, for tests that run workers. */
export interface OwnStack {
  /** What processes on it are started with. */
  readonly environment: Record<string, string>
  readonly redisUrl: string
  remove(): Promise<void>
}

/** Clones the migrated template, and empties a Redis database of this jest worker. */
export async function makeOwnStack(overrides: Record<string, string> = {}): Promise<OwnStack> {
  const template = new URL(process.env['TEST_TEMPLATE_URL']!)
  const name = `hosting_test_stack_${randomUUID().replaceAll('-', '')}`
  const databaseUrl = new URL(template)
  databaseUrl.pathname = `/${name}`
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template.pathname.slice(1)}`)
  const redisUrl = stackRedisUrl()
  await emptyRedis(redisUrl)
  return {
    environment: testEnvironment({
      DATABASE_URL: databaseUrl.href,
      REDIS_URL: redisUrl,
      LOG_LEVEL: 'info',
      ...overrides,
    }),
    redisUrl,
    remove: () => administer(`DROP DATABASE ${name} WITH (FORCE)`),
  }
}

/** Takes everything out of a Redis database. */
export async function emptyRedis(redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl)
  await redis.flushdb()
  await redis.quit()
}

function stackRedisUrl(): string {
  const url = new URL(testEnvironment()['REDIS_URL']!)
  url.pathname = `/${Number(url.pathname.slice(1)) + stackDatabases - 1}`
  return url.href
}

async function administer(statement: string): Promise<void> {
  const url = new URL(testEnvironment()['DATABASE_URL']!)
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
