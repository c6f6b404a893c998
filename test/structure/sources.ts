import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { root } from '../../tools/run.ts'

/** A source file of a workspace: its path from the root of the repository, and its text. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** Reads the files that match a pattern, except generated and built ones. */
export async function readSources(pattern: string): Promise<Source[]> {
  const sources: Source[] = []
  for await (const path of glob(pattern, { cwd: root })) {
    if (/(^|\/)(dist|src\/generated|node_modules)\//.test(path)) continue
    sources.push({ path, text: readFileSync(root + path, 'utf8') })
  }
  return sources.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
