import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../../tools/local-stack/process.ts'
import type { SystemUser } from '../../../tools/local-stack/system-user.ts'

/** A file system of its own, which can be filled. */
export interface SmallDisk {
  readonly path: string
  /** Fills it to the last byte. */
  fill(): Promise<void>
  /** Frees what `fill` took. */
  free(): Promise<void>
  remove(): Promise<void>
}

/**
 * Mounts a file system in memory for a user.
 *
 * @throws Error without the right to mount, which root has unless a container takes it away.
 */
export async function mountSmallDisk(
  mebibytes: number,
  { uid, gid }: SystemUser,
): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), 'hosting-small-disk-'))
  const options = `size=${mebibytes}m,uid=${uid},gid=${gid},mode=700`
  await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path])
  const filler = join(path, 'filler')
  return {
    path,
    async fill() {
      for (let number = 0; ; number++) {
        const { bavail, bsize } = await statfs(path)
        if (bavail === 0) return
        // PostgreSQL may be faster.
        await writeFile(`${filler}-${number}`, Buffer.alloc(bavail * bsize)).catch(() => undefined)
      }
    },
    async free() {
      await run('find', [path, '-maxdepth', '1', '-name', 'filler-*', '-delete'])
    },
    async remove() {
      await run('umount', [path])
      await rm(path, { recursive: true })
    },
  }
}
