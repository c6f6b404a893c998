import { execFileSync } from 'node:child_process'
import {
  findMachinePostgres,
  type PostgresPrograms,
} from '../../tools/local-stack/postgres-programs.ts'
import { findServerUser } from '../../tools/local-stack/system-user.ts'

/**
 * The machine's own PostgreSQL with its client programs, which the one from npm has not and which must be of the
 * server's release. Installed with apt-get where there is none.
 *
 * @throws Error if there is none and it cannot be installed.
 */
export async function getMachinePostgres(directory: string): Promise<PostgresPrograms> {
  const find = async () => findMachinePostgres(directory, await findServerUser(directory))
  return find().catch(() => {
    install()
    return find()
  })
}

function install(): void {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const apt = [
    ...asRoot,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    '-o',
    'DPkg::Lock::Timeout=120',
  ]
  const run = ([command, ...args]: string[]) =>
    execFileSync(command!, args, { stdio: 'ignore', timeout: 300_000 })
  try {
    // Fails where any one source does, and the others may be enough.
    run([...apt, 'update'])
  } catch {}
  run([...apt, 'install', '--yes', '--no-install-recommends', 'postgresql'])
  // The package also sets up a server of its own, which nobody asked for.
  run([...asRoot, 'service', 'postgresql', 'stop'])
}
