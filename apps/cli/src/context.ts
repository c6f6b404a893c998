import { createClient, type Client } from '@hosting/sdk'
import { CliError, exitCodes, usageError } from './exit-codes.ts'
import type { Output } from './output/output.ts'
import { configDirectory } from './storage/config-directory.ts'
import type { CredentialStore, StorageKind } from './storage/credential-store.ts'
import { fileStore } from './storage/file-store.ts'
import { keychainStore } from './storage/keychain-store.ts'
import { checkProfileName, Profiles } from './storage/profiles.ts'
import { isCi, type Surroundings } from './surroundings.ts'
import { toServer } from './server.ts'
import { version } from './version.ts'

/** What a command works with. */
export interface Context {
  readonly surroundings: Surroundings
  readonly output: Output
  readonly profiles: Profiles
  readonly stores: Readonly<Record<StorageKind, CredentialStore>>
  /** The name of the profile in use. */
  readonly profile: string
  /** The address that the command line or HCTL_URL names. */
  readonly server: string | undefined
}

/** With what a command speaks to the service. */
export interface SignIn {
  readonly server: string
  readonly token: string
  readonly source: 'HCTL_TOKEN' | StorageKind
}

export async function createContext(
  surroundings: Surroundings,
  output: Output,
  options: { readonly profile?: string; readonly server?: string },
): Promise<Context> {
  const { env } = surroundings
  const directory = configDirectory(surroundings)
  const profiles = new Profiles(directory)
  const server = options.server ?? env['HCTL_URL']
  return {
    surroundings,
    output,
    profiles,
    stores: { keychain: keychainStore(surroundings), file: fileStore(directory) },
    profile: checkProfileName(
      options.profile ?? (env['HCTL_PROFILE'] || (await profiles.current())),
    ),
    server: server ? toServer(server) : undefined,
  }
}

/** The client of the person or program that is signed in. */
export async function signedInClient(context: Context): Promise<Client> {
  return clientFor(context, await getSignIn(context))
}

/** A client of a server, with a key or without. */
export const clientFor = (
  { surroundings: { fetch, platform } }: Context,
  { server, token, retries }: { server: string; token?: string; retries?: number },
): Client =>
  createClient({
    baseUrl: server,
    token,
    retries,
    fetch,
    headers: { 'User-Agent': `hctl/${version} (${platform})` },
  })

export async function getSignIn(context: Context): Promise<SignIn> {
  const signIn = await findSignIn(context)
  if (signIn) return signIn
  if (isCi(context.surroundings)) {
    const message = 'Not signed in, and nobody can sign in here. Set HCTL_TOKEN to an API key.'
    throw usageError('not_signed_in', message)
  }
  const message = `Not signed in (profile ${context.profile}). Run hctl login.`
  throw new CliError('not_signed_in', message, exitCodes.failed)
}

/** The sign-in in use: HCTL_TOKEN goes before what is stored. */
export async function findSignIn(context: Context): Promise<SignIn | undefined> {
  const token = context.surroundings.env['HCTL_TOKEN']
  if (token) return { server: await getServer(context), token, source: 'HCTL_TOKEN' }
  const { profiles, profile: name, stores, server } = context
  const profile = await profiles.find(name)
  if (!profile) return undefined
  if (server !== undefined && server !== profile.server) {
    // Its key is a secret between the person and that server.
    const message = `Profile ${name} is signed in to ${profile.server}, not to ${server}. Use another profile.`
    throw usageError('other_server', message)
  }
  const stored = await stores[profile.storage].read(name)
  return stored ? { server: profile.server, token: stored, source: profile.storage } : undefined
}

/** The address of the service: the one named, or else the profile's. */
export async function getServer({ server, profiles, profile }: Context): Promise<string> {
  const known = server ?? (await profiles.find(profile))?.server
  if (known !== undefined) return known
  throw usageError('no_server', 'Name the service: --server <url>, or HCTL_URL.')
}
