import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../../tools/local-stack/postgres.ts'
import { migrate } from '../../../tools/migrations.ts'
import { getMachinePostgres } from '../../support/machine-postgres.ts'

const name = 'hosting_control'

/** A server of the version that this machine has installed, and one of the newest version. Each has an empty database. */
export interface Versions {
  /** The folder of the client programs. */
  readonly programs: string
  old(): string
  newest(): string
  migrateOld(): Promise<void>
  /** Restarts the old server, at the same address. */
  restartOld(): Promise<void>
  /** The major versions. */
  majors(): Promise<number[]>
  stop(): Promise<void>
}

/** Starts both. */
export async function startVersions(): Promise<Versions> {
  const directory = await mkdtemp(join(tmpdir(), 'hosting-versions-'))
  const folders = [join(directory, 'old'), join(directory, 'new')] as const
  const programs = await getMachinePostgres(directory)
  const startOld = () =>
    startPostgres({ directory: folders[0], durable: true }, () => Promise.resolve(programs))
  const [first, newest] = [
    await startOld(),
    await startPostgres({ directory: folders[1], durable: true }),
  ]
  let old = first
  for (const server of [old, newest]) await ask(server.url(), `CREATE DATABASE ${name}`)
  return {
    programs: programs.folder,
    old: () => old.url(name),
    newest: () => newest.url(name),
    async migrateOld() {
      await migrate(old.url(name))
    },
    async restartOld() {
      await old.stop()
      old = await startOld()
      if (old.url() !== first.url()) throw new Error('meanwhile another program took the port')
    },
    majors: () =>
      Promise.all(
        [old, newest].map(async (server) => {
          const [row] = await ask(
            server.url(),
            `SELECT current_setting('server_version_num') AS version`,
          )
          return Math.floor(Number(row!['version']) / 10_000)
        }),
      ),
    async stop() {
      await Promise.all([old.stop(), newest.stop()])
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function ask(url: string, sql: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, string>>(sql)).rows
  } finally {
    await client.end()
  }
}
