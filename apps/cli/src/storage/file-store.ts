import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfThere, writeAtomically } from './atomic-file.ts'
import type { CredentialStore } from './credential-store.ts'

/** Keeps each token in a file that its owner alone can read. */
export function fileStore(configDirectory: string): CredentialStore {
  const directory = join(configDirectory, 'credentials')
  const pathOf = (profile: string) => join(directory, profile)
  return {
    kind: 'file',
    where: directory,
    read: async (profile) => (await readIfThere(pathOf(profile)))?.trim(),
    write: (profile, token) => writeAtomically(pathOf(profile), `${token}\n`),
    remove: (profile) => rm(pathOf(profile), { force: true }),
  }
}
