import { findOnPath } from './path.ts'
import { run } from './process.ts'

/**
 * Installs a package of Debian's with apt-get, where that needs no question. A system service that it sets
 * up is ended: nobody asked for it.
 *
 * @returns what prevented it.
 */
export async function installDebianPackage(
  name: string,
  log?: (line: string) => void,
): Promise<unknown> {
  try {
    const aptGet = await findOnPath('apt-get')
    if (!aptGet) return new Error('no apt-get')
    const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
    if (asRoot.length > 0) await run('sudo', ['-n', 'true'])
    log?.(`Installing ${name} with apt-get`)
    const environment = ['env', 'DEBIAN_FRONTEND=noninteractive']
    const apt = [...asRoot, ...environment, aptGet, '-o', 'DPkg::Lock::Timeout=120']
    // Fails where any one source does, and the others may be enough.
    await runStep([...apt, 'update']).catch(() => undefined)
    await runStep([...apt, 'install', '--yes', '--no-install-recommends', name])
    await runStep([...asRoot, 'service', name, 'stop']).catch(() => undefined)
    await runStep([...asRoot, 'update-rc.d', name, 'disable']).catch(() => undefined)
    return undefined
  } catch (error) {
    log?.(`apt-get could not: ${String(error)}`)
    return error
  }
}

async function runStep([command, ...args]: string[]): Promise<void> {
  await run(command!, args, { timeout: 300_000 })
}
