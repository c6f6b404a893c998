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
