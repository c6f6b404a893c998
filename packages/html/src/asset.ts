import type { Response } from 'express'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { staticContent, type SendBody } from './static-content.ts'

/** A file that pages load. Its URL contains its hash, so it can be cached forever. */
export interface Asset {
  readonly url: string
  readonly content: Buffer
  readonly send: SendBody
}

/** Reads a file that pages load from this path, to which the hash is added. */
export const readAsset = (path: string, file: URL): Asset => createAsset(path, readFileSync(file))

/** Reads the style sheets of some pages, to be served as one file that begins with the base styles of all pages. */
export const readStyle = (path: string, ...files: readonly URL[]): Asset =>
  createAsset(path, Buffer.concat([...baseStyles, ...files].map((file) => readFileSync(file))))

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
