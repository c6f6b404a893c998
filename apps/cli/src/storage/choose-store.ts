import { randomUUID } from 'node:crypto'
import { CliError } from '../exit-codes.ts'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfExists, writeAtomically } from './atomic-file.ts'

/** Where the tokens of profiles are stored. */
export interface CredentialStore {
  readonly kind: StorageKind
  /** As it is shown to users: `the system keychain`. */
  readonly location: string
  read(profile: string): Promise<string | undefined>
  write(profile: string, token: string): Promise<void>
  /** Does nothing if there is no token. */
  remove(profile: string): Promise<void>
}

export type StorageKind = 'keychain' | 'file'

/** The stores, and whether a file may be used. */
export interface StoreChoice {
  readonly keychain: CredentialStore
  readonly file: CredentialStore
  /** `--insecure-storage`: true, `--no-insecure-storage`: false. */
  readonly insecure: boolean | undefined
}

/** Chooses the store for a new token, and tests it before there is a token to lose. */
export async function chooseStore(choice: StoreChoice): Promise<CredentialStore> {
  const { keychain, file, insecure } = choice
  if (insecure !== true) {
    const error = await checkStore(keychain)
    if (error === undefined) return keychain
    requireFileAllowed(choice, error)
  }
  const error = await checkStore(file)
  if (error === undefined) return file
  throw new CliError('storage_unavailable', `Cannot write to ${file.location}: ${error}`)
}

/** Stores the token and returns the store that holds it: the file if the keychain fails now. */
export async function storeToken(
  choice: StoreChoice,
  chosen: CredentialStore,
  { profile, token }: { profile: string; token: string },
): Promise<CredentialStore> {
  const used = await write(choice, chosen, { profile, token })
  const other = used.kind === 'file' ? choice.keychain : choice.file
  // Keep only one copy: later commands read only one store, so a copy in the other would be forgotten.
  await other.remove(profile).catch(() => undefined)
  return used
}

async function write(
  choice: StoreChoice,
  chosen: CredentialStore,
  { profile, token }: { profile: string; token: string },
): Promise<CredentialStore> {
  try {
    await chosen.write(profile, token)
    return chosen
  } catch (error) {
    if (chosen.kind === 'file') throw error
    requireFileAllowed(choice, messageOf(error))
    await choice.file.write(profile, token)
    return choice.file
  }
}

/** The keychain's own error text is shown only here: elsewhere the file is a normal alternative. */
function requireFileAllowed({ insecure }: StoreChoice, error: string): void {
  if (insecure !== false) return
  const message = `The system keychain is not available (${error}), and --no-insecure-storage forbids a file.`
  throw new CliError('storage_unavailable', message)
}

/** Writes, reads and removes a test value; returns why that failed, or undefined. */
async function checkStore(store: CredentialStore): Promise<string | undefined> {
  const name = `probe-${randomUUID()}`
  try {
    await store.write(name, name)
    const read = await store.read(name)
    await store.remove(name)
    return read === name ? undefined : 'it does not return what was stored'
  } catch (error) {
    return messageOf(error)
  }
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]!

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
