import { readFile, stat } from 'node:fs/promises'
import { run } from './process.ts'

export type SystemUser = { uid: number; gid: number }

/**
 * The user that PostgreSQL, which refuses to run as root, runs as if this process is root: the directory's owner
 * unless that is root, otherwise the machine's `postgres`, otherwise `nobody`. Undefined for an ordinary user,
 * whose servers run as that user.
 */
export async function findServerUser(directory: string): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = await ownerOf(directory)
  if (owner.uid !== 0) return owner
  const passwd = await readFile('/etc/passwd', 'utf8')
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(-?\\d+):(-?\\d+):`, 'm').exec(passwd) ?? []
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('PostgreSQL does not run as root, and /etc/passwd has no other user to run it as')
}

export async function ownerOf(path: string): Promise<SystemUser> {
  const { uid, gid } = await stat(path)
  return { uid, gid }
}

/** Whether the user may enter a folder, and so every folder above it. */
export async function mayEnter(user: SystemUser, folder: string): Promise<boolean> {
  // Tested as that user, because modes are not sufficient (ACLs, mounts).
  const entering = run('/bin/sh', ['-c', 'cd "$0"', folder], { cwd: '/', ...user })
  return await entering.then(
    () => true,
    () => false,
  )
}
