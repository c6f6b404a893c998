import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { readSources, type Source } from './sources.ts'

const folders = [
  '*.{md,ts}',
  '{docs,deploy}/**/*.{md,yml,yaml,json,ts}',
  '{Dockerfile,docker-compose.yml,.ci/run,prisma/schema.prisma}',
  '{apps,packages}/**/*.{ts,tsx,css,js}',
  'test/**/*.{ts,go,php,py,rb}',
  '{bench,tools}/**/*.ts',
]

/** The glossary names the retired words, and this test has examples. */
const exempt = new Set(['docs/glossary.md', 'test/structure/glossary.test.ts'])

/** `--grace` is a public option of hctl, which the commands name. */
const isOption = (path: string, word: string): boolean =>
  word === 'grace' && /^apps\/cli\/src\/.*\/commands\.ts$/.test(path)

/** Public names that contain a retired word: of the API's field, of Kubernetes and of the database's table. */
const publicNames = new Set([
  'graceSeconds',
  'terminationGracePeriodSeconds',
  'deviceRequest',
  'DeviceRequest',
  'DeviceRequestStatus',
])
const publicPaths = /^packages\/postgres\/(?:.+\/)?device-requests\.(test\.)?ts$/

/** The words in the first column of the table "Retired words". */
function readRetiredWords(): string[] {
  const glossary = readFileSync(`${root}docs/glossary.md`, 'utf8')
  const section = /^## Retired words$([^]*?)^## /m.exec(glossary)![1]!
  return [...section.matchAll(/^\| (`[^|]+)\|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, word]) => word!),
  )
}

const words = readRetiredWords()
const retired = new RegExp(
  String.raw`(?<![\w-])(?:${words.map((word) => word.replaceAll(' ', String.raw`\s+`)).join('|')})(?![\w-])`,
  'gi',
)

const retiredWordsOf = ({ path, text }: Source): string[] =>
  [...text.matchAll(retired)]
    .filter(([word]) => !isOption(path, word))
    .map(({ 0: word, index }) => {
      const line = text.slice(0, index).split('\n').length
      return `${path}:${line}: ${word.replaceAll(/\s+/g, ' ')}`
    })

/** Identifiers in camel case with a retired word, for example `lastAnswer`. */
const retiredIdentifiersOf = ({ path, text }: Source): string[] =>
  [...new Set(text.match(/\b[a-zA-Z]*[a-z][A-Z][a-zA-Z]*\b/g))]
    .filter((name) => !publicNames.has(name))
    .filter((name) => name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').match(retired))
    .map((name) => `${path}: ${name}`)

const hasRetiredName = (path: string): boolean =>
  !publicPaths.test(path) &&
  path.split('/').some((part) => part.replaceAll(/[-._]/g, ' ').match(retired) !== null)

describe('retired words of docs/glossary.md', () => {
  test('are read from its table', () => {
    expect(words).toContain('anew')
    expect(words.length).toBeGreaterThan(40)
  })

  test.each(folders)('are not used in %s', async (pattern) => {
    const sources = (await readSources(pattern)).filter(({ path }) => !exempt.has(path))
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.flatMap(retiredWordsOf)).toEqual([])
    expect(sources.flatMap(retiredIdentifiersOf)).toEqual([])
    expect(sources.map(({ path }) => path).filter(hasRetiredName)).toEqual([])
  })

  test.each(['Start anew.', 'At most so\nmany', 'ANSWERED', 'the secret so far'])(
    'are detected in %j',
    (text) => {
      expect(retiredWordsOf({ path: 'README.md', text })).toHaveLength(1)
    },
  )

  test.each(['grace_seconds', 'graceful', 'a standalone package', 'commend'])(
    'are not detected in %j',
    (text) => {
      expect(retiredWordsOf({ path: 'README.md', text })).toEqual([])
    },
  )

  test.each(['lastAnswer', 'answerToNew', 'isInHand', 'toDeviceRequestRecord'])(
    'are detected in the identifier %s',
    (text) => {
      expect(retiredIdentifiersOf({ path: 'start.ts', text })).toEqual([`start.ts: ${text}`])
    },
  )

  test('are detected in the names of files and folders', () => {
    expect(hasRetiredName('test/support/answer-schemas.ts')).toBe(true)
    expect(hasRetiredName('apps/api/src/judge/start.ts')).toBe(true)
    expect(hasRetiredName('packages/core/src/api-keys/verify-key.ts')).toBe(false)
  })
})
