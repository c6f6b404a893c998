import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Loads every module of the package, so that all its statements are defined. */
export async function loadStatements(): Promise<void> {
  const source = join(import.meta.dirname, '../../src')
  for (const { name } of readdirSync(source, { withFileTypes: true })) {
    if (name !== 'generated') await import(`../../src/${name}/index.ts`)
  }
}
