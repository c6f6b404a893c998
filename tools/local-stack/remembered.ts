import { readFile, rm, writeFile } from 'node:fs/promises'
import { orMissing } from './file-errors.ts'

/** The line stored in `file`, if any. */
export async function recall(file: string): Promise<string | undefined> {
  const text = await orMissing(readFile(file, 'utf8'))
  return text?.trim() || undefined
}

/** Stores a line in `file`, which only its owner may read. */
export async function remember(file: string, value: string): Promise<void> {
  // The mode applies only to new files, and an old file may have been readable by others.
  await rm(file, { force: true })
  await writeFile(file, `${value}\n`, { mode: 0o600 })
}
