import { describe, expect, test } from '@jest/globals'
import { pageItemsDefault, pageItemsMax } from '@hosting/core'
import { pageDefault, pageMax } from '../../apps/cli/src/terminal/list.ts'
import { readSources } from './sources.ts'

/** A limit of a schema that is typed as a number. */
const typedLimit = /\b(?:maxLength|maxItems|maximum): ?\d[\d_]*/g

const typedLimitsOf = (text: string): string[] => [...text.matchAll(typedLimit)].map(([all]) => all)

describe('limits', () => {
  test.each([
    'apps/*/src/**/*.{ts,tsx}',
    'packages/{postgres,redis,process,html}/src/**/*.{ts,tsx}',
  ])('are imported from packages/core in %s', async (pattern) => {
    const sources = await readSources(pattern)
    expect(sources.length).toBeGreaterThan(0)
    const found = sources.flatMap(({ path, text }) =>
      typedLimitsOf(text).map((limit) => `${path}: ${limit}`),
    )
    expect(found).toEqual([])
  })

  test.each(['{ maxLength: 64 }', '{ maxItems: 1_000 }', '{ maximum:100 }'])(
    'are found in %j',
    (text) => {
      expect(typedLimitsOf(text)).toHaveLength(1)
    },
  )

  test('of pages are the same in hctl, which does not import packages/core', () => {
    expect({ pageDefault, pageMax }).toEqual({
      pageDefault: pageItemsDefault,
      pageMax: pageItemsMax,
    })
  })
})
