import { expect } from '@jest/globals'
import type { Stack } from './stack.ts'

/** Every row of every table as text, and binary columns also as Latin-1. */
export async function dumpPostgres({ database }: Stack): Promise<string> {
  const { pool } = database
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )
  expect(tables.length).toBeGreaterThan(20)
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string; values: Record<string, unknown> }>(
      `SELECT t::text AS row, to_jsonb(t) AS values FROM ${name} t`,
    )
    for (const { row, values } of rows) {
      texts.push(name, row)
      const bytes = Object.values(values).filter(isHex)
      texts.push(...bytes.map((hex) => Buffer.from(hex.slice(2), 'hex').toString('latin1')))
    }
  }
  return texts.join('\n')
}

/** Binary data as PostgreSQL writes it in JSON. */
const isHex = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith('\\x')

/** Every key of Redis with its value, of any type. */
export async function dumpRedis(stack: Stack): Promise<string> {
  const texts: unknown[] = []
  await stack.eachRedis(async (redis) => {
    const readers: Record<string, (key: string) => Promise<unknown>> = {
      string: (key) => redis.get(key),
      hash: (key) => redis.hgetall(key),
      list: (key) => redis.lrange(key, 0, -1),
      set: (key) => redis.smembers(key),
      zset: (key) => redis.zrange(key, '0', '-1'),
      stream: (key) => redis.xrange(key, '-', '+'),
    }
    for await (const keys of redis.scanStream({ count: 1_000 })) {
      for (const key of keys as string[]) {
        const type = await redis.type(key)
        if (type !== 'none') texts.push(key, await readers[type]!(key))
      }
    }
  })
  return JSON.stringify(texts)
}
