import { installDebianPackage } from '../../tools/local-stack/debian-package.ts'
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
  return find().catch(async () => {
    await installDebianPackage('postgresql')
    return find()
  })
}
