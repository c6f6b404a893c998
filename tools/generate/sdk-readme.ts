import { readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { root } from '../run.ts'
import { wheelName } from '../site/wheel.ts'
import { noticeOf } from './notice.ts'

/** The templates of the documents about the SDKs, by the documents. */
const templates = {
  'clients/python/README.md': 'clients/python/examples/README.template.md',
  'docs/sdk.md': 'docs/sdk/guide.md',
  'packages/platform-sdk/README.md': 'packages/platform-sdk/examples/README.template.md',
  'packages/sdk/README.md': 'packages/sdk/examples/README.template.md',
}

/** The documents about the SDKs. */
export const sdkDocuments: Readonly<Record<string, () => string>> = Object.fromEntries(
  Object.entries(templates).map(([document, template]) => [
    document,
    () => noticeOf(`${template} and the files that it names`) + withExamples(template),
  ]),
)

/** A template, with each line `{{file}}` replaced by an example, and `{{wheel}}` by the name of the wheel. */
function withExamples(template: string): string {
  const folder = join(root, dirname(template))
  return readFileSync(root + template, 'utf8')
    .replaceAll('{{wheel}}', wheelName())
    .replaceAll(/^\{\{(.+)\}\}$/gm, (_line, file: string) => {
      const code = readFileSync(join(folder, file), 'utf8').trimEnd()
      return `\`\`\`${languages[extname(file)]!}\n${code}\n\`\`\``
    })
}

const languages: Readonly<Record<string, string>> = { '.py': 'python', '.ts': 'ts' }
