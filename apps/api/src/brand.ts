import { brandTones, ConfigurationError, type BrandTones, type Config } from '@hosting/core'
import { createAsset, type Asset } from '@hosting/html'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'

/** The company's name, logo and color for the pages. */
export interface Brand {
  readonly name: string
  /** `undefined`: the logo of Hosting Control. */
  readonly logo: Asset | undefined
  /** The style sheet with the company's color. `undefined`: the color of Hosting Control. */
  readonly style: Asset | undefined
}

const logoBytesMax = 256 * 2 ** 10

/** Reads the brand of the configuration. @throws ConfigurationError if the logo is not readable. */
export const readBrand = ({ brandName, brandLogo, brandColor }: Config): Brand => ({
  name: brandName,
  logo: brandLogo === undefined ? undefined : readLogo(brandLogo),
  style: brandColor === undefined ? undefined : createStyle(brandColor),
})

function readLogo(path: string): Asset {
  const content = readFile(path)
  const isPng = content.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))
  const isSvg = /<svg[\s>]/.test(content.toString('utf8', 0, 4_096))
  const isRight = extname(path) === '.png' ? isPng : isSvg
  if (!isRight) throw new ConfigurationError([`BRAND_LOGO is not an image of its type: ${path}`])
  if (content.length > logoBytesMax) {
    throw new ConfigurationError([`BRAND_LOGO is larger than 256 KiB: ${path}`])
  }
  return createAsset(`/assets/logo${extname(path)}`, content)
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigurationError([`BRAND_LOGO cannot be read (${code}): ${path}`])
  }
}

function createStyle(color: string): Asset {
  const { light, dark } = brandTones(color)
  const both = (tone: keyof BrandTones): string => `light-dark(${light[tone]}, ${dark[tone]})`
  const css = `:root {
  --accent: ${both('accent')};
  --accent-fill: ${both('fill')};
  --accent-fill-hover: ${both('fillHover')};
  --accent-soft: ${both('soft')};
  --focus: ${both('accent')};
}
`
  return createAsset('/assets/brand.css', Buffer.from(css))
}
