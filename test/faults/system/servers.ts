import { Redis } from 'ioredis'
import pg from 'pg'
import { migrate } from '../../../tools/migrations.ts'
import { root } from '../../../tools/run.ts'
import { makePostgres, makeRedis, type KillableServer } from './killable-server.ts'

/** The servers of the suite, with an empty, migrated database. */
export interface FaultServers {
  readonly postgres: KillableServer
  readonly redis: KillableServer
  readonly databaseUrl: string
  emptyRedis(): Promise<void>
  /** Starts the servers that a fault stopped, and empties Redis. */
  repair(): Promise<void>
  stop(): Promise<void>
}

/** The name of the database. */
export const databaseName = 'hosting_faults'

/** The data folder of a jest worker's servers. */
export const serversDirectory = `${root}.cache/faults-stack-${process.env['JEST_WORKER_ID']}`

/**
 * Starts PostgreSQL and Redis for one test file.
 *
 * @param directory - for their data.
 * @param schema - the folder with the migrations.
 */
export async function startServers(
  directory = serversDirectory,
  schema = `${root}prisma`,
): Promise<FaultServers> {
  const postgres = await makePostgres(directory)
  const redis = await makeRedis(directory)
  await remakeDatabase(postgres.url())
  const databaseUrl = postgres.url(databaseName)
  await migrate(databaseUrl, schema)
  const emptyRedis = async (): Promise<void> => {
    const client = new Redis(redis.url())
    await client.flushall()
    client.disconnect()
  }
  return {
    postgres,
    redis,
    databaseUrl,
    emptyRedis,
    async repair() {
      await Promise.all([postgres.start(), redis.start()])
      await emptyRedis()
    },
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()])
    },
  }
}

async function remakeDatabase(serverUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(`DROP DATABASE IF EXISTS ${databaseName} WITH (FORCE)`)
    await client.query(`CREATE DATABASE ${databaseName}`)
  } finally {
    await client.end()
  }
}
