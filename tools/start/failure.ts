import { relative, sep } from 'node:path'
import { errorCode } from '../local-stack/file-errors.ts'
import { StartFailure } from '../local-stack/server.ts'

const startingOver =
  'To start over: rm -rf .local\n' +
  'That deletes all local data: the databases, the demo organization with its keys and endpoints, mails and logs.\n' +
  'The next npm start creates them again, with another password and API key.'

/** A failure whose remedy may be to start over. */
export class DataFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`${message}\n\n${startingOver}`, options)
  }
}

const rightsRemedy =
  '\nIf another user created it (for example root, with sudo), run npm start as that user, or make it yours:\n' +
  'sudo chown -R "$(id -un)" .local'

/** Why a file of the data folder cannot be used, by the code of the error. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: `permission denied.${rightsRemedy}`,
  EPERM: `the operation is not permitted.${rightsRemedy}`,
  EROFS: 'the file system is read-only.',
  ENOTDIR: 'it is a file, and has to be a folder.',
  EEXIST: 'it is a file, and has to be a folder.',
}

/** Explains a failure that the data folder causes; returns other errors as they are. */
export function explainFailure(error: unknown, directory: string): unknown {
  const path = pathOf(error)
  if (path === undefined || (path !== directory && !path.startsWith(directory + sep))) return error
  const code = String(errorCode(error))
  if (code === 'ENOSPC') return new Error(`The disk is full: ${path} cannot be written.`)
  const reason = reasons[code]
  if (reason === undefined) return error
  const name = ['.local', relative(directory, path)].filter(Boolean).join('/')
  return new DataFailure(`${name} cannot be used: ${reason}\nPath: ${path}`, { cause: error })
}

/** Explains why one of our own data stores did not start. */
export function explainStore(error: unknown): never {
  throw error instanceof StartFailure ? new DataFailure(error.message, { cause: error }) : error
}

/** Explains why our own database could not be migrated, for example because it is of a later version. */
export function explainMigration(error: unknown): never {
  throw new DataFailure(error instanceof Error ? error.message : String(error), { cause: error })
}

function pathOf(error: unknown): string | undefined {
  const path = typeof error === 'object' && error !== null && 'path' in error && error.path
  return typeof path === 'string' ? path : undefined
}
