import { globSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { root } from '../run.ts'
import { wheelName } from '../site/wheel.ts'
import { benchTable } from './bench-tables.ts'
import { formatAs, markdownTable } from './format.ts'
import { limitsTable } from './limits.ts'
import {
  eventTypesTable,
  permissionsTable,
  problemCodesTable,
  sessionOnlyTable,
} from './specified-tables.ts'
import { values } from './values.ts'
import { exampleRequest } from './webhook-vectors.ts'
import { errorClassHelp } from '@hosting/core/webhooks'
import {
  standardVerifiers,
  stripeVerifiers,
  type Verifier,
} from '../../test/interop/verifiers/verifiers.ts'

/** The functions of Stripe's libraries that verify `Service-Signature`, for docs/webhooks.md. */
const stripeVerifierTable = (): string => tableOf(stripeVerifiers)

/** The functions that verify the headers of Standard Webhooks, for docs/webhooks.md. */
const standardVerifierTable = (): string => tableOf(standardVerifiers)

function tableOf(verifiers: readonly Verifier[]): string {
  const rows = verifiers.map(({ language, library, version, setup, call, handler, avoid }) => {
    const calls = [...(setup === undefined ? [] : [setup]), call].map((code) => `\`${code}\``)
    const text = calls.join(', then ') + (handler === 'fetch' ? ' in a fetch-style handler' : '')
    return [language, `${library} ${version}`, avoid ? `Not ${text}: ${avoid.because}.` : text]
  })
  return markdownTable(['Language', 'Library', 'Call'], rows)
}

/** The table of error classes in the guide for receivers. */
function errorClassTable(): string {
  const rows = Object.entries(errorClassHelp).map(([name, { meaning, advice }]) => [
    `\`${name}\``,
    meaning,
    advice,
  ])
  return markdownTable(['Class', 'What happened', 'What to do'], rows)
}

/** Documents that people edit, with parts that are embedded. */
const documents = globSync(
  ['*.md', '{clients,packages}/*/README.md', 'docs/*.md', 'docs/{integrate,specification}/*.md'],
  { cwd: root },
).filter((path) => /<!-- (embed|value) /.test(readFileSync(root + path, 'utf8')))

/** The documents with embedded parts, by path. Only these parts, and the name of the wheel, are renewed. */
export const embeddedDocuments: Readonly<Record<string, () => Promise<string>>> =
  Object.fromEntries(documents.map((path) => [path, () => renew(path)]))

/** A comment that names a file from the document's folder, or a part below, and the code or the table after it. */
const embedded = /^<!-- embed (\S+) -->\n+(?:```\w+\n[^]*?^```$|(?:^\|.*\n)*^\|.*$)/gm

/** A line that begins with a value. */
const htmlBlock = /^ *(?:- )?<!-- value .*/m

/** A comment that names a value, the value, and a comment that ends it. A value may be wrapped. */
const valued = /<!-- value ([\w-]+) -->([^]*?)<!-- \/value -->/g

const parts: Readonly<Record<string, () => string>> = {
  'error-classes': errorClassTable,
  'event-types': eventTypesTable,
  limits: limitsTable,
  permissions: permissionsTable,
  'problem-codes': problemCodesTable,
  'session-only': sessionOnlyTable,
  'standard-verifiers': standardVerifierTable,
  'stripe-verifiers': stripeVerifierTable,
  'example-request': () => fence('http', exampleRequest()),
}

const benchPrefix = 'bench:'

async function renew(path: string): Promise<string> {
  const now = readFileSync(root + path, 'utf8')
  const renewed = now
    .replaceAll(embedded, (_all, name: string) => {
      const text = name.startsWith(benchPrefix)
        ? benchTable(name.slice(benchPrefix.length))
        : (parts[name]?.() ?? codeOf(join(root, dirname(path), name)))
      return `<!-- embed ${name} -->\n\n${text}`
    })
    .replaceAll(valued, renewValue)
    .replaceAll(/hosting_sdk-\d[\w.]*-py3-none-any\.whl/g, wheelName())
  const text = renewed === now ? now : await formatAs(path, renewed)
  const [block] = htmlBlock.exec(text) ?? []
  if (block) throw new Error(`Markdown reads this line of ${path} as HTML: ${block}`)
  return text
}

/** The current text of a value. One that only wraps elsewhere is kept. */
function renewValue(all: string, name: string, old: string): string {
  const value = values[name]
  if (!value) throw new Error(`There is no value ${name}`)
  return old.replaceAll(/\s+/g, ' ') === value()
    ? all
    : `<!-- value ${name} -->${value()}<!-- /value -->`
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
