import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfExists, writeAtomically } from './atomic-file.ts'
import type { CredentialStore } from './choose-store.ts'

/** Stores each token in a file that only its owner can read. */
export function fileStore(configDirectory: string): CredentialStore {
  const directory = join(configDirectory, 'credentials')
  const pathOf = (profile: string) => join(directory, profile)
  return {
    kind: 'file',
    location: directory,
    read: async (profile) => (await readIfExists(pathOf(profile)))?.trim(),
    write: (profile, token) => writeAtomically(pathOf(profile), `${token}\n`),
    remove: (profile) => rm(pathOf(profile), { force: true }),
  }
}
