import { readFile, rm, writeFile } from 'node:fs/promises'
import { orMissing } from './file-errors.ts'

/** The line kept in `file`, if there is one. */
export async function recall(file: string): Promise<string | undefined> {
  const text = await orMissing(readFile(file, 'utf8'))
  return text?.trim() || undefined
}

/** Keeps a line in `file`, which only its owner may read. */
export async function remember(file: string, value: string): Promise<void> {
  // A mode is given to new files only, and the old one may have been readable by others.
  await rm(file, { force: true })
  await writeFile(file, `${value}\n`, { mode: 0o600 })
}
