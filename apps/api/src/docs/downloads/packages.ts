import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type ArchivedFile, zipOf, tarOf } from './archives.ts'

/** What the build writes into `hctl` in place of the URL of its service. */
export const serviceUrlMarker = '<service-url>'

type Rename = (text: string) => string

/** An npm package (`.tgz`). Its texts and paths are renamed. */
export function packNpm(folder: string, rename: Rename): Buffer {
  const files = readFiles(folder, rename)
  return gzipSync(tarOf(files.map((file) => ({ ...file, path: `package/${file.path}` }))))
}

/** The folder of a staged wheel with its metadata: `<package>-<version>.dist-info`. */
function informationOf(folder: string): string {
  const found = readdirSync(folder).find((name) => name.endsWith('.dist-info'))
  if (found === undefined) throw new Error(`${folder} has no metadata: run npm run build.`)
  return found
}

/** The name of a wheel, before it is renamed. pip takes the version from it. */
export const wheelNameOf = (folder: string): string =>
  `${informationOf(folder).replace('.dist-info', '')}-py3-none-any.whl`

/** A wheel (Python Packaging User Guide, "Binary distribution format"). Its texts and paths are renamed. */
export function packWheel(folder: string, rename: Rename): Buffer {
  const files = readFiles(folder, rename)
  const record = `${rename(informationOf(folder))}/RECORD`
  const lines = [...files.map(recordLine), `${record},,\n`]
  return zipOf([...files, { path: record, content: Buffer.from(lines.join('')) }])
}

/** The files of a package in the order of their paths. */
const readFiles = (folder: string, rename: Rename): ArchivedFile[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
    .map((path) => ({
      path: rename(path.slice(folder.length + 1)),
      content: Buffer.from(rename(readFileSync(path, 'utf8'))),
    }))

const recordLine = ({ path, content }: ArchivedFile): string => {
  const hash = createHash('sha256').update(content).digest('base64url')
  return `${path},sha256=${hash},${content.length}\n`
}
