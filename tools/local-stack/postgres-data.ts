import { createHash, randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ELSEWHERE, makeElsewhere } from './elsewhere.ts'
import { stopLeftover, postgresLeftover } from './leftover.ts'
import { errorCode, orMissing } from './file-errors.ts'
import type { PostgresPrograms } from './postgres-programs.ts'
import { plainEnvironment, run } from './process.ts'
import { remember } from './remembered.ts'
import { mayEnter, type SystemUser } from './system-user.ts'

// In the data folder, so that the two are removed or copied together.
const PASSWORD_FILE = 'superuser-password'

/**
 * The path of the data: `directory/name`. If the server's user has no access to it, the path is a link to a
 * folder elsewhere.
 */
export async function placeData(
  directory: string,
  name: string,
  user: SystemUser | undefined,
): Promise<string> {
  const place = join(directory, name)
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 16)
  const outside = join(ELSEWHERE, hash, name)
  const known = await orMissing(realpath(place))
  // In a copied checkout, the link still leads to the original's data.
  const isCopiedLink = known?.startsWith(`${ELSEWHERE}/`) && known !== outside
  if (known && !isCopiedLink) return known
  await rm(place, { force: true })
  if (!user || (await mayEnter(user, directory))) return place
  await linkOutside(place, outside, hash)
  return outside
}

async function linkOutside(place: string, outside: string, hash: string): Promise<void> {
  await makeElsewhere(hash)
  // Removing the link means removing the data.
  await stopLeftover(postgresLeftover(outside))
  await rm(outside, { recursive: true, force: true })
  await symlink(outside, place)
}

/** Creates the data with a superuser `postgres` unless it exists; returns that user's password, and the file with it. */
export async function initialize(
  data: string,
  programs: PostgresPrograms,
  options: { user: SystemUser | undefined; durable: boolean },
): Promise<{ password: string; passwordFile: string }> {
  const passwordFile = join(data, PASSWORD_FILE)
  try {
    if (!(await orMissing(stat(data)))) await initdb(data, programs, options)
    return { password: (await readFile(passwordFile, 'utf8')).trim(), passwordFile }
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error
    throw new Error(`${data} belongs to another user: run as that user, or remove it`, {
      cause: error,
    })
  }
}

/** Uses a temporary name until it is complete, so that an interrupted one is never considered valid. */
async function initdb(
  data: string,
  { folder }: PostgresPrograms,
  { user, durable }: { user: SystemUser | undefined; durable: boolean },
): Promise<void> {
  const unfinished = `${data}.new`
  const passwordFile = `${data}.password`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  await remember(passwordFile, randomBytes(24).toString('hex'))
  if (user) {
    await chown(unfinished, user.uid, user.gid)
    await chown(passwordFile, user.uid, user.gid)
  }
  await run(
    join(folder, 'initdb'),
    [
      `--pgdata=${unfinished}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
    ],
    { cwd: '/', env: plainEnvironment, ...user },
  )
  await rename(passwordFile, join(unfinished, PASSWORD_FILE))
  await rename(unfinished, data)
}
