import type { RunningServer } from '../local-stack/server.ts'
import type { Lifetime } from './lifetime.ts'

/**
 * Waits for all, even if one fails, so that nothing is still starting during the shutdown.
 *
 * @throws the first failure.
 */
export async function together<const Work extends readonly Promise<unknown>[]>(
  work: Work,
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  await Promise.allSettled(work)
  return await Promise.all(work)
}

/** Starts servers in parallel. They also stop in parallel, and the lifetime ends with any of them. */
export async function startTogether<const Servers extends readonly Promise<RunningServer>[]>(
  lifetime: Lifetime,
  starting: Servers,
): Promise<{ -readonly [Index in keyof Servers]: Awaited<Servers[Index]> }> {
  const started: RunningServer[] = []
  lifetime.onEnd(() => together(started.map((server) => server.stop())))
  const keeping = starting.map(async (start) => {
    const server = await start
    started.push(server)
    void server.ended.then(lifetime.fail)
  })
  await together(keeping)
  lifetime.signal.throwIfAborted()
  return await Promise.all(starting)
}
