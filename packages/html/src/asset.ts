import type { Response } from 'express'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { staticContent, type SendBody } from './static-content.ts'

/** A file that pages load. Its URL contains its hash, so it can be cached forever. */
export interface Asset {
  readonly url: string
  readonly content: Buffer
  readonly send: SendBody
}

/** Reads a file that pages load from this path, to which the hash is added. */
export const readAsset = (path: string, file: URL): Asset => createAsset(path, readFileSync(file))

/** The style sheet of some pages, with the files that it needs. All are served. */
export interface Style extends Asset {
  /** The font, which every page preloads. */
  readonly font: Asset
  /** The font for further characters, which browsers load when a page contains one, and the license of both. */
  readonly others: readonly Asset[]
}

/**
 * Reads the style sheets of some pages, to be served as one file that begins with the font and the base styles of all
 * pages.
 */
export function readStyle(path: string, ...files: readonly URL[]): Style {
  const read = (served: string, name = served): Asset =>
    readAsset(`${dirname(path)}/${served}`, fontFile(name))
  const font = read('inter.woff2')
  const extended = read('inter-latin-ext.woff2')
  const license = read('inter-license.txt', 'LICENSE.txt')
  const texts = [...baseStyles, ...files].map((file) => readFileSync(file))
  const faces = `/* Inter, licensed under ${license.url} */
${fontFace(font, westernEuropean)}${fontFace(extended, otherEuropean)}`
  const content = Buffer.concat([Buffer.from(faces), ...texts])
  return { ...createAsset(path, content), font, others: [extended, license] }
}

const fontFile = (name: string): URL => new URL(`../assets/font/${name}`, import.meta.url)

/** The characters of `inter-latin-wght-normal.woff2` of `@fontsource-variable/inter` 5.3.0, which is inter.woff2. */
const westernEuropean = `U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329,
    U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD`

/** These of `inter-latin-ext-wght-normal.woff2` are in inter-latin-ext.woff2. All others are in the system's font. */
const otherEuropean = 'U+0100-0130, U+0132-0151, U+0154-017F, U+0218-021B'

const fontFace = (font: Asset, characters: string): string => `@font-face {
  font-family: Inter;
  font-weight: 100 900;
  font-display: swap;
  src: url('${font.url}') format('woff2');
  unicode-range: ${characters};
}
`

/** The styles of documents rendered from Markdown, for {@link readStyle}. */
export const articleStyle = new URL('../assets/article.css', import.meta.url)

/**
 * Joins the modules of a script into one, in this order: each imports only from those before it. Their top-level
 * names share one scope, so the names differ.
 */
export const readScript = (path: string, ...files: readonly URL[]): Asset =>
  createAsset(path, Buffer.from(files.map((file) => withoutImports(file)).join('\n')))

const withoutImports = (file: URL): string =>
  readFileSync(file, 'utf8')
    .replaceAll(/^import .+\n/gm, '')
    .replaceAll(/^export /gm, '')

/** Sends an asset. */
export function sendAsset(res: Response, { url, send }: Asset): void {
  res.type(extname(url))
  res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
  send(res)
}

const baseStyles = ['elements', 'cards', 'badges', 'tables'].map(
  (name) => new URL(`../assets/base/${name}.css`, import.meta.url),
)

/** Creates an asset of this content. */
export function createAsset(path: string, content: Buffer): Asset {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
  const extension = extname(path)
  const url = `${path.slice(0, -extension.length)}.${hash}${extension}`
  return { url, content, send: staticContent(content) }
}
