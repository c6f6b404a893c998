import { expect, test } from '@jest/globals'
import { readSources } from './sources.ts'

/** The files of SQL that read or change `enabled` of an endpoint. All others ask is_open or is_paused. */
const files = [
  'packages/postgres/sql/matched-endpoints.sql',
  'packages/postgres/sql/queued-deliveries.sql',
  'packages/postgres/src/operators/operations-backlog.ts',
  'packages/postgres/src/webhooks/disabled-endpoints.ts',
  'packages/postgres/src/webhooks/endpoints.ts',
  'prisma/functions/follow_endpoint_state.sql',
  'prisma/functions/is_open.sql',
  'prisma/functions/is_paused.sql',
  'prisma/functions/set_disabled_reason.sql',
  'prisma/functions/start_counting.sql',
]

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|--.*$/gm, '')

test('SQL decides whether an endpoint is open or paused with is_open and is_paused, except in these files', async () => {
  const sources = await readSources(
    '{packages/postgres/{sql,src}/**/*.{sql,ts},prisma/functions/*.sql}',
  )
  const found = sources
    // Keys have a column of the same name.
    .filter(({ path }) => !path.startsWith('packages/postgres/src/api-keys/'))
    .filter(({ text }) => /\benabled\b/.test(withoutComments(text)))
  expect(found.map(({ path }) => path)).toEqual(files)
})
