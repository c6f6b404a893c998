import { describe, expect, test } from '@jest/globals'
import { checkLink } from './markdown.ts'
import { readSources, type Source } from './sources.ts'

const sources = (
  await readSources(
    '{{apps,bench,packages,test,tools}/**/*.{sql,ts,tsx},prisma/{functions/*.sql,schema.prisma}}',
  )
).filter(({ path }) => path !== 'test/structure/citations.test.ts')

/** Documents that a source cites: a page of docs, or a heading of a page beside the code. */
const citation =
  /(?<![\w/.-])(?:docs\/[\w./-]*\.md(?:#[\w-]+)?|(?:apps|clients|deploy|packages|test)\/[\w/-]+\.md#[\w-]+)/g

/** Citations that lead nowhere: a document outside the repository, or a section by its number or title. */
const deadCitation =
  /§|\bcontract\b|\bspecification\b[,:]?\s+(?:\*\s+)?(?:["“'§]|section|rule|Scopes\b)|\bScopes rule\b/gi

const citationsOf = ({ text }: Source): string[] => text.match(citation) ?? []

const brokenCitationsOf = (source: Source): string[] =>
  citationsOf(source).flatMap((target) => {
    const problem = checkLink('', target)
    return problem === undefined ? [] : `${source.path}${problem}`
  })

const deadCitationsOf = ({ path, text }: Source): string[] =>
  [...text.matchAll(deadCitation)].map(({ 0: words, index }) => {
    const line = text.slice(0, index).split('\n').length
    return `${path}:${line}: ${words}`
  })

describe('citations in the code', () => {
  test('lead to an existing file and heading of the repository', () => {
    expect(sources.flatMap(citationsOf).length).toBeGreaterThan(60)
    expect(sources.flatMap(brokenCitationsOf)).toEqual([])
  })

  test('name no document outside the repository, and no section without its file', () => {
    expect(sources.flatMap(deadCitationsOf)).toEqual([])
  })
})
