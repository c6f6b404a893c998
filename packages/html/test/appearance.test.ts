import { describe, expect, test } from '@jest/globals'
import { findAppearance, withAppearance } from '../src/appearance.ts'

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
  expect(findAppearance(header).theme).toBe(theme)
})

test.each([
  [undefined, 'comfortable'],
  ['density=compact', 'compact'],
  ['theme=dark; density=compact', 'compact'],
  ['density=compact"><script>', 'comfortable'],
  ['mydensity=compact', 'comfortable'],
])('the density of the cookies %j is %s', (header, density) => {
  expect(findAppearance(header).density).toBe(density)
})

test.each([
  [undefined, 'local'],
  ['times=utc', 'utc'],
  ['theme=dark; times=utc', 'utc'],
  ['times=utc"><script>', 'local'],
])('the zone of times of the cookies %j is %s', (header, times) => {
  expect(findAppearance(header).times).toBe(times)
})

describe('a rendered page', () => {
  const page = Buffer.from(
    '<!doctype html><html lang="en"><head><title>A &lt;html> page</title></head><body>é</body></html>',
  )

  test('has the choices on its root element only', () => {
    const marked = withAppearance(page, {
      theme: 'dark',
      density: 'compact',
      times: 'utc',
    }).toString()
    const marks = ' data-theme="dark" data-density="compact" data-times="utc"'
    expect(marked).toMatch(
      /^<!doctype html><html data-theme="dark" data-density="compact" data-times="utc" lang=/,
    )
    expect(marked.replace(marks, '')).toBe(page.toString())
  })

  test('is unchanged without a choice', () => {
    expect(withAppearance(page, { theme: undefined, density: 'comfortable', times: 'local' })).toBe(
      page,
    )
  })
})
