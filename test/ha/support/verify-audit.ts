import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { root } from '../../../tools/run.ts'

/**
 * Returns what `npm run audit:verify` prints.
 *
 * @param environment - the settings of the processes.
 * @throws Error if it finds an error.
 */
export async function runAuditVerify(
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const options = { cwd: root, env: { PATH: process.env['PATH'], ...environment } }
  return (await promisify(execFile)(process.execPath, ['tools/verify-audit.ts'], options)).stdout
}
