import type { ExportedPath } from '@hosting/sdk'
import { signedInClient } from '../auth/sign-in.ts'
import type { Context } from '../context.ts'
import { usageError } from '../exit-codes.ts'
import { flag } from '../options.ts'

/** The option of lists that the service can export. */
export const csvOption = {
  csv: flag('Print a CSV file, with all items or --limit of them'),
}

/** A list to print as CSV. */
interface CsvList {
  readonly path: ExportedPath
  readonly query: Readonly<Record<string, string | number | undefined>>
  readonly limit: number | undefined
  readonly noun: string
}

/** Prints a list as CSV, as the service exports it. */
export async function printCsv(
  context: Context,
  { path, query, limit, noun }: CsvList,
): Promise<void> {
  const { output, environment } = context
  if (output.json) throw usageError('usage', '--csv and --json cannot be combined.')
  const client = await signedInClient(context)
  const { text, nextCursor } = await client.export(path, {
    format: 'csv',
    query: { ...query, ...(limit ? { limit } : {}) },
    signal: environment.signal,
  })
  for await (const part of text) output.text(part)
  if (nextCursor !== null) {
    output.note(`More ${noun} exist. Use --since and other filters to export them in parts.`)
  }
}
