import { Redis } from 'ioredis'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRedis } from '../../tools/local-stack/redis.ts'
import type { RunningServer } from '../../tools/local-stack/server.ts'
import { startProxy } from './wire-tap.ts'

/** A Redis server of a test's own, to be stopped, emptied and held up. */
export interface OwnRedis {
  /** The same for as long as the test runs. */
  readonly url: string
  stop(): Promise<void>
  /** Starts it again, with the data that it had or with none. */
  start(data: 'kept' | 'lost'): Promise<void>
  /** Runs a command. */
  command(name: string, ...args: string[]): Promise<unknown>
  /** Holds it up: connections stay, nothing is answered. */
  hang(): Promise<void>
  resume(): void
  /** Ends it for good. */
  remove(): Promise<void>
}

/** Starts a Redis that keeps its data over a restart. */
export async function makeOwnRedis(): Promise<OwnRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'hosting-redis-'))
  const options = { directory, durable: true }
  let server: RunningServer | undefined = await startRedis(options)
  // A port that nobody listens on may be taken by anybody, so Redis may come back on another.
  let serverUrl = server.url()
  const proxy = await startProxy(() => serverUrl)
  let heldPid: number | undefined

  async function command(name: string, ...args: string[]): Promise<unknown> {
    const client = new Redis(serverUrl, { retryStrategy: () => null })
    try {
      return await client.call(name, ...args)
    } finally {
      client.disconnect()
    }
  }

  function resume(): void {
    if (heldPid !== undefined) process.kill(heldPid, 'SIGCONT')
    heldPid = undefined
  }

  async function stop(): Promise<void> {
    resume()
    await server?.stop()
    server = undefined
  }

  return {
    url: proxy.url,
    command,
    resume,
    stop,
    async start(data) {
      if (data === 'lost') await rm(join(directory, 'redis', 'appendonlydir'), { recursive: true })
      server = await startRedis(options)
      serverUrl = server.url()
    },
    async hang() {
      const info = (await command('INFO', 'server')) as string
      heldPid = Number(/process_id:(\d+)/.exec(info)![1])
      process.kill(heldPid, 'SIGSTOP')
    },
    async remove() {
      await stop()
      await proxy.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
