import { brandStyleSheet, createRenamer, defaultNames } from '@hosting/core/branding'
import { ConfigurationError, publicUrlOf, type Config } from '@hosting/core/configuration'
import { createAsset, escapeHtml, type Asset } from '@hosting/html'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'

/** The company's names, logo and color for pages and documents. */
export interface Brand {
  readonly name: string
  /** The name of the command line client. */
  readonly command: string
  /** `undefined`: our own logo. */
  readonly logo: Asset | undefined
  /** The style sheet with the company's color. `undefined`: our own color. */
  readonly style: Asset | undefined
  /** Replaces the default names and the URL in a text that we wrote by the configured ones. */
  readonly rename: (text: string) => string
  /** The same in HTML. */
  readonly renameHtml: (html: string) => string
  /** The same in JSON. */
  readonly renameJson: (json: string) => string
  /** Replaces the names of the command and the packages, and the URL, in the code of a package. */
  readonly renameCode: (code: string) => string
}

const logoBytesMax = 256 * 2 ** 10

/** Finds what is wrong with the files of the brand. */
export function findBrandErrors({ brandLogo }: Partial<Config>): readonly string[] {
  try {
    if (brandLogo !== undefined) readLogo(brandLogo)
    return []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.errors
    throw error
  }
}

/** Reads the brand of the configuration. @throws ConfigurationError if the logo is not readable. */
export function readBrand(config: Config): Brand {
  const { brandName, brandCommand, brandLogo, brandColor } = config
  const publicUrl = publicUrlOf(config)
  const names = { ...config, publicUrl }
  return {
    name: brandName,
    command: brandCommand,
    logo: brandLogo === undefined ? undefined : readLogo(brandLogo),
    style: brandColor === undefined ? undefined : createStyle(brandColor),
    rename: createRenamer(names),
    renameHtml: createRenamer(names, escapeHtml),
    renameJson: createRenamer(names, (name) => JSON.stringify(name).slice(1, -1)),
    renameCode: createRenamer({ ...defaultNames, brandCommand, publicUrl }),
  }
}

const createStyle = (color: string): Asset =>
  createAsset('/assets/brand.css', Buffer.from(brandStyleSheet(color)))

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
