import { readFile, stat } from 'node:fs/promises'
import { run } from './process.ts'

export type SystemUser = { uid: number; gid: number }

/**
 * Whom PostgreSQL, which refuses to run as root, runs as when we are root: the directory's owner if
 * that is somebody else, else the machine's `postgres`, else `nobody`. Undefined for an ordinary
 * user, whose servers are simply the user's own.
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
  throw new Error('PostgreSQL refuses to run as root, and /etc/passwd has no user for it')
}

export async function ownerOf(path: string): Promise<SystemUser> {
  const { uid, gid } = await stat(path)
  return { uid, gid }
}

/** Whether the user may enter a folder, and so every folder above it. */
export async function mayEnter(user: SystemUser, folder: string): Promise<boolean> {
  // Asked of the kernel in that user's name: modes do not tell all (ACLs, mounts).
  const entering = run('/bin/sh', ['-c', 'cd "$0"', folder], { cwd: '/', ...user })
  return await entering.then(
    () => true,
    () => false,
  )
}
