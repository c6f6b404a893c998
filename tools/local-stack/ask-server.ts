import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { Client } from 'pg'

/** How the tests access a server of one kind from outside. */
export type Asker = {
  write: (url: string, value: string) => Promise<unknown>
  read: (url: string) => Promise<unknown>
  pid: (url: string) => Promise<number>
  pidFile: (folder: string) => Promise<string>
  /** Makes the next start fail, with `complaint` in the log. */
  spoil: (folder: string) => Promise<void>
  complaint: RegExp
}

export const askPostgres: Asker = {
  write: (url, value) =>
    query(url, `drop table if exists note; create table note as select '${value}' as value`),
  read: (url) => query(url, 'select value from note'),
  pid: async (url) =>
    Number.parseInt(await query(url, `select pg_read_file('postmaster.pid')`), 10),
  pidFile: async (folder) => join(await postgresData(folder), 'postmaster.pid'),
  spoil: async (folder) =>
    appendFile(join(await postgresData(folder), 'postgresql.conf'), 'nonsense = on\n'),
  complaint: /PostgreSQL did not start[^]*parameter "nonsense"/,
}

export const askRedis: Asker = {
  write: (url, value) => withRedis(url, (redis) => redis.set('note', value)),
  read: (url) => withRedis(url, (redis) => redis.get('note')),
  pid: async (url) => {
    const about = await withRedis(url, (redis) => redis.info('server'))
    return Number(/process_id:(\d+)/.exec(about)?.[1])
  },
  pidFile: async (folder) => join(folder, 'redis/redis.pid'),
  spoil: (folder) =>
    appendFile(join(folder, 'redis/appendonlydir/appendonly.aof.manifest'), 'nonsense\n'),
  complaint: /Redis did not start[^]*nonsense/,
}

async function postgresData(folder: string): Promise<string> {
  const names = await readdir(folder)
  return join(
    folder,
    names.find((name) => /^postgres-\d+$/.test(name))!,
  )
}

/** The first value of the first row. */
async function query(url: string, sql: string): Promise<string> {
  const client = new Client({ connectionString: url, ssl: false })
  // The tests kill servers, so broken connections are expected.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows?.[0]?.[0]
  } finally {
    await client.end()
  }
}

async function withRedis<T>(url: string, ask: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null })
  let reported: unknown
  redis.on('error', (error: unknown) => (reported = error))
  try {
    await redis.connect()
    return await ask(redis)
  } catch (error) {
    // The call itself only reports that the connection is closed.
    throw reported ?? error
  } finally {
    if (redis.status !== 'end') redis.disconnect()
  }
}
