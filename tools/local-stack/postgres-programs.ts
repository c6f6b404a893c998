import { globSync } from 'node:fs'
import { realpath, access, constants } from 'node:fs/promises'
import { dirname, join, delimiter } from 'node:path'
import { copyEmbedded, findEmbedded } from './embedded-postgres.ts'
import { plainEnvironment, run } from './process.ts'
import type { SystemUser } from './system-user.ts'

const OLDEST_MAJOR = 14

const MISSING =
  `PostgreSQL ${OLDEST_MAJOR} or newer is not installed: install it with "apt-get install postgresql" ` +
  'or "brew install postgresql", set DATABASE_URL to a running server, or use "docker compose up"'

// Debian, Red Hat, and Homebrew on both kinds of Mac do not add them to the PATH.
const MACHINE_FOLDERS = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql*/bin',
  '/usr/local/opt/postgresql*/bin',
]

export type PostgresPrograms = { folder: string; major: number }

/**
 * The PostgreSQL that the user can run: npm's, otherwise the newest installed one.
 *
 * @throws Error, one line that names what to install.
 */
export async function findPostgres(
  directory: string,
  user: SystemUser | undefined,
  log?: (line: string) => void,
): Promise<PostgresPrograms> {
  const found = (await tryEmbedded(directory, user, log)) ?? (await tryMachine(user))
  if (!found) throw new Error(MISSING)
  return found
}

async function tryEmbedded(
  directory: string,
  user: SystemUser | undefined,
  log?: (line: string) => void,
) {
  const embedded = await findEmbedded()
  if (!embedded) return undefined
  const inPlace = await probe(join(embedded, 'native/bin'), user)
  if (inPlace) return inPlace
  return await probe(join(await copyEmbedded(embedded, directory, log), 'native/bin'), user)
}

/** The newest installed PostgreSQL, which has the client programs: npm's has none. */
export async function findMachinePostgres(
  _directory: string,
  user: SystemUser | undefined,
): Promise<PostgresPrograms> {
  const found = await tryMachine(user)
  if (!found) throw new Error(MISSING)
  return found
}

async function tryMachine(user: SystemUser | undefined) {
  const initdb = await findOnPath('initdb')
  const folders = initdb ? [dirname(await realpath(initdb))] : []
  const probed = [...folders, ...globSync(MACHINE_FOLDERS)].map((folder) => probe(folder, user))
  const found = (await Promise.all(probed)).filter((programs) => programs !== undefined)
  return found.toSorted((a, b) => b.major - a.major)[0]
}

/** The programs in a folder, if the user can run them; this runs them to make sure. */
async function probe(folder: string, user: SystemUser | undefined) {
  try {
    const options = { cwd: '/', env: plainEnvironment, ...user }
    await run(join(folder, 'initdb'), ['--version'], options)
    const { stdout } = await run(join(folder, 'postgres'), ['--version'], options)
    const major = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1])
    return major >= OLDEST_MAJOR ? { folder, major } : undefined
  } catch {
    return undefined
  }
}

/** The first program with the name on the PATH. */
export async function findOnPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, name)
    const isProgram = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (folder && isProgram) return file
  }
  return undefined
}
