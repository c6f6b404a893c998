import { execFileSync, type ExecFileSyncOptions } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { copyInstalledPackages } from '../support/installed-packages.ts'

/**
 * The commit that runs beside this checkout: the one before it, unless the environment names another. It must have the
 * same migrations, except for new ones that need no stop: processes of the others and of this checkout cannot use the same
 * database. Otherwise this commit runs beside itself, and the test of the upgrade with a stop shows the rest.
 */
const findCommitBeside = (): string => {
  const before = process.env['PREVIOUS_COMMIT'] ?? 'HEAD~1'
  const known = new Set(listMigrations(before))
  const current = new Set(listMigrations('HEAD'))
  const isRefused = [...known].some((migration) => !current.has(migration))
  const needsStop = findStops('HEAD').some((path) => !findStops(before).includes(path))
  return isRefused || needsStop ? 'HEAD' : before
}

/**
 * The commit before the first migration that needs a stop, so that all of them are applied to what a release stored. The
 * commits between those that were developed together are no releases: one has a migration that was changed later.
 */
function findCommitBeforeStop(): string {
  const current = new Set(listMigrations('HEAD'))
  const commits = findStops('HEAD').toSorted().map(findCommitBefore)
  return commits.find((commit) => listMigrations(commit).every((each) => current.has(each)))!
}

/** The commit before the one that added a file. */
function findCommitBefore(path: string): string {
  const args = ['log', '--diff-filter=A', '--max-count=1', '--format=%H', '--', path]
  return `${run('git', args, { cwd: root }).toString().trim()}~1`
}

/** The migrations of a commit: the hash and the path of each file. */
const listMigrations = (commit: string): string[] =>
  run('git', ['ls-tree', '-r', commit, 'prisma/migrations/'], { cwd: root })
    .toString()
    .split('\n')
    .filter((line) => line.endsWith('/migration.sql'))

/** The paths of the migrations of a commit that need a stop (CONTRIBUTING.md#migrations). */
const findStops = (commit: string): string[] =>
  listMigrations(commit)
    .map((line) => line.split('\t')[1]!)
    .filter((path) =>
      run('git', ['show', `${commit}:${path}`], { cwd: root })
        .toString()
        .startsWith('-- Needs a stop: '),
    )

/** Builds the commit that runs beside this checkout. See {@link build}. */
export const buildPreviousRelease = (): string => build(findCommitBeside(), 'previous-release')

/** Builds the last commit that cannot run beside this checkout. See {@link build}. */
export const buildReleaseBeforeStop = (): string =>
  build(findCommitBeforeStop(), 'release-before-stop')

/**
 * Builds a commit in a folder of its own.
 *
 * @returns the path of the folder, with a slash at its end.
 * @throws Error if the history does not contain the commit, or if it does not build.
 */
function build(commit: string, name: string): string {
  const folder = `${root}.cache/${name}/`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  run('tar', ['--extract'], {
    cwd: folder,
    input: run('git', ['archive', commit], { cwd: root }),
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
