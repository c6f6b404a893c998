import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { clientVersion } from '../clients/version.ts'
import { root } from '../run.ts'

const source = `${root}clients/python`

/** The name of the wheel, from which pip takes the version. */
export const wheelName = (): string => `hosting_sdk-${clientVersion()}-py3-none-any.whl`

/** Writes the files of the wheel of the Python client, without the RECORD, into a folder. */
export function stageWheel(folder: string): void {
  const information = `${folder}/hosting_sdk-${clientVersion()}.dist-info`
  mkdirSync(information, { recursive: true })
  for (const path of globSync('hosting_sdk/**/{*.py,py.typed}', { cwd: source })) {
    mkdirSync(dirname(`${folder}/${path}`), { recursive: true })
    cpSync(`${source}/${path}`, `${folder}/${path}`)
  }
  for (const name of ['CHANGELOG.md', 'LICENSE', 'README.md']) {
    cpSync(`${source}/${name}`, `${information}/${name}`)
  }
  writeFileSync(`${information}/METADATA`, metadata())
  writeFileSync(`${information}/WHEEL`, wheel)
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
