import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A guide as `npm run build` renders it from a document of the repository. */
export interface Guide {
  readonly title: string
  readonly html: string
  readonly markdown: string
  readonly contents: readonly { readonly id: string; readonly text: string }[]
}

/** The path of a file or folder that the build wrote for the documentation. */
export const siteFile = (name: string): string =>
  fileURLToPath(new URL(`../../dist/site/${name}`, import.meta.url))

/** Who reads the documentation of a port. */
export type Audience = 'customers' | 'platform'

/**
 * Reads the guides of an audience by their paths.
 *
 * @throws Error if the documentation has not been built.
 */
export const readGuides = (audience: Audience): Readonly<Record<string, Guide>> =>
  (guides ??= readPages())[audience]

/** Read once: they are part of the build. */
let guides: Guides | undefined

type Guides = Readonly<Record<Audience, Readonly<Record<string, Guide>>>>

function readPages(): Guides {
  const file = siteFile('pages.json')
  if (!existsSync(file)) throw new Error(`${file} is missing: run npm run build.`)
  return JSON.parse(readFileSync(file, 'utf8')) as Guides
}
