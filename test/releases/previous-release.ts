import { execFileSync, type ExecFileSyncOptions } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { copyInstalledPackages } from '../support/installed-packages.ts'

/**
 * The commit that runs beside this checkout: the one before it, unless the environment names another. A commit with a
 * migration that this checkout has not, or has in another version, is no release to upgrade from: `migrate` refuses its
 * database. This commit then runs beside itself.
 */
const findCommit = (): string => {
  const before = process.env['PREVIOUS_COMMIT'] ?? 'HEAD~1'
  const current = new Set(listMigrations('HEAD'))
  return listMigrations(before).every((migration) => current.has(migration)) ? before : 'HEAD'
}

/** The migrations of a commit: the hash and the path of each file. */
const listMigrations = (commit: string): string[] =>
  run('git', ['ls-tree', '-r', commit, 'prisma/migrations/'], { cwd: root })
    .toString()
    .split('\n')
    .filter((line) => line.endsWith('/migration.sql'))

/**
 * Builds the previous commit in a folder of its own.
 *
 * @returns the path of the folder, with a slash at its end.
 * @throws Error if the history does not contain the commit, or if it does not build.
 */
export function buildPreviousRelease(): string {
  const folder = `${root}.cache/previous-release/`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  run('tar', ['--extract'], {
    cwd: folder,
    input: run('git', ['archive', findCommit()], { cwd: root }),
  })
  if (readLock(folder) === readLock(root)) copyInstalledPackages(folder, '--link')
  else run('npm', ['ci', '--ignore-scripts'], { cwd: folder })
  const PATH = `${folder}node_modules/.bin:${process.env['PATH']}`
  run(process.execPath, ['tools/build.ts'], { cwd: folder, env: { ...process.env, PATH } })
  return folder
}

const run = (command: string, args: string[], options: ExecFileSyncOptions): Buffer =>
  execFileSync(command, args, { ...options, encoding: 'buffer', maxBuffer: 2 ** 29 })

const readLock = (folder: string): string => readFileSync(`${folder}package-lock.json`, 'utf8')
