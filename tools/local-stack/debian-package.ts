import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findOnPath } from './path.ts'
import { run } from './process.ts'

/**
 * Installs a package of Debian's with apt-get, where that needs no question. A system service that it sets
 * up is ended: nobody asked for it.
 *
 * @returns what prevented it.
 */
export async function installDebianPackage(
  name: string,
  log?: (line: string) => void,
): Promise<unknown> {
  try {
    await mayInstall()
    log?.(`Installing ${name} with apt-get`)
    await updateLists()
    await apt('install', '--yes', '--no-install-recommends', name)
    await asRoot('service', name, 'stop').catch(() => undefined)
    await asRoot('update-rc.d', name, 'disable').catch(() => undefined)
    return undefined
  } catch (error) {
    log?.(`apt-get could not: ${String(error)}`)
    return error
  }
}

/** Fetches a package of Debian's into a directory, and installs nothing. @throws Error if it cannot be had. */
export async function fetchDebianPackage(name: string, directory: string): Promise<void> {
  const fetch = () => run('apt-get', ['download', name], { cwd: directory, timeout: waitMsMax })
  await fetch().catch(async () => {
    // A new machine does not know yet which packages there are.
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

/** Those that install at once, as test files do, wait for each other: apt-get itself would give up. */
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

/** Fails where any one source does, and the others may be enough. */
const updateLists = (): Promise<unknown> => apt('update').catch(() => undefined)
