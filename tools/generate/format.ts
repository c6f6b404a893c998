import { readFileSync } from 'node:fs'
import { format, type FormatConfig } from 'oxfmt'
import { root } from '../run.ts'

const options = JSON.parse(readFileSync(`${root}.oxfmtrc.json`, 'utf8')) as FormatConfig

/**
 * Formats the text of a file as `npm run format` does.
 *
 * @throws Error if the text cannot be parsed.
 */
export async function formatAs(name: string, text: string): Promise<string> {
  const { code, errors } = await format(name, text, options)
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  return code
}

/** The first line of a generated Markdown document, and the empty line after it. @param sources - what to edit instead. */
export const noticeOf = (sources: string): string =>
  `<!-- Made by \`npm run generate\` from ${sources}. Edit that, not this file. -->\n\n`

/** A table in Markdown, aligned as the formatter does it. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n')
}
