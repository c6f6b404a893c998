import { expect, test } from '@jest/globals'
import { readSources } from './sources.ts'

const sources = await readSources('{packages,apps}/*/src/**/*.ts')
const files = await readSources('packages/postgres/sql/*.sql')

/** The lines of a file on which a literal that spans lines has a numbered parameter. */
function numberedParameters(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`/g, ''))
    .filter((line) => /\$\d/.test(line))
}

test('a statement of several lines has named parameters', () => {
  const found = sources.flatMap(({ path, text }) =>
    numberedParameters(text).map((line) => `${path}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})

/** The lines of the longest template literal of a file. */
const longestLiteral = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`[^`]*`/g)].map(([all]) => all.split('\n').length))

test('a statement that is longer than a screen is a file of packages/postgres/sql', () => {
  const long = sources.filter(
    ({ path, text }) => path.startsWith('packages/postgres/') && longestLiteral(text) > 60,
  )
  expect(long.map(({ path }) => path)).toEqual([])
})

test('the heading of each file of packages/postgres/sql says what it takes, gives and locks', () => {
  expect(files.length).toBeGreaterThan(3)
  const lacking = files.flatMap(({ path, text }) =>
    ['Takes', 'Gives', 'Locks']
      .filter((word) => !text.split('\n\n')[0]!.includes(`\n-- ${word}: `))
      .map((word) => `${path}: ${word}`),
  )
  expect(lacking).toEqual([])
  expect(files.filter(({ text }) => /\$\d/.test(text)).map(({ path }) => path)).toEqual([])
})

test('only defined statements assemble their text', () => {
  const found = sources.filter(({ text }) => /\$(query|execute)RawUnsafe/.test(text))
  expect(found.map(({ path }) => path)).toEqual(['packages/postgres/src/database/statement.ts'])
})

/** A row with one column, or of which only the number counts. */
const simpleRow = /^(unknown|\{ \w+: [\w| ]+ \})(\[\])?$/

test('the rows of statements that are not defined have at most one column', () => {
  const found = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:\.query|queryRaw)<(.+?)>\(?[`(]/g)]
      .map(([, row]) => row!)
      .filter((row) => !simpleRow.test(row))
      .map((row) => `${path}: ${row}`),
  )
  expect(found).toEqual([])
})

test('every defined statement has a doc comment', () => {
  const found = sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index, lines) =>
        /^(export )?const \w+ = define(Hot|Partition|Day)?Statement\(/.test(line) &&
        !lines[index - 1]!.endsWith('*/')
          ? [`${path}: ${line}`]
          : [],
      ),
  )
  expect(found).toEqual([])
})
