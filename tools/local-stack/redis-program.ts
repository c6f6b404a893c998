import { findOnPath } from './path.ts'
import { run } from './process.ts'

const MISSING =
  'Redis is missing: "apt-get install redis-server" or "brew install redis" provides it, ' +
  'or set REDIS_URL to one that runs, or use "docker compose up"'

/**
 * The machine's Redis or Valkey, installed with apt-get where that needs no question.
 *
 * @throws Error, one line that names what to install.
 */
export async function findRedis(log?: (line: string) => void): Promise<string> {
  const found = await onPath()
  if (found) return found
  const fault = await install(log)
  const installed = await onPath()
  if (installed) return installed
  throw new Error(MISSING, { cause: fault })
}

async function onPath(): Promise<string | undefined> {
  return (await findOnPath('redis-server')) ?? (await findOnPath('valkey-server'))
}

/** Gives what prevented it. */
async function install(log?: (line: string) => void): Promise<unknown> {
  try {
    const aptGet = await findOnPath('apt-get')
    if (!aptGet) return new Error('no apt-get')
    const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
    if (asRoot.length > 0) await run('sudo', ['-n', 'true'])
    log?.('Installing redis-server with apt-get')
    const environment = ['env', 'DEBIAN_FRONTEND=noninteractive']
    const apt = [...asRoot, ...environment, aptGet, '-o', 'DPkg::Lock::Timeout=120']
    // Fails where any one source does, and the others may be enough.
    await runStep([...apt, 'update']).catch(() => undefined)
    await runStep([...apt, 'install', '--yes', '--no-install-recommends', 'redis-server'])
    // The package also sets up a system service on port 6379, which nobody asked for.
    await runStep([...asRoot, 'service', 'redis-server', 'stop']).catch(() => undefined)
    await runStep([...asRoot, 'update-rc.d', 'redis-server', 'disable']).catch(() => undefined)
    return undefined
  } catch (error) {
    log?.(`apt-get could not: ${String(error)}`)
    return error
  }
}

async function runStep([command, ...args]: string[]): Promise<void> {
  await run(command!, args, { timeout: 300_000 })
}
