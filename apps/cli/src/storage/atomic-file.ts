import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a file for its owner alone, whole or not at all, in a directory for its owner alone. */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const directory = dirname(path)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  // One that stood there before may be open to others.
  await chmod(directory, 0o700)
  const draft = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

/** The file's text; undefined where there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code!)) return undefined
    throw error
  }
}
