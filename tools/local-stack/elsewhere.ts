import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A folder that only root may enter, such as a checkout in /root, is inaccessible to the user that PostgreSQL
 * runs as: that user can neither load programs from its node_modules nor reach data in it. In this case, and
 * only for root, both are stored here, where every user has access.
 */
export const ELSEWHERE = '/var/lib/hosting-control'

/** Creates it, or a folder in it, so that every user may enter. */
export async function makeElsewhere(name = ''): Promise<string> {
  const folder = join(ELSEWHERE, name)
  await mkdir(folder, { recursive: true })
  // Independent of root's umask.
  await chmod(ELSEWHERE, 0o755)
  await chmod(folder, 0o755)
  return folder
}
