import { createClient, type Client } from '@hosting/sdk'
import type { Context } from '../context.ts'
import { isCi, version } from '../environment.ts'
import { CliError, exitCodes, usageError } from '../exit-codes.ts'
import { findProxy } from '../network/find-proxy.ts'
import type { StorageKind } from '../storage/choose-store.ts'
import { readStoredToken, readToken } from './token.ts'

/** The server and token that a command uses. */
export interface SignIn {
  readonly server: string
  readonly token: string
  readonly source: 'HCTL_TOKEN' | StorageKind
}

/** Creates a client with the sign-in in use. */
export async function signedInClient(context: Context): Promise<Client> {
  return clientFor(context, await getSignIn(context))
}

interface ClientSettings {
  readonly server: string
  readonly token?: string
  readonly retries?: number
  readonly timeoutMs?: number
}

/**
 * Creates a client of a server, with or without a token.
 *
 * @throws a usage error if the environment names a proxy that cannot be used.
 */
export function clientFor(
  { environment: { env, fetch, platform } }: Context,
  { server, token, retries, timeoutMs }: ClientSettings,
): Client {
  // At the first request, it would be a failed connection, and be repeated.
  findProxy(new URL(server), env)
  return createClient({
    baseUrl: server,
    token,
    retries,
    timeoutMs,
    fetch,
    headers: { 'User-Agent': `hctl/${version} (${platform})` },
  })
}

export async function getSignIn(context: Context): Promise<SignIn> {
  const signIn = await findSignIn(context)
  if (signIn) return signIn
  if (isCi(context.environment)) {
    throw notSignedIn('Not signed in.', 'Set HCTL_TOKEN to an API key.')
  }
  throw notSignedIn(`Not signed in (profile ${context.profile}).`, 'Run hctl login.')
}

/** It exits as a request without a valid key does. */
const notSignedIn = (message: string, hint: string): CliError =>
  new CliError('not_signed_in', message, { exitCode: exitCodes.refused, hint })

/** Finds the sign-in in use: HCTL_TOKEN, or else the stored one of the profile. */
export async function findSignIn(context: Context): Promise<SignIn | undefined> {
  const given = context.environment.env['HCTL_TOKEN']
  if (given) {
    const token = readToken(given, 'HCTL_TOKEN')
    return { server: await getServer(context), token, source: 'HCTL_TOKEN' }
  }
  const { profiles, profile: name, stores, server } = context
  const profile = await profiles.find(name)
  if (!profile) return undefined
  if (server !== undefined && server !== profile.server) {
    // Never send a stored key to a server that did not issue it.
    const message = `Profile ${name} is signed in to ${profile.server}, not to ${server}.`
    throw usageError('other_server', message, 'Choose another profile with --profile.')
  }
  const stored = await readStoredToken(stores[profile.storage], name)
  return stored ? { server: profile.server, token: stored, source: profile.storage } : undefined
}

/** The URL of the service: from the command line or HCTL_URL, from the profile, or that of the download. */
export async function getServer({
  server,
  profiles,
  profile,
  environment: { builtInServer },
}: Context): Promise<string> {
  const known = server ?? (await profiles.find(profile))?.server ?? builtInServer
  if (known !== undefined) return known
  throw usageError('no_server', 'The URL of the service is missing.', 'Set --server or HCTL_URL.')
}
