import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { readSources, type Source } from './sources.ts'

/** The revised folders. Add a folder of the code once it is free of retired words. */
const revised = [
  '{*.md,{docs,deploy}/**/*.{md,yml,yaml}}',
  '{Dockerfile,docker-compose.yml}',
  'packages/core/**/*.ts',
  'packages/html/**/*.{ts,tsx,css}',
  'test/{deploy,guide,many}/**/*.{ts,go,php,py,rb}',
  '{.ci/run,jest.config.ts}',
  'apps/api/src/{*.ts,{docs,gate,internal,listening,openapi,panel,passwords,records,routes,use-cases}/**/*.{ts,tsx}}',
  'apps/worker/**/*.{ts,tsx}',
  'packages/redis/**/*.ts',
  'packages/{postgres,process,sdk}/**/*.ts',
  '{bench,tools}/**/*.ts',
  'test/{chaos,end-to-end,fuzz,image,panel,support}/**/*.ts',
]

/** The glossary names the retired words. The others are not revised yet; docs/problems.md is made from packages/core/src/problems.ts. */
const exempt = /^docs\/(glossary|performance|problems|scaling)\b/

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
  [...text.matchAll(retired)].map(({ 0: word, index }) => {
    const line = text.slice(0, index).split('\n').length
    return `${path}:${line}: ${word.replaceAll(/\s+/g, ' ')}`
  })

describe('retired words of docs/glossary.md', () => {
  test('are read from its table', () => {
    expect(words).toContain('anew')
    expect(words.length).toBeGreaterThan(40)
  })

  test.each(revised)('are not used in %s', async (pattern) => {
    const sources = (await readSources(pattern)).filter(({ path }) => !exempt.test(path))
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.flatMap(retiredWordsOf)).toEqual([])
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
})
