import { root } from '../../../tools/run.ts'
import { startServers } from '../../faults/system/servers.ts'

/** The data of a server with a migrated database. Pairs of servers are copies of it. */
export const templateFolder = `${root}.cache/ha-template`

/** Makes the template, once for all files. */
export async function makeTemplate(): Promise<void> {
  const servers = await startServers(templateFolder)
  await servers.stop()
}
