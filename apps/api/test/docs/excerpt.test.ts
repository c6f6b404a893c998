import { describe, expect, test } from '@jest/globals'
import { excerptOf } from '../../src/docs/search.tsx'

const before = 'lorem ipsum '.repeat(17)
const after = ' lorem ipsum'.repeat(33)

describe('the excerpt of a result', () => {
  test('is the whole of a short text', () => {
    expect(excerptOf('A short text.', ['short'])).toBe('A short text.')
  })

  test('begins and ends with whole words around the first match', () => {
    const text = `${before}needle${after}`
    const excerpt = excerptOf(text, ['needle'])
    expect(excerpt).toMatch(
      /^… (?:lorem|ipsum) .*(?:lorem|ipsum) needle lorem .*(?:lorem|ipsum) …$/,
    )
    expect(excerpt.length).toBeLessThanOrEqual(184)
  })

  test.each([
    ['before the match', `${'x'.repeat(100)}needle${after}`],
    ['before and after the match', `${'x'.repeat(100)}needle${'x'.repeat(400)}`],
    ['after the match', `${before}needle${'x'.repeat(400)}`],
    ['before the match, at the end', `${before}${'x'.repeat(100)}needle`],
    ['around the match, without a space', `${'x'.repeat(400)}needle${'x'.repeat(400)}`],
  ])('shows a match in a long word: %s', (_where, text) => {
    expect(excerptOf(text, ['needle'])).toContain('needle')
  })

  test('shows the match at the end of a long URL', () => {
    const url = `https://panel.example.com/${'a/'.repeat(50)}needle`
    const excerpt = excerptOf(`${before}${url}${after}`, ['needle'])
    expect(excerpt).toMatch(/^… (?:a\/|\/a)[a/]+needle lorem/)
  })
})
