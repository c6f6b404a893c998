import { Redis } from 'ioredis'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRedis } from '../../tools/local-stack/redis.ts'
import type { RunningServer } from '../../tools/local-stack/server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** A Redis server for one test, which can be stopped, emptied and paused. */
export interface OwnRedis {
  /** Stays the same for the whole test. */
  readonly url: string
  stop(): Promise<void>
  /** Restarts it, with its data or empty. */
  start(data: 'kept' | 'lost'): Promise<void>
  /** Runs a command. */
  command(name: string, ...args: string[]): Promise<unknown>
  /** Pauses it: connections stay open, but nothing responds. */
  hang(): Promise<void>
  resume(): void
  /** Stops it permanently. */
  remove(): Promise<void>
}

/** Starts a Redis that keeps its data across restarts. */
export async function makeOwnRedis(): Promise<OwnRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'hosting-redis-'))
  const options = { directory, durable: true }
  let server: RunningServer | undefined = await startRedis(options)
  // Another process can take a free port, so Redis may restart on another port.
  let serverUrl = server.url()
  const proxy = await startTcpProxy(() => serverUrl)
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
