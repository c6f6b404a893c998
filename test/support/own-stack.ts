import { sessionConfigOf } from '@hosting/postgres/database'
import { Cluster, Redis } from 'ioredis'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { testEnvironment } from './environment.ts'
import { hostileStatements, testsAreHostile } from './hostile-database.ts'
import { manyMachines, throughPooler } from './topology.ts'

/** Redis databases 1 to 7 belong to the jest workers; each worker has a second one for stacks. */
const stackDatabases = 8

/** A database and a Redis that no other test uses, for tests that run workers. */
export interface OwnStack {
  /** The environment of processes that use it. */
  readonly environment: Record<string, string>
  /** Bypasses the pooler. */
  readonly databaseUrl: string
  /** Of one of its nodes. */
  readonly redisUrl: string
  /** Runs a function on the Redis database, or on each master of a cluster. */
  eachRedis(work: (redis: Redis) => Promise<unknown>): Promise<void>
  remove(): Promise<void>
}

/** Clones the migrated template, and empties a Redis database of this jest worker. */
export async function makeOwnStack(overrides: Record<string, string> = {}): Promise<OwnStack> {
  const template = new URL(process.env['TEST_TEMPLATE_URL']!)
  const name = `hosting_test_stack_${randomUUID().replaceAll('-', '')}`
  const databaseUrl = new URL(template)
  databaseUrl.pathname = `/${name}`
  await administerServer(`CREATE DATABASE ${name} TEMPLATE ${template.pathname.slice(1)}`)
  const servers = serversOf(databaseUrl.href)
  const eachRedis: OwnStack['eachRedis'] = (work) => eachRedisOf(servers, work)
  await eachRedis((redis) => redis.flushdb())
  if (testsAreHostile()) await administerServer(hostileStatements(`DATABASE ${name}`))
  if (manyMachines()) await administerServer(`ALTER DATABASE ${name} SET timezone TO 'UTC'`)
  return {
    environment: testEnvironment({ ...servers, LOG_LEVEL: 'info', ...overrides }),
    databaseUrl: databaseUrl.href,
    redisUrl: servers.REDIS_URL.split(',')[0]!,
    eachRedis,
    remove: () => administerServer(`DROP DATABASE ${name} WITH (FORCE)`),
  }
}

type ServerSettings = Readonly<Record<string, string>> & { readonly REDIS_URL: string }

function serversOf(databaseUrl: string): ServerSettings {
  const many = manyMachines()
  if (!many) return { DATABASE_URL: databaseUrl, REDIS_URL: stackRedisUrl() }
  return {
    DATABASE_URL: throughPooler(databaseUrl, many),
    DATABASE_DIRECT_URL: databaseUrl,
    ...(many.redis as ServerSettings),
  }
}

/** Empties a Redis database. */
export const emptyRedis = (redisUrl: string): Promise<void> =>
  eachRedisOf({ REDIS_URL: redisUrl }, (redis) => redis.flushdb())

/** Runs a function on the Redis database, or on each master of a cluster. */
async function eachRedisOf(
  { REDIS_URL, REDIS_MODE }: ServerSettings,
  work: (redis: Redis) => Promise<unknown>,
): Promise<void> {
  if (REDIS_MODE !== 'cluster') {
    const redis = new Redis(REDIS_URL)
    await work(redis)
    redis.disconnect()
    return
  }
  const [first] = REDIS_URL.split(',').map((node) => new URL(node)) as [URL]
  const cluster = new Cluster([{ host: first.hostname, port: Number(first.port) }], {
    redisOptions: { password: first.password },
  })
  // The client does not know the cluster's nodes before it is ready.
  await cluster.get('any key')
  for (const node of cluster.nodes('master')) await work(node)
  cluster.disconnect()
}

function stackRedisUrl(): string {
  const url = new URL(testEnvironment()['REDIS_URL']!)
  url.pathname = `/${Number(url.pathname.slice(1)) + stackDatabases - 1}`
  return url.href
}

/** An own stack whose database has PostgreSQL's own defaults, for tests that connect through a pooler. */
export async function makePooledStack(): Promise<OwnStack> {
  const stack = await makeOwnStack()
  await resetDefaults(stack.databaseUrl)
  return stack
}

/** Gives a database PostgreSQL's own defaults. A pooler must be started or restarted after. */
export async function resetDefaults(databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1)
  await administerServer(
    `ALTER DATABASE "${name}" RESET ALL; ALTER DATABASE "${name}" SET timezone TO 'UTC'`,
  )
}

/** Runs a statement as the server's owner, for example one that affects whole databases. */
export async function administerServer(
  statement: string,
  databaseUrl = testEnvironment()['DATABASE_URL']!,
): Promise<void> {
  const client = new pg.Client(sessionConfigOf(databaseUrl))
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
