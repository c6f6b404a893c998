import { readFile, rm, writeFile } from 'node:fs/promises'
import { errorCode, orMissing } from './file-errors.ts'
import { commandOf } from './process.ts'

/** Another running process has the server of this folder. */
export class AlreadyRunning extends Error {}

/**
 * Starts a server that belongs to this process until it is stopped. Without the record in `file`, a second start in
 * the same folder would consider the first one's server a leftover and stop it.
 *
 * @throws AlreadyRunning while another running process has the server.
 */
export async function owning<Owned extends { stop: () => Promise<void> }>(
  file: string,
  start: () => Promise<Owned>,
): Promise<Owned> {
  await claim(file)
  const release = () => rm(file, { force: true })
  try {
    const server = await start()
    const stop = async () => {
      try {
        await server.stop()
      } finally {
        await release()
      }
    }
    let stopped: Promise<void> | undefined
    return { ...server, stop: () => (stopped ??= stop()) }
  } catch (error) {
    await release()
    throw error
  }
}

async function claim(file: string): Promise<void> {
  for (;;) {
    try {
      return await writeFile(file, await toNote(process.pid, file), { flag: 'wx' })
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
    await removeUnlessOwned(file)
  }
}

async function removeUnlessOwned(file: string): Promise<void> {
  const note = await orMissing(readFile(file, 'utf8'))
  const pid = Number.parseInt(note ?? '', 10)
  const isOwned = pid > 0 && pid !== process.pid && note === (await toNote(pid, file))
  if (isOwned) throw new AlreadyRunning(`Already running here as process ${pid}: stop it first`)
  await rm(file, { force: true })
}

/** Not only the process id, which may be reused. The path is included because the folder may be a copy. */
async function toNote(pid: number, file: string): Promise<string> {
  return `${pid}\n${file}\n${(await commandOf(pid)) ?? 'ended'}\n`
}
