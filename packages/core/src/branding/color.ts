/** A color as red, green and blue from 0 to 255. */
type Color = readonly [number, number, number]

/** The least contrast of text (WCAG 2.2, 1.4.3). */
export const textContrastMin = 4.5

/** The contrast of two colors, `#rrggbb`: 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastOf(one: string, other: string): number {
  const [dark, light] = [luminanceOf(parse(one)), luminanceOf(parse(other))].toSorted(
    (a, b) => a - b,
  )
  return (light! + 0.05) / (dark! + 0.05)
}

/** A mixture of two colors. `share` is that of the second. */
export const mix = (one: string, other: string, share: number): string => {
  const [a, b] = [parse(one), parse(other)]
  return format(a.map((part, index) => part + (b[index]! - part) * share) as unknown as Color)
}

/** The tones of a brand color in one theme. */
export interface BrandTones {
  /** Text and borders. */
  readonly accent: string
  /** The background of buttons with white text. */
  readonly fill: string
  readonly fillHover: string
  /** The background of selected items, under text in `accent`. */
  readonly soft: string
}

/** The tones of a brand color for the light and the dark theme. All text in them has enough contrast. */
export function brandTones(color: string): {
  readonly light: BrandTones
  readonly dark: BrandTones
} {
  const fills = { fill: color, fillHover: mix(color, '#000000', 0.15) }
  const lightSoft = mix(color, '#ffffff', 0.9)
  const darkSoft = mix(color, '#15181e', 0.75)
  return {
    light: {
      ...fills,
      soft: lightSoft,
      accent: readable(color, '#000000', ['#f2f4f7', lightSoft]),
    },
    dark: { ...fills, soft: darkSoft, accent: readable(color, '#ffffff', ['#1c2027', darkSoft]) },
  }
}

/** The tone of a color, mixed with black or white as little as possible, that is readable on the backgrounds. */
function readable(color: string, towards: string, backgrounds: readonly string[]): string {
  for (let step = 0; step < 20; step++) {
    const tone = mix(color, towards, step / 20)
    if (backgrounds.every((background) => contrastOf(tone, background) >= textContrastMin)) {
      return tone
    }
  }
  return towards
}

const parse = (text: string): Color => {
  const value = Number.parseInt(text.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

const format = (color: Color): string =>
  `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

function luminanceOf(color: Color): number {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

/** The style sheet that replaces the accent colors of all pages, in both themes, by the tones of a color. */
export function brandStyleSheet(color: string): string {
  const { light, dark } = brandTones(color)
  const both = (tone: keyof BrandTones): string => `light-dark(${light[tone]}, ${dark[tone]})`
  return `:root {
  --accent: ${both('accent')};
  --accent-fill: ${both('fill')};
  --accent-fill-hover: ${both('fillHover')};
  --accent-soft: ${both('soft')};
  --focus: ${both('accent')};
}
`
}
