import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A checkout in /root, or any folder that only root may enter, is closed to the user that PostgreSQL
 * runs as: it can neither load its programs from node_modules there nor reach data beneath. Then,
 * and only for root, both are placed here, where every user may go.
 */
export const ELSEWHERE = '/var/lib/hosting-control'

/** Makes it, or a folder in it, such that every user may enter. */
export async function makeElsewhere(name = ''): Promise<string> {
  const folder = join(ELSEWHERE, name)
  await mkdir(folder, { recursive: true })
  // Whatever root's umask.
  await chmod(ELSEWHERE, 0o755)
  await chmod(folder, 0o755)
  return folder
}
