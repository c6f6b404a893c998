import { sessionConfigOf } from '@hosting/postgres/database'
import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { readFunctions } from '../../tools/functions.ts'
import { runTool, root } from '../../tools/run.ts'
import { testEnvironment } from '../support/environment.ts'
import { readSources } from './sources.ts'

/** The migration that is missing between the database and the schema. */
const driftTo = (schemaFile: string): string =>
  runTool(
    'prisma',
    ['migrate', 'diff', '--from-config-datasource', '--to-schema', schemaFile, '--script'],
    { DATABASE_URL: testEnvironment()['DATABASE_URL'] },
  )

test('the migrations create exactly the schema of schema.prisma', () => {
  expect(driftTo('prisma/schema.prisma')).toContain('This is an empty migration')
})

test('the functions of the database are those of prisma/functions, each with one signature', async () => {
  const client = new pg.Client(sessionConfigOf(testEnvironment()['DATABASE_URL']!))
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY proname COLLATE "C"`,
  )
  await client.end()
  const files = readFunctions(`${root}prisma/functions`).map(({ name }) => name)
  expect(rows.map(({ name }) => name)).toEqual(files)
})

test('the Prisma client sets no timestamps, because its clock may be wrong', async () => {
  const schema = readFileSync(`${root}prisma/schema.prisma`, 'utf8')
  const models = [...schema.matchAll(/^model (\w+) \{(.*?)^\}/gms)]
  const filledIn = models.filter(([, , fields]) => /@default\(now\(\)\)|@updatedAt/.test(fields!))
  const names = filledIn.map(([, name]) => name![0]!.toLowerCase() + name!.slice(1))
  const writes = new RegExp(`\\.(${names.join('|')})\\.(create|update|upsert)`)
  const sources = await readSources('{apps,packages}/*/src/**/*.ts')
  expect(models.length).toBeGreaterThan(20)
  expect(sources.filter(({ text }) => writes.test(text)).map(({ path }) => path)).toEqual([])
})
