import { describe, expect, test } from '@jest/globals'
import { readSources } from './sources.ts'

/** A declaration of a function or an arrow function whose name starts with `check`, up to its return type. */
const voidCheck =
  /\b(check[A-Z]\w*)\b(?::\s*|\??|<[^>]*>|\s*=\s*(?:async\s*)?)\((?:[^()]|\([^()]*\))*\)\s*(?::|=>)\s*(?:void|Promise<void>)(?=\s*(?:\{|=>|[\n,;]))/g

const voidChecksOf = (text: string): string[] =>
  [...text.matchAll(voidCheck)].map(([, name]) => name!)

describe('a function named check…', () => {
  test.each(['{apps,packages}/**/*.{ts,tsx}', '{bench,test,tools}/**/*.ts'])(
    'returns what it found, in %s',
    async (pattern) => {
      const sources = await readSources(pattern)
      expect(sources.length).toBeGreaterThan(0)
      const found = sources
        .filter(({ path }) => path !== 'test/structure/checks.test.ts')
        .flatMap(({ path, text }) => voidChecksOf(text).map((name) => `${path}: ${name}`))
      expect(found).toEqual([])
    },
  )

  test.each([
    'function checkKey(key: Key): void {',
    'async function checkKey(\n  find: () => Key,\n  key: Key,\n): Promise<void> {',
    'const checkKey = async (): Promise<void> => {',
    'const checkKey = (key: Key): void => require(key)',
    '  checkKey?(request: Request<Key>, services: Services): Promise<void>\n',
    '  checkKey: () => Promise<void>\n',
  ])('is found in %j', (text) => {
    expect(voidChecksOf(text)).toEqual(['checkKey'])
  })

  test.each([
    'function checkKey(key: Key): Problem | undefined {',
    'async function checkKey(key: Key): Promise<Problem | undefined> {',
    'function requireKey(key: Key): void {',
    'const checked = (key: Key): void => {',
  ])('is accepted in %j', (text) => {
    expect(voidChecksOf(text)).toEqual([])
  })
})
