import { installDebianPackage } from './debian-package.ts'
import { findOnPath } from './path.ts'

const MISSING =
  'Redis is not installed: install it with "apt-get install redis-server" or "brew install redis", ' +
  'set REDIS_URL to a running server, or use "docker compose up"'

/**
 * The installed Redis or Valkey; installed with apt-get if possible without a prompt.
 *
 * @throws Error, one line that names what to install.
 */
export async function findRedis(log?: (line: string) => void): Promise<string> {
  const found = await onPath()
  if (found) return found
  log?.('Redis is not installed (set REDIS_URL to use a server that runs elsewhere)')
  const error = await installDebianPackage('redis-server', log)
  const installed = await onPath()
  if (installed) return installed
  throw new Error(MISSING, { cause: error })
}

async function onPath(): Promise<string | undefined> {
  return (await findOnPath('redis-server')) ?? (await findOnPath('valkey-server'))
}
