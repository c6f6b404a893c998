import { describe, expect, test } from '@jest/globals'
import { existsSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { checkLink, linksOf } from './markdown.ts'
import { readSources, type Source } from './sources.ts'

const documents = await readSources(
  '{*.md,{apps,bench,clients,deploy,docs,examples,packages,test,tools}/**/*.md}',
)

const brokenLinksOf = ({ path, text }: Source): string[] =>
  linksOf(text).flatMap((target) => checkLink(path, target) ?? [])

/** Files of the repository that a document names in backticks. */
const pathPattern =
  /`((?:apps|bench|clients|deploy|docs|packages|prisma|test|tools)\/[\w./-]+\.(?:css|json|md|sql|ts|tsx|yaml|yml))`/g

const missingPathsOf = ({ path, text }: Source): string[] =>
  [...text.matchAll(pathPattern)]
    .map(([, file]) => file!)
    .filter((file) => !existsSync(root + file))
    .map((file) => `${path} names ${file}`)

describe('documents', () => {
  test('every link leads to an existing file and heading', () => {
    expect(documents.flatMap(({ text }) => linksOf(text)).length).toBeGreaterThan(280)
    expect(documents.flatMap(brokenLinksOf)).toEqual([])
  })

  test('every file that is named exists', () => {
    expect(documents.flatMap(missingPathsOf)).toEqual([])
  })
})

describe('docs/specification/index.md', () => {
  const pages = documents.filter(({ path }) => path.startsWith('docs/specification/'))
  const index = pages.find(({ path }) => path.endsWith('/index.md'))!.text

  test('names a section and a file for each rule', () => {
    const rows = index.split('\n').filter((line) => /^\| .* `[^`]+` +\|$/.test(line))
    expect(rows.length).toBeGreaterThan(33)
    expect(rows.filter((row) => linksOf(row).length === 0)).toEqual([])
  })

  test('links to every page', () => {
    const names = pages.map(({ path }) => path.split('/').at(-1)!)
    expect(names.filter((name) => name !== 'index.md' && !index.includes(`](${name})`))).toEqual([])
  })
})
