import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Writes a file into a new temporary folder, and gives its path. */
export function writeTemporary(name: string, text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'hosting-test-')), name)
  writeFileSync(path, text)
  return path
}
