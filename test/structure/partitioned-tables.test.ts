import { describe, expect, test } from '@jest/globals'
import { parseSync } from '@swc/core'
import { readSources, type Source } from './sources.ts'

/**
 * A statement that locks or changes rows may wait for a concurrent change. PostgreSQL then evaluates parts of it again,
 * and PostgreSQL 18 can miss the rows of a partitioned table that it also accesses. Such a statement must therefore
 * access nothing but that one table (packages/postgres/README.md#records-apart-from-row-locks).
 */
const partitioned = [
  'events',
  'deliveries',
  'delivery_attempts',
  'all_deliveries',
  'finished_deliveries',
  'delivery_states',
  'recorded_attempts',
]

const locksOrChanges =
  /\bFOR\s+(NO\s+KEY\s+)?(UPDATE|SHARE|KEY\s+SHARE)\b|\bUPDATE\s+\w+|\bDELETE\s+FROM\b/i
const accessed = /\b(?:FROM|JOIN|UPDATE|INTO|USING)\s+(?:ONLY\s+|LATERAL\s+)?(\w+)\s*(\()?/gi
const keywords = new Set(['of', 'set', 'skip', 'nowait', 'select', 'lateral'])
const commonTable = /\b(\w+)(?:\s*\([\w\s,]*\))?\s+AS\s+(?:(?:NOT\s+)?MATERIALIZED\s+)?\(/gi

/** The tables, and functions with parentheses, that a statement names, without its own common table expressions. */
function sourcesOf(sql: string): Set<string> {
  const own = new Set([...sql.matchAll(commonTable)].map((match) => match[1]!.toLowerCase()))
  const named = [...sql.matchAll(accessed)].map(
    (match) => `${match[1]!.toLowerCase()}${match[2] ?? ''}`,
  )
  return new Set(named.filter((name) => !own.has(name) && !keywords.has(name)))
}

/** The partitioned tables that a statement must not access because it also locks or changes rows. */
function findMixed(statement: string): string[] {
  const sql = statement.replaceAll(/--.*$/gm, '')
  const sources = sourcesOf(sql)
  if (!locksOrChanges.test(sql) || sources.size < 2) return []
  return partitioned.filter((table) => sources.has(table))
}

interface Node {
  readonly type?: string
  readonly [member: string]: unknown
}

function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* walk(item)
  else if (typeof value === 'object' && value !== null) {
    yield value as Node
    for (const member of Object.values(value)) yield* walk(member)
  }
}

const isText = ({ type }: Node): boolean => type === 'TemplateLiteral' || type === 'StringLiteral'

/** What each name stands for in the sources, so that a statement can be put together from its parts. */
type Definitions = ReadonlyMap<string, Node>

const definitionsOf = (modules: readonly Node[]): Definitions =>
  new Map(
    [...walk(modules)]
      .filter(({ type, id, init }) => type === 'VariableDeclarator' && id && init)
      .map(({ id, init }) => [String((id as Node)['value']), init as Node]),
  )

const depthMax = 4

/** The text of a literal, with the texts that it includes by name. */
function textOf(node: Node, definitions: Definitions, depth = 0): string {
  if (node.type === 'StringLiteral') return String(node['value'])
  const quasis = (node['quasis'] as Node[]).map(({ raw }) => String(raw))
  const included = ((node['expressions'] ?? []) as Node[]).map((part) =>
    textOfPart(part, definitions, depth),
  )
  return quasis.map((text, index) => `${text} ${included[index] ?? ''}`).join(' ')
}

function textOfPart(part: Node, definitions: Definitions, depth: number): string {
  const name = part.type === 'CallExpression' ? (part['callee'] as Node) : part
  const definition = name.type === 'Identifier' && definitions.get(String(name['value']))
  if (!definition || depth === depthMax) return ''
  return [...walk(definition)]
    .filter(isText)
    .map((text) => textOf(text, definitions, depth + 1))
    .join(' ')
}

function findMixedOfModules(sources: readonly Source[]): string[] {
  const options = { syntax: 'typescript', target: 'esnext' } as const
  const modules = sources.map(({ text }) => parseSync(text, options) as unknown as Node)
  const definitions = definitionsOf(modules)
  return modules.flatMap((module, index) =>
    [...walk(module)]
      .filter(isText)
      .map((node) => textOf(node, definitions))
      .filter((sql) => findMixed(sql).length > 0)
      .map((sql) => `${sources[index]!.path}: ${sql}`),
  )
}

const functionBodies = ({ text }: Source): string[] =>
  [...text.matchAll(/\$\$([^]*?)\$\$/g)].flatMap((match) => match[1]!.split(';'))

describe('a statement that locks or changes rows accesses no other table if one of them is partitioned', () => {
  test('in the sources', async () => {
    const sources = await readSources('{{apps,packages}/*/src,tools}/**/*.ts')
    expect(findMixedOfModules(sources)).toEqual([])
  })

  // The statements on a day name its partitions, which are ordinary tables, as `:events`.
  test('in the files of statements', async () => {
    const files = await readSources('packages/postgres/sql/*.sql')
    expect(files.length).toBeGreaterThan(5)
    expect(files.filter(({ text }) => findMixed(text).length > 0).map(({ path }) => path)).toEqual(
      [],
    )
  })

  test('in the migrations', async () => {
    const migrations = await readSources('prisma/migrations/*/migration.sql')
    const all = migrations.flatMap(({ text }) =>
      text.replaceAll(/--.*$/gm, '').split(/;|\bLOOP$|\bTHEN$/m),
    )
    expect(all.length).toBeGreaterThan(100)
    expect(all.filter((each) => findMixed(each).length > 0)).toEqual([])
  })

  test('in the functions of the database', async () => {
    const functions = await readSources('prisma/functions/*.sql')
    const bodies = functions.flatMap(functionBodies)
    expect(bodies.length).toBeGreaterThan(50)
    expect(bodies.filter((body) => findMixed(body).length > 0)).toEqual([])
  })

  test.each([
    `WITH ended AS (DELETE FROM pending_deliveries p USING done RETURNING *)
     UPDATE deliveries d SET outcome = 'dead' FROM ended WHERE d.id = ended.delivery_id`,
    'SELECT p.*, e.payload FROM pending_deliveries p JOIN events e ON e.id = p.event_ref FOR UPDATE OF p SKIP LOCKED',
    'INSERT INTO delivery_attempts SELECT * FROM (SELECT 1 FROM webhook_endpoint_schedules FOR NO KEY UPDATE) h',
    'UPDATE deliveries d SET dead = true FROM unnest($1::uuid[]) AS u (id) WHERE d.id = u.id',
    'DELETE FROM webhook_endpoints e WHERE NOT EXISTS (SELECT FROM deliveries d WHERE d.endpoint_id = e.id)',
    'DELETE FROM webhook_endpoints e WHERE NOT EXISTS (SELECT FROM all_deliveries d WHERE d.endpoint_id = e.id)',
  ])('the test detects %s', (statement) => {
    expect(findMixed(statement)).not.toEqual([])
  })

  test('the test detects a statement that is assembled from parts', () => {
    const text = `
      const locked = (table: string) => \`SELECT 1 FROM pending_deliveries FOR UPDATE\`
      export const statement = \`WITH l AS (\${locked('p')}) SELECT * FROM events, l\``
    const found = findMixedOfModules([{ path: 'a.ts', text }])
    expect(found).toHaveLength(1)
  })

  test.each([
    'UPDATE deliveries d SET dead = true WHERE d.id = ANY (ids) AND d.id BETWEEN lowest AND highest',
    'SELECT id FROM events WHERE id = ANY ($1::uuid[]) ORDER BY id FOR KEY SHARE',
    'INSERT INTO deliveries SELECT * FROM made ON CONFLICT DO NOTHING',
    'SELECT d.id FROM deliveries d LEFT JOIN pending_deliveries p ON p.delivery_id = d.id',
    'WITH gone AS (DELETE FROM pending_deliveries RETURNING delivery_id) SELECT store_deliveries(array_agg(delivery_id)) FROM gone',
  ])('the test accepts %s', (statement) => {
    expect(findMixed(statement)).toEqual([])
  })
})
