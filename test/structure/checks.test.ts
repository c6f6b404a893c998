import { describe, expect, test } from '@jest/globals'
import { readSources } from './sources.ts'

/** A declaration of a function or an arrow function whose name starts with `check`, up to its return type. */
const voidCheck =
  /\b(check[A-Z]\w*)\b(?::\s*|\??|<[^>]*>|\s*=\s*(?:async\s*)?)\((?:[^()]|\([^()]*\))*\)\s*(?::|=>)\s*(?:void|Promise<void>)(?=\s*(?:\{|=>|[\n,;]))/g

const voidChecksOf = (text: string): string[] =>
  [...text.matchAll(voidCheck)].map(([, name]) => name!)

describe('a function named check…', () => {
  test.each(['{apps,packages}/**/*.{ts,tsx}', '{bench,test,tools}/**/*.ts'])(
    'returns its result, in %s',
    async (pattern) => {
      const sources = await readSources(pattern)
      expect(sources.length).toBeGreaterThan(0)
      const found = sources.flatMap(({ path, text }) =>
        voidChecksOf(text).map((name) => `${path}: ${name}`),
      )
      expect(found).toEqual([])
    },
  )
})
