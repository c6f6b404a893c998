import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder } from './temporary-folder.ts'

/** Writes a file into a new temporary folder, and returns its path. */
export function writeTemporary(name: string, text: string): string {
  const path = join(makeTemporaryFolder(), name)
  writeFileSync(path, text)
  return path
}
