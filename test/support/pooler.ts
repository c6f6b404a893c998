import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { requireDebianProgram } from '../../tools/local-stack/debian-package.ts'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { findServerUser } from '../../tools/local-stack/system-user.ts'
import { until } from './until.ts'

/** A running pooler of PostgreSQL. */
export interface Pooler {
  /** The URL of a database of the server through the pooler. */
  url(databaseUrl: string): string
  /** Stops it with SIGKILL, and starts it again after a time. */
  killAndRestart(afterMs?: number): Promise<void>
  /** Pauses it: connections stay open, but nothing responds. */
  hang(): void
  resume(): void
  stop(): Promise<void>
}

/** How to run a pooler. */
export interface PoolerProgram {
  readonly program: string
  readonly debianPackage: string
  /** The contents of its files, by name. */
  files(place: PoolerPlace): Promise<Readonly<Record<string, string>>>
  /** What ends it with all its processes. */
  readonly endSignal: NodeJS.Signals
  args(place: PoolerPlace): readonly string[]
}

/** Where a pooler runs. */
export interface PoolerPlace {
  readonly folder: string
  readonly port: number
}

/** Starts a pooler, as a user who is not root. */
export async function startPooler(serverUrl: string, how: PoolerProgram): Promise<Pooler> {
  await requireDebianProgram(how.program, how.debianPackage)
  const user = await findServerUser('/tmp')
  const folder = await mkdtemp('/tmp/hosting-pooler-')
  const port = await freePort()
  const files = Object.entries(await how.files({ folder, port }))
  for (const [name, content] of files) await writeFile(join(folder, name), content)
  for (const [name] of files) await chmod(join(folder, name), 0o600)
  const paths = [folder, ...files.map(([name]) => join(folder, name))]
  if (user) for (const path of paths) await chown(path, user.uid, user.gid)
  const url = (databaseUrl: string): string => {
    const through = new URL(databaseUrl)
    through.host = `127.0.0.1:${port}`
    return through.href
  }

  async function start(): Promise<ChildProcess> {
    const options = { cwd: '/', stdio: 'ignore' as const, ...user }
    const started = spawn(how.program, how.args({ folder, port }), options)
    await until(
      () => reachesPostgres(url(serverUrl)),
      (isThere) => isThere,
    )
    return started
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  let child = await start()
  return {
    url,
    async killAndRestart(afterMs = 0) {
      await end('SIGKILL')
      await setTimeout(afterMs)
      child = await start()
    },
    hang: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      await end(how.endSignal)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Whether a server responds to a statement. */
export async function reachesPostgres(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
