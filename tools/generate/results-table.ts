import { readResults } from '../../test/interop/support/results-file.ts'
import { markdownTable } from './markdown-table.ts'

/** A Markdown table of what `npm run test:interop` found. The columns are those of the first row. */
export function resultsTable(table: string): string {
  const rows = readResults()[table] ?? []
  const columns = Object.keys(rows[0]?.results ?? {})
  return markdownTable(
    ['Library', 'Version', 'Language', ...columns.map(capitalize)],
    rows.map(({ name, version, language, results }) => [
      name,
      version,
      language,
      ...columns.map((column) => results[column]!),
    ]),
  )
}

const capitalize = (text: string): string => text[0]!.toUpperCase() + text.slice(1)
