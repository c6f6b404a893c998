import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inTransaction } from '@hosting/postgres/database'
import pg from 'pg'
import { keyUseCombinationsMax } from '@hosting/core/api-keys'
import { refusalMinuteMs, refusalRowsMax } from '@hosting/core/audit'
import { incidentNoticeEveryMinutes } from '@hosting/core/notices'
import { problemCatalog } from '@hosting/core/problems'
import {
  attemptStatsMinutes,
  endpointAddressPattern,
  failuresToOpen,
  subjectEventsMax,
} from '@hosting/core/webhooks'

/** One file of prisma/functions: a function, and the triggers that call it. */
export interface FunctionFile {
  /** Of the file and of the function. */
  readonly name: string
  readonly definition: string
  /** Empty: no trigger calls it. */
  readonly triggers: string
}

/**
 * Reads the files of prisma/functions, with their constants filled in.
 *
 * @throws Error if a file does not define the function that it is named after, or names an unknown constant.
 */
export function readFunctions(folder: string): FunctionFile[] {
  if (!existsSync(folder)) return []
  return globSync('*.sql', { cwd: folder })
    .toSorted()
    .map((file) => parseFunction(basename(file, '.sql'), readFileSync(join(folder, file), 'utf8')))
    .map(({ name, definition, triggers }) => ({
      name,
      definition: fillInConstants(definition),
      triggers: fillInConstants(triggers),
    }))
}

const definitionStart = /^CREATE OR REPLACE FUNCTION (\w+)\(/gm
const triggersStart = /^(CREATE (OR REPLACE|CONSTRAINT) TRIGGER|DROP TRIGGER) /m

function parseFunction(name: string, text: string): FunctionFile {
  const defined = [...text.matchAll(definitionStart)].map((match) => match[1])
  if (defined.length !== 1 || defined[0] !== name) {
    throw new Error(`prisma/functions/${name}.sql must define the function ${name} and no other`)
  }
  const end = text.search(triggersStart)
  const definition = end < 0 ? text : text.slice(0, end)
  return { name, definition, triggers: text.slice(definition.length) }
}

/**
 * Applies the functions and the triggers that changed since they were applied last, all in one transaction. Triggers
 * that did not change are not created again, because that would lock their tables.
 *
 * The order of the files has no meaning: bodies are checked once all functions exist.
 *
 * @param client - a session that holds the lock of migrations.
 * @returns the names of the files that changed.
 * @throws Error if one of them fails. Then nothing has changed.
 */
export async function applyFunctions(
  client: pg.Client,
  files: readonly FunctionFile[],
): Promise<string[]> {
  if (files.length === 0) return []
  const applied = await readApplied(client)
  const hasNewFunction = ({ name, definition }: FunctionFile) =>
    applied.get(name)?.functionHash !== hashOf(definition)
  const hasNewTriggers = ({ name, triggers }: FunctionFile) =>
    (applied.get(name)?.triggersHash ?? hashOf('')) !== hashOf(triggers)
  const changed = files.filter((file) => hasNewFunction(file) || hasNewTriggers(file))
  if (changed.length === 0) return []
  await inTransaction(client, async () => {
    await client.query('SET LOCAL check_function_bodies = off')
    for (const file of changed.filter(hasNewFunction)) await run(client, file, file.definition)
    for (const file of changed.filter(hasNewTriggers)) await run(client, file, file.triggers)
    for (const file of changed) await record(client, file)
    await client.query('SET LOCAL check_function_bodies = on')
    for (const file of files) await run(client, file, checkStatement, [file.name])
  })
  return changed.map(({ name }) => name)
}

/** A row of applied_functions. */
interface AppliedFunction {
  readonly name: string
  readonly functionHash: string
  readonly triggersHash: string
}

async function readApplied(client: pg.Client): Promise<ReadonlyMap<string, AppliedFunction>> {
  const { rows } = await client.query<AppliedFunction>(
    `SELECT name, function_hash AS "functionHash", triggers_hash AS "triggersHash" FROM applied_functions`,
  )
  return new Map(rows.map((row) => [row.name, row]))
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

async function record(
  client: pg.Client,
  { name, definition, triggers }: FunctionFile,
): Promise<void> {
  await client.query(
    `INSERT INTO applied_functions (name, function_hash, triggers_hash) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET function_hash = EXCLUDED.function_hash,
       triggers_hash = EXCLUDED.triggers_hash, applied_at = statement_timestamp()`,
    [name, hashOf(definition), hashOf(triggers)],
  )
}

/** Checks a body as CREATE FUNCTION does: its syntax, and in SQL the tables and functions that it names. */
const checkStatement = `
  SELECT CASE l.lanname
    WHEN 'sql' THEN pg_catalog.fmgr_sql_validator(p.oid)
    WHEN 'plpgsql' THEN pg_catalog.plpgsql_validator(p.oid)
  END
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
  WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = $1`

async function run(
  client: pg.Client,
  { name }: FunctionFile,
  sql: string,
  values?: readonly string[],
): Promise<void> {
  try {
    await client.query(sql, values && [...values])
  } catch (error) {
    const reason =
      error instanceof pg.DatabaseError
        ? `${error.message} (SQLSTATE ${error.code})`
        : String(error)
    throw new Error(`prisma/functions/${name}.sql failed, and no function was changed: ${reason}`, {
      cause: error,
    })
  }
}

/**
 * The rules of packages/core that functions of the database apply. A file of prisma/functions names one as
 * `:failuresToOpen`. A change of its value is a change of the files that name it.
 */
const functionConstants: Readonly<Record<string, Constant>> = {
  attemptStatsMinutes,
  endpointAddressPattern,
  failuresToOpen,
  incidentNoticeEveryMinutes,
  keyUseCombinationsMax,
  minutesOfAnHour: 60,
  rateLimitedStatus: problemCatalog.rate_limited.status,
  refusalMinuteMs,
  refusalRowsMax,
  refusedStatus: problemCatalog.permission_denied.status,
  subjectEventsMax,
}

type Constant = number | string

/** A colon before a word, but not a cast (`::`) or a part of a time or a range (`HH24:MI`, `1:n`). */
const placeholder = /(?<![:\w]):([a-z]\w*)/gi

/**
 * Writes the constants into a text of SQL: a number as such, and a text as a literal.
 *
 * @throws Error if the text names another constant.
 */
const fillInConstants = (sql: string): string =>
  sql.replaceAll(placeholder, (_, name: string) => {
    const value = functionConstants[name]
    if (value === undefined) throw new Error(`:${name} is not in tools/functions.ts`)
    return typeof value === 'number' ? String(value) : quoted(value)
  })

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
