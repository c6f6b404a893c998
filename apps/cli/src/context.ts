import { configDirectory, type Environment } from './environment.ts'
import { Profiles, requireProfileName } from './profiles/profiles.ts'
import { toServerUrl } from './server-url.ts'
import { fileStore, type CredentialStore, type StorageKind } from './storage/choose-store.ts'
import { keychainStore } from './storage/keychain.ts'
import type { Output } from './terminal/output.ts'

/** What a command works with. */
export interface Context {
  readonly environment: Environment
  readonly output: Output
  readonly profiles: Profiles
  readonly stores: Readonly<Record<StorageKind, CredentialStore>>
  /** The name of the profile in use. */
  readonly profile: string
  /** The server that `--server` or HCTL_URL names. */
  readonly server: string | undefined
}

export async function createContext(
  environment: Environment,
  output: Output,
  options: { readonly profile?: string; readonly server?: string },
): Promise<Context> {
  const { env } = environment
  const directory = configDirectory(environment)
  const profiles = new Profiles(directory)
  const server = options.server ?? env['HCTL_URL']
  return {
    environment,
    output,
    profiles,
    stores: { keychain: keychainStore(environment.loadKeyring), file: fileStore(directory) },
    profile: requireProfileName(
      options.profile ?? (env['HCTL_PROFILE'] || (await profiles.current())),
    ),
    server: server ? toServerUrl(server) : undefined,
  }
}
