import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { runTool, root } from '../../tools/run.ts'
import { testEnvironment } from '../support/environment.ts'
import { writeTemporary } from '../support/temporary-file.ts'
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

test('a difference is detected', () => {
  const schema = readFileSync(`${root}prisma/schema.prisma`, 'utf8')
  const changed = writeTemporary('schema.prisma', schema.replace('"redelivery_of"', '"copy_of"'))
  expect(driftTo(changed)).toContain('copy_of')
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
