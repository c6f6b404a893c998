import { readFile } from 'node:fs/promises'
import { usageError } from '../exit-codes.ts'
import type { Option } from '../options.ts'

/** Custom headers, each as `Name: value`, or `@file` with one per line. Values may contain commas. */
export const headerOption: Option<string[] | undefined> = {
  placeholder: 'header',
  description:
    'Custom header as "Name: value", or @file with one per line, which other users of the machine cannot see (repeatable)',
  repeatable: true,
  field: 'headers',
  parse: (value, previous = []) => [...previous, value],
}

/** Converts the values of the option to the API's format; `undefined` if it was not given. */
export async function readHeaders(
  given: readonly string[] | undefined,
): Promise<Record<string, string> | undefined> {
  if (given === undefined) return undefined
  const headers = new Map<string, string>()
  for (const line of (await Promise.all(given.map(readLines))).flat()) {
    const [, name = '', value = ''] = /^([^:]*):(.*)$/s.exec(line) ?? []
    if (name.trim() === '') throw usageError('usage', 'A header has the form "Name: value".')
    if (headers.has(name.trim())) throw usageError('usage', `The header ${name} is given twice.`)
    headers.set(name.trim(), value.trim())
  }
  return Object.fromEntries(headers)
}

async function readLines(given: string): Promise<string[]> {
  if (!given.startsWith('@')) return [given]
  const path = given.slice(1)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw usageError('usage', `The file ${path} cannot be read: ${String(error)}`)
  })
  return text.split(/\r?\n/).filter((line) => line.trim() !== '')
}
