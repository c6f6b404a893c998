import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findOnPath } from './postgres-programs.ts'
import { run } from './process.ts'

/**
 * Installs a Debian package with apt-get if possible without a prompt. Stops a system service that the package
 * starts, because it was not requested.
 *
 * @returns the reason of a failure.
 */
export async function installDebianPackage(
  name: string,
  log?: (line: string) => void,
): Promise<unknown> {
  try {
    await mayInstall()
    log?.(`Installing the Debian package ${name} with ${isRoot ? 'apt-get' : 'sudo apt-get'}`)
    await updateLists()
    await apt('install', '--yes', '--no-install-recommends', name)
    await asRoot('service', name, 'stop').catch(() => undefined)
    await asRoot('update-rc.d', name, 'disable').catch(() => undefined)
    return undefined
  } catch (error) {
    log?.(
      `apt-get could not install ${name}: ${error instanceof Error ? error.message : String(error)}`,
    )
    return error
  }
}

/**
 * Installs a Debian package if its program is missing.
 *
 * @throws Error if the program is missing afterwards.
 */
export async function requireDebianProgram(program: string, name: string): Promise<void> {
  if (existsSync(program)) return
  const cause = await installDebianPackage(name)
  if (!existsSync(program))
    throw new Error(`${name} is missing: apt-get install ${name}`, { cause })
}

/** Downloads a Debian package into a directory without installing it. @throws Error if it is unavailable. */
export async function fetchDebianPackage(name: string, directory: string): Promise<void> {
  const fetch = () => run('apt-get', ['download', name], { cwd: directory, timeout: waitMsMax })
  await fetch().catch(async () => {
    // A new machine has no package lists yet.
    await updateLists()
    await fetch()
  })
}

const waitMsMax = 300_000

async function mayInstall(): Promise<void> {
  if (!(await findOnPath('apt-get'))) throw new Error('no apt-get')
  if (!isRoot) await run('sudo', ['-n', 'true'])
}

const isRoot = process.getuid?.() === 0

const asRoot = (...command: string[]): Promise<unknown> => {
  const [program, ...args] = isRoot ? command : ['sudo', '-n', ...command]
  return run(program!, args, { timeout: waitMsMax })
}

/** Concurrent installations, for example by test files, wait for each other: apt-get itself would fail. */
const lock = join(tmpdir(), 'hosting-control-apt.lock')

const apt = (...args: string[]): Promise<unknown> => asRoot(...aptGet, ...args)

const aptGet = [
  'flock',
  lock,
  'env',
  'DEBIAN_FRONTEND=noninteractive',
  'apt-get',
  '-o',
  'DPkg::Lock::Timeout=120',
]

/** Fails if any source fails, although the others may be enough. */
const updateLists = (): Promise<unknown> => apt('update').catch(() => undefined)
