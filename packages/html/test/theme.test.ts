import { describe, expect, test } from '@jest/globals'
import { findTheme, withTheme } from '../src/theme.ts'

test.each([
  [undefined, undefined],
  ['', undefined],
  ['theme=dark', 'dark'],
  ['session=x; theme=light', 'light'],
  ['theme=blue', undefined],
  ['theme="><script>', undefined],
  ['mytheme=dark', undefined],
  ['theme=darker', undefined],
])('the theme of the cookies %j is %s', (header, theme) => {
  expect(findTheme(header)).toBe(theme)
})

describe('a rendered page', () => {
  const page = Buffer.from(
    '<!doctype html><html lang="en"><head><title>A &lt;html> page</title></head><body>é</body></html>',
  )

  test('has the theme on its root element only', () => {
    const marked = withTheme(page, 'dark').toString()
    expect(marked).toMatch(/^<!doctype html><html data-theme="dark" lang="en"/)
    expect(marked.replace(' data-theme="dark"', '')).toBe(page.toString())
  })

  test('is unchanged without a theme', () => {
    expect(withTheme(page, undefined)).toBe(page)
  })
})
