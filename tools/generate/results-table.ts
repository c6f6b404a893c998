import { readResults } from '../../test/interop/support/results-file.ts'
import { markdownTable } from './format.ts'

/**
 * A Markdown table of what `npm run test:interop` found, narrow enough for a phone: the library, which of the steps work
 * with it, and the other results. The results are those of the first row.
 */
export function resultsTable(table: string): string {
  const rows = readResults()[table] ?? []
  const names = Object.keys(rows[0]?.results ?? {})
  const steps = names.filter((name) => rows.every(({ results }) => isAnswer(results[name]!)))
  const others = names.filter((name) => !steps.includes(name))
  return markdownTable(
    ['Library', ...(steps.length > 0 ? ['Works'] : []), ...headOf(others)],
    rows.map(({ name, version, language, results }) => [
      `${name} ${version}, ${language}`,
      ...(steps.length > 0 ? [steps.filter((step) => results[step] === 'yes').join(', ')] : []),
      ...(others.length > 0 ? [others.map((other) => results[other]!).join(', ')] : []),
    ]),
  )
}

const isAnswer = (result: string): boolean => result === 'yes' || result === 'no'

/** The head of the other results, in one column. */
const headOf = (names: readonly string[]): string[] =>
  names.length === 0 ? [] : [capitalize(names.join(', '))]

const capitalize = (text: string): string => text[0]!.toUpperCase() + text.slice(1)
