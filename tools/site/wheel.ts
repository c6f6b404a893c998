import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { clientVersion } from '../clients/version.ts'
import { root } from '../run.ts'
import { zipOf, type ArchivedFile } from './zip.ts'

const source = `${root}clients/python`

/** The name of the wheel, from which pip takes the version. */
export const wheelName = (): string => `hosting_sdk-${clientVersion()}-py3-none-any.whl`

/** Writes the wheel of the Python client (Python Packaging User Guide, "Binary distribution format"). */
export function buildWheel(folder: string): void {
  const info = `hosting_sdk-${clientVersion()}.dist-info`
  const files: ArchivedFile[] = [
    ...globSync('hosting_sdk/**/{*.py,py.typed}', { cwd: source })
      .toSorted()
      .map((path) => ({ path, content: readFileSync(`${source}/${path}`) })),
    ...['CHANGELOG.md', 'LICENSE', 'README.md'].map((name) => ({
      path: `${info}/${name}`,
      content: readFileSync(`${source}/${name}`),
    })),
    { path: `${info}/METADATA`, content: Buffer.from(metadata()) },
    { path: `${info}/WHEEL`, content: Buffer.from(wheel) },
  ]
  const record = `${info}/RECORD`
  const lines = [...files.map(recordLine), `${record},,\n`]
  const archive = zipOf([...files, { path: record, content: Buffer.from(lines.join('')) }])
  writeFileSync(`${folder}/${wheelName()}`, archive)
}

const metadata = (): string => `Metadata-Version: 2.1
Name: hosting-sdk
Version: ${clientVersion()}
Summary: A typed client of the API, and the verification of its webhooks
License-File: LICENSE
Classifier: License :: Other/Proprietary License
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown

${readFileSync(`${source}/README.md`, 'utf8')}`

const wheel = `Wheel-Version: 1.0
Generator: hosting-sdk
Root-Is-Purelib: true
Tag: py3-none-any
`

const recordLine = ({ path, content }: ArchivedFile): string => {
  const hash = createHash('sha256').update(content).digest('base64url')
  return `${path},sha256=${hash},${content.length}\n`
}
