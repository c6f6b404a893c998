import { globSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { root } from '../run.ts'
import { wheelName } from '../site/wheel.ts'
import { errorClassTable } from './error-classes.ts'
import { standardVerifierTable, stripeVerifierTable } from './verifiers.ts'
import { exampleRequest } from './webhook-vectors.ts'

/** Documents that people edit, with parts that are embedded. */
const documents = globSync(['{clients,packages}/*/README.md', 'docs/*.md', 'docs/integrate/*.md'], {
  cwd: root,
}).filter((path) => readFileSync(root + path, 'utf8').includes('<!-- embed '))

/** The documents with embedded parts, by path. Only these parts, and the name of the wheel, are renewed. */
export const embeddedDocuments: Readonly<Record<string, () => string>> = Object.fromEntries(
  documents.map((path) => [path, () => renew(path)]),
)

/** A comment that names a file from the document's folder, or a part below, and the code or the table after it. */
const embedded = /^<!-- embed (\S+) -->\n+(?:```\w+\n[^]*?^```$|(?:^\|.*\n)*^\|.*$)/gm

const parts: Readonly<Record<string, () => string>> = {
  'error-classes': errorClassTable,
  'standard-verifiers': standardVerifierTable,
  'stripe-verifiers': stripeVerifierTable,
  'example-request': () => fence('http', exampleRequest()),
}

function renew(path: string): string {
  const renewed = readFileSync(root + path, 'utf8').replaceAll(embedded, (_all, name: string) => {
    const text = parts[name]?.() ?? codeOf(join(root, dirname(path), name))
    return `<!-- embed ${name} -->\n\n${text}`
  })
  return renewed.replaceAll(/hosting_sdk-\d[\w.]*-py3-none-any\.whl/g, wheelName())
}

/** GitHub's name for the language of a file. */
const languages: Readonly<Record<string, string>> = {
  '.go': 'go',
  '.mjs': 'js',
  '.php': 'php',
  '.py': 'python',
  '.rb': 'ruby',
  '.ts': 'ts',
}

/** The code of a file, as Markdown. */
export const codeOf = (path: string): string =>
  fence(languages[extname(path)]!, readFileSync(path, 'utf8'))

const fence = (language: string, code: string): string =>
  `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``
