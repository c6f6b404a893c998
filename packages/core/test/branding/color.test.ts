import { brandTones, contrastOf, textContrastMin } from '@hosting/core/branding'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'

const colors = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)

describe('the tones of a brand color', () => {
  test.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#767676', '#ffffff', 4.54],
  ])('the contrast of %s and %s is %d', (one, other, contrast) =>
    expect(contrastOf(one, other)).toBeCloseTo(contrast, 2),
  )

  test('text in them is readable in both themes, whatever the color', () => {
    fc.assert(
      fc.property(
        colors.filter((color) => contrastOf(color, '#ffffff') >= textContrastMin),
        (color) => {
          const { light, dark } = brandTones(color)
          const pairs = [
            [light.accent, '#ffffff'],
            [light.accent, '#f6f7f9'],
            [light.accent, light.soft],
            [dark.accent, '#0d0f13'],
            [dark.accent, '#15181e'],
            [dark.accent, dark.soft],
            ['#ffffff', light.fill],
            ['#ffffff', dark.fill],
            ['#ffffff', dark.fillHover],
          ]
          for (const [one, other] of pairs) {
            expect(contrastOf(one!, other!)).toBeGreaterThanOrEqual(textContrastMin)
          }
        },
      ),
    )
  })
})
