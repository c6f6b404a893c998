import { expect, test } from '@jest/globals'
import { readSources } from './sources.ts'

/** The files of SQL that read or change whether an endpoint is enabled. `isOpen` and `isPaused` are in the first one. */
const files = [
  'packages/postgres/src/webhooks/open-endpoint.ts',
  'packages/postgres/sql/publish-events.sql',
  'packages/postgres/src/operators/operations-backlog.ts',
  'packages/postgres/src/webhooks/incidents.ts',
  'packages/postgres/src/webhooks/webhook-endpoints.ts',
  'prisma/functions/follow_endpoint_state.sql',
  'prisma/functions/set_disabled_reason.sql',
  'prisma/functions/start_counting.sql',
]

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|--.*$/gm, '')

test('SQL decides whether an endpoint is open or paused with isOpen and isPaused, except in these files', async () => {
  const sources = await readSources(
    '{packages/postgres/{sql,src}/**/*.{sql,ts},prisma/functions/*.sql}',
  )
  const found = sources
    // Keys have a column of the same name.
    .filter(({ path }) => !path.startsWith('packages/postgres/src/api-keys/'))
    .filter(({ text }) => /\benabled\b/.test(withoutComments(text)))
  expect(found.map(({ path }) => path)).toEqual(files.toSorted())
})

test('open-endpoint.ts names the other files', async () => {
  const [source] = await readSources(files[0]!)
  const names = files.slice(1).map((path) => path.split('/').at(-1)!)
  expect(names.filter((name) => !source!.text.includes(name))).toEqual([])
})
