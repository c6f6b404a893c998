// `npm run measure:code`: the size of files and functions, by group of folders. Excludes tests and generated files.
import { parseSync } from '@swc/core'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { root } from './run.ts'

const groups = [
  ['apps + packages', /^(apps|packages)\/[^/]+\/src\//],
  ['apps/api', /^apps\/api\/src\//],
  ['apps/worker', /^apps\/worker\/src\//],
  ['apps/cli', /^apps\/cli\/src\//],
  ['packages/core', /^packages\/core\/src\//],
  ['packages/postgres', /^packages\/postgres\/src\//],
  ['tools', /^tools\//],
  ['tests', /^(apps|packages)\/[^/]+\/test\/|^test\//],
  ['style sheets', /\.css$/],
] as const

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.(tsx?|css)$/.test(path) && !path.includes('/generated/'))
  .map((path) => ({ path, ...measure(path) }))

const rows = groups.map(([name, pattern]) => {
  const members = files.filter(({ path }) => pattern.test(path))
  const fileLines = members.map(({ lines }) => lines)
  const functionLines = members.flatMap((file) => file.functionLines)
  return {
    group: name,
    files: members.length,
    lines: fileLines.reduce((sum, lines) => sum + lines, 0),
    'file lines': spread(fileLines),
    'function lines': spread(functionLines),
    'under 15': share(fileLines, 15),
    'under 30': share(fileLines, 30),
    'over 300': fileLines.filter((lines) => lines > 300).length,
  }
})

// oxlint-disable-next-line no-console -- prints a table
console.table(Object.fromEntries(rows.map(({ group, ...row }) => [group, row])))

/** Median, 90th percentile and maximum. */
function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.ceil(sorted.length * part) - 1] ?? 0
  return [at(0.5), at(0.9), at(1)].join(' / ')
}

/** The share of files under a number of lines. */
function share(fileLines: readonly number[], limit: number): string {
  const below = fileLines.filter((lines) => lines < limit).length
  return `${((below / (fileLines.length || 1)) * 100).toFixed(0)}%`
}

function measure(path: string): { lines: number; functionLines: number[] } {
  const source = readFileSync(root + path)
  const lines = countLines(source)
  return { lines, functionLines: path.endsWith('.css') ? [] : measureFunctions(path, source) }
}

function countLines(source: Uint8Array): number {
  return source.reduce((count, byte) => (byte === 10 ? count + 1 : count), 0)
}

/** The lines of every function and method. Arrow functions without a block do not count. */
function measureFunctions(path: string, source: Buffer): number[] {
  // Positions continue from one parsed text to the next, from the first token of each.
  const text = Buffer.concat([Buffer.from('0;'), source])
  const module = parseSync(text.toString(), {
    syntax: 'typescript',
    tsx: path.endsWith('.tsx'),
    target: 'esnext',
  })
  const lengths: number[] = []
  visit(module, (node) => {
    if (!isFunction(node)) return
    const { start, end } = node.span!
    const first = start - module.span.start
    lengths.push(countLines(text.subarray(first, first + end - start)) + 1)
  })
  return lengths
}

interface AstNode {
  readonly type?: string
  readonly span?: { readonly start: number; readonly end: number }
  readonly [member: string]: unknown
}

function isFunction({ type, body }: AstNode): boolean {
  if (type === 'ArrowFunctionExpression') return (body as AstNode).type === 'BlockStatement'
  return /^(FunctionDeclaration|FunctionExpression|ClassMethod|PrivateMethod|Constructor|MethodProperty)$/.test(
    type ?? '',
  )
}

function visit(node: unknown, onNode: (node: AstNode) => void): void {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) onNode(node as AstNode)
  for (const child of Object.values(node)) visit(child, onNode)
}
