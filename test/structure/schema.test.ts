import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { runTool, root } from '../../tools/run.ts'
import { testEnvironment } from '../support/environment.ts'
import { writeTemporary } from '../support/temporary-file.ts'

/** What would have to be migrated for the database to be as the schema says. */
const driftTo = (schemaFile: string): string =>
  runTool(
    'prisma',
    ['migrate', 'diff', '--from-config-datasource', '--to-schema', schemaFile, '--script'],
    { DATABASE_URL: testEnvironment()['DATABASE_URL'] },
  )

test('the migrations make exactly what schema.prisma says', () => {
  expect(driftTo('prisma/schema.prisma')).toContain('This is an empty migration')
})

test('a difference is found', () => {
  const schema = readFileSync(`${root}prisma/schema.prisma`, 'utf8')
  const changed = writeTemporary('schema.prisma', schema.replace('"redelivery_of"', '"copy_of"'))
  expect(driftTo(changed)).toContain('copy_of')
})

test('no time is filled in by the Prisma client, whose clock may be wrong', () => {
  const schema = readFileSync(`${root}prisma/schema.prisma`, 'utf8')
  expect(schema.match(/^.*(@default\(now\(\)\)|@updatedAt).*$/gm)).toBeNull()
})
