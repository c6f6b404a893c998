import { afterAll } from '@jest/globals'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made: string[] = []
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/** Creates a folder that is removed after the test file. */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hosting-test-'))
  made.push(folder)
  return folder
}

/** Writes a file into a new temporary folder, and returns its path. */
export function writeTemporary(name: string, text: string): string {
  const path = join(makeTemporaryFolder(), name)
  writeFileSync(path, text)
  return path
}
