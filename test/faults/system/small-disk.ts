import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { run } from '../../../tools/local-stack/process.ts'
import { ownerOf, type SystemUser } from '../../../tools/local-stack/system-user.ts'
import type { FaultServers } from './servers.ts'

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
 * @param size - in MiB.
 * @throws Error without the right to mount, which root has unless a container takes it away.
 */
async function mountSmallDisk(size: number, { uid, gid }: SystemUser): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), 'hosting-small-disk-'))
  const options = `size=${size}m,uid=${uid},gid=${gid},mode=700`
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

/** More than a run stores. */
const mebibytes = 256

/** Moves the tables of the database to a file system of their own. The write-ahead log stays. */
export async function moveToSmallDisk({
  postgres,
  databaseUrl,
}: Pick<FaultServers, 'postgres' | 'databaseUrl'>): Promise<SmallDisk> {
  const name = new URL(databaseUrl).pathname.slice(1)
  const client = new pg.Client({ connectionString: postgres.url() })
  await client.connect()
  try {
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory')
    const mounted = await mountSmallDisk(mebibytes, await ownerOf(rows[0]!.data_directory))
    await client.query(`CREATE TABLESPACE small LOCATION '${mounted.path}'`)
    await client.query(`ALTER DATABASE ${name} SET TABLESPACE small`)
    return mounted
  } finally {
    await client.end()
  }
}
