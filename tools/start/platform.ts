import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../local-stack/free-port.ts'
import { root } from '../run.ts'
import type { Lifetime } from './lifetime.ts'
import { say } from './say.ts'

/** Starts the example platform (examples/platform), and prints its URL once it listens. */
export async function startPlatform(
  lifetime: Lifetime,
  internalUrl: string,
  serviceToken: string,
): Promise<void> {
  const port = await freePort(4_000)
  const child = spawn(process.execPath, [`${root}examples/platform/server.ts`], {
    env: {
      PATH: process.env['PATH'],
      INTERNAL_URL: internalUrl,
      SERVICE_TOKEN: serviceToken,
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  child.once('close', () => {
    if (!lifetime.signal.aborted) lifetime.fail(new Error('The example platform ended.'))
  })
  lifetime.onEnd(async () => {
    child.kill()
    await ended
  })
  await Promise.race([once(child.stdout, 'data'), ended])
  lifetime.signal.throwIfAborted()
  say(`\n  ${'Platform'.padEnd(18)} http://127.0.0.1:${port}`)
}
