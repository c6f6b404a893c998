import { readFile } from 'node:fs/promises'
import { isMap, isNode, isSeq, LineCounter, parseDocument, type Document } from 'yaml'
import type { Environment } from '../environment.ts'
import { CliError } from '../exit-codes.ts'
import { takeVariables } from './variables.ts'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { hostingSchema } from '../generated/hosting-schema.ts'

/** The objects that a file names, by the section of the file. */
export const kinds = ['keys', 'webhooks'] as const
export type Kind = (typeof kinds)[number]

/** Members of an object, as the API names them. */
export type Settings = Readonly<Record<string, unknown>>

/** What the file says of an object. */
export interface Wanted {
  readonly settings: Settings
  /** The same with `${NAME}` in place of values from the environment, which may be secrets. */
  readonly written: Settings
}

/** The file, checked, with the values from the environment. */
export interface HostingFile {
  /** By external id. A section that the file leaves out is undefined. */
  readonly objects: Readonly<Record<Kind, ReadonlyMap<string, Wanted> | undefined>>
  readonly keyPolicy: Wanted | undefined
}

export const fileDefault = 'hosting.yaml'

/**
 * Reads a file.
 *
 * @throws CliError if it cannot be read, is not valid, or names a variable that the environment does not have. No message
 *   contains a value from the environment.
 */
export async function readHostingFile(
  { env }: Environment,
  path = fileDefault,
): Promise<HostingFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw invalid(`The file ${path} cannot be read (${error.code}).`, [])
  })
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineOf = (offset: number | undefined) =>
    offset === undefined ? '' : `line ${lines.linePos(offset).line}: `
  const faults = document.errors.map(({ pos, message }) => `${lineOf(pos[0])}${message}`)
  if (faults.length > 0) throw invalid(`The file ${path} is not YAML:`, faults)
  const written = readValue(document, path)
  const { value: taken, missing } = takeVariables(written, env)
  if (missing.length > 0) {
    const message = `The file ${path} takes from the environment what is not set:`
    throw new CliError('missing_variable', [message, ...indented(missing)].join('\n'))
  }
  const wrong = findInvalid(taken).map(({ path: at, message }) => {
    return `${lineOf(offsetOf(document, at))}${at.join(' › ') || 'the file'} ${message}`
  })
  if (wrong.length > 0) throw invalid(`The file ${path} is not valid:`, wrong)
  return toFile(taken as Settings, written as Settings)
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`)

const invalid = (message: string, lines: readonly string[]): CliError =>
  new CliError('invalid_file', [message, ...indented(lines)].join('\n'))

function readValue(document: Document, path: string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    // Too many aliases.
    throw invalid(`The file ${path} is not YAML:`, [(error as Error).message])
  }
}

/** Where a member or an item is in the text; that of what it is in if it is missing. */
function offsetOf(document: Document, path: readonly string[]): number | undefined {
  let node: unknown = document.contents
  let offset: number | undefined
  for (const step of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => String(key) === step) : undefined
    const found = isSeq(node) ? node.items[Number(step)] : pair?.key
    offset = isNode(found) ? (found.range?.[0] ?? offset) : offset
    node = pair ? pair.value : found
  }
  return offset
}

function toFile(taken: Settings, written: Settings): HostingFile {
  const objectsOf = (kind: Kind) => {
    if (!(kind in taken)) return undefined
    const shown = (written[kind] ?? {}) as Readonly<Record<string, Settings>>
    const given = Object.entries((taken[kind] ?? {}) as Readonly<Record<string, Settings>>)
    return new Map(given.map(([id, settings]) => [id, { settings, written: shown[id]! }]))
  }
  const policy = taken['key_policy'] as Settings | undefined
  return {
    objects: { keys: objectsOf('keys'), webhooks: objectsOf('webhooks') },
    keyPolicy: policy && { settings: policy, written: written['key_policy'] as Settings },
  }
}

/** A value of the file that its schema does not allow. */
interface Invalid {
  readonly path: readonly string[]
  readonly message: string
}

/** Compares a value with the schema of the file. The service checks the formats of texts. */
function findInvalid(value: unknown): readonly Invalid[] {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, validateFormats: false })
  const validate = ajv.compile(hostingSchema)
  if (validate(value)) return []
  const found = validate.errors!.filter((error) => !isAlternative(error)).map(toInvalid)
  const first = new Map(found.map((each) => [`${each.path.join('\n')} ${each.message}`, each]))
  return [...first.values()]
}

/** The errors within the alternatives say more. */
const isAlternative = ({ keyword, schemaPath }: ErrorObject): boolean =>
  ['anyOf', 'oneOf', 'propertyNames'].includes(keyword) ||
  (keyword === 'enum' && schemaPath.includes('/anyOf/'))

function toInvalid({ instancePath, keyword, params, message, propertyName }: ErrorObject): Invalid {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'additionalProperties') {
    return { path: [...path, String(params['additionalProperty'])], message: 'is not a setting' }
  }
  if (propertyName !== undefined) {
    const says = 'is not an external id: 1 to 100 of letters, digits and ._:/-'
    return { path: [...path, propertyName], message: says }
  }
  if (keyword === 'const') return { path, message: `must be ${String(params['allowedValue'])}` }
  return { path, message: message ?? 'is not valid' }
}
