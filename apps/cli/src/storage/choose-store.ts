import { randomUUID } from 'node:crypto'
import { CliError } from '../exit-codes.ts'
import type { CredentialStore } from './credential-store.ts'

/** The stores in the order in which they are tried, and how a person hears of a fall-back. */
export interface StoreChoice {
  readonly keychain: CredentialStore
  readonly file: CredentialStore
  /** `--insecure-storage` true, `--no-insecure-storage` false. */
  readonly insecure: boolean | undefined
  readonly warn: (text: string) => void
}

/** The store that a token will go to: proven to work before there is a token to lose. */
export async function chooseStore(choice: StoreChoice): Promise<CredentialStore> {
  const { keychain, file, insecure } = choice
  if (insecure !== true) {
    const fault = await probe(keychain)
    if (fault === undefined) return keychain
    fallBack(choice, fault)
  }
  const fault = await probe(file)
  if (fault === undefined) return file
  throw new CliError('storage_unavailable', `Nothing can be kept in ${file.where}: ${fault}`)
}

/** Stores the token; gives the store that took it, which is another if the chosen one now fails. */
export async function storeToken(
  choice: StoreChoice,
  chosen: CredentialStore,
  { profile, token }: { profile: string; token: string },
): Promise<CredentialStore> {
  const taker = await write(choice, chosen, { profile, token })
  const other = taker.kind === 'file' ? choice.keychain : choice.file
  // Never in both: the one that is not asked any more would keep a secret that nobody knows of.
  await other.remove(profile).catch(() => undefined)
  return taker
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
    fallBack(choice, messageOf(error))
    await choice.file.write(profile, token)
    return choice.file
  }
}

function fallBack({ insecure, file, warn }: StoreChoice, fault: string): void {
  const what = `The system keychain cannot be used (${fault})`
  if (insecure === false) {
    const message = `${what}, and --no-insecure-storage forbids a file.`
    throw new CliError('storage_unavailable', message)
  }
  warn(`${what}: the key is kept in a file that only you can read, under ${file.where}`)
}

/** What stands in the way of writing, reading and deleting; undefined if nothing does. */
async function probe(store: CredentialStore): Promise<string | undefined> {
  const name = `probe-${randomUUID()}`
  try {
    await store.write(name, name)
    const read = await store.read(name)
    await store.remove(name)
    return read === name ? undefined : 'it does not give back what it took'
  } catch (error) {
    return messageOf(error)
  }
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]!
