import { readFileSync } from 'node:fs'
import { placeholder } from './define-statement.ts'

/**
 * Reads a statement that is longer than a screen, or a part of one, from `packages/postgres/sql`. Its comments, which say
 * what it takes, gives and locks, are not sent to PostgreSQL.
 *
 * @param name - the name of the file, without `.sql`.
 * @param parts - text that the file names as `:spacing`: constants, and what several statements share. Its other names are
 * parameters of the statement.
 * @throws Error if the file does not name a part.
 */
export function readSql(name: string, parts: Readonly<Record<string, string | number>>): string {
  const file = new URL(`../../sql/${name}.sql`, import.meta.url)
  const sql = readFileSync(file, 'utf8').replaceAll(/^ *--.*\n/gm, '')
  const used = new Set<string>()
  const text = sql.replaceAll(placeholder, (original, part: string) => {
    const value = parts[part]
    if (value === undefined) return original
    used.add(part)
    return String(value)
  })
  const unused = Object.keys(parts).filter((part) => !used.has(part))
  if (unused.length > 0) throw new Error(`${name}.sql does not name ${unused.join(', ')}`)
  return text
}
