import { installDebianPackage } from '../../tools/local-stack/debian-package.ts'
import {
  findMachinePostgres,
  type PostgresPrograms,
} from '../../tools/local-stack/postgres-programs.ts'
import { findServerUser } from '../../tools/local-stack/system-user.ts'

/**
 * The folder of PostgreSQL's client programs. The npm package does not contain them, and they must have the
 * server's major version. Installs them with apt-get if they are missing.
 *
 * @throws Error if they are missing and cannot be installed.
 */
export async function getMachinePostgres(directory: string): Promise<PostgresPrograms> {
  const find = async () => findMachinePostgres(directory, await findServerUser(directory))
  return find().catch(async () => {
    await installDebianPackage('postgresql')
    return find()
  })
}
