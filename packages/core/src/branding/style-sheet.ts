import { brandTones, type BrandTones } from './color.ts'

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
