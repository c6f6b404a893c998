import { keyTokenPattern } from '@hosting/core/api-keys'
import { DeviceLoginError } from '@hosting/sdk'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { isCi, isInteractive, type Environment } from '../environment.ts'
import { isKeyRefused, isUnreachable, usageError } from '../exit-codes.ts'
import { either, flag, text, unless } from '../options.ts'
import type { Profile } from '../profiles/profiles.ts'
import { isCleartext } from '../server-url.ts'
import { chooseStore, type CredentialStore } from '../storage/choose-store.ts'
import { readStandardInput } from '../standard-input.ts'
import { ask } from '../terminal/confirm.ts'
import { printable } from '../terminal/text.ts'
import {
  defaultClientName,
  printsJsonLines,
  runDeviceLogin,
  type DeviceLoginRequest,
} from './device-login.ts'
import { revokeKey, saveSignIn, type NewSignIn } from './save-sign-in.ts'
import { clientFor, findSignIn, getServer } from './sign-in.ts'
import { readToken } from './token.ts'

export const login = command({
  path: 'login',
  summary: 'Sign in by approving a code in the panel',
  examples: ['hctl login', 'hctl login --no-browser --qr'],
  options: {
    name: text('name', 'Name of this program on the approval page (default: user@machine)', {
      field: 'client_id',
    }),
    browser: unless('Do not open a browser'),
    qr: flag('Also show the URL as a QR code'),
    withKey: flag('Read an API key from standard input instead; hctl logout revokes it'),
    force: flag('Sign in even if you are already signed in'),
    insecureStorage: either('Store the key in a file instead of the system keychain'),
  },
  async run(context, { name, browser, qr, withKey, force, insecureStorage: insecure }) {
    const { environment, output, stores } = context
    requireUsefulLogin(context, withKey === true)
    const server = await getServer(context)
    if (isCleartext(server)) {
      output.warn(`${server} does not use HTTPS: anyone on the network can read the key.`)
    }
    const previous = await findPrevious(context)
    if (previous && force !== true) await confirmReplacement(context, previous.identity)
    const choice = { ...stores, insecure }
    const chosen = await chooseStore(choice)
    const signIn = withKey
      ? await signInWithKey(context, server, await readKey(environment))
      : await signInByDevice(context, {
          server,
          clientName: name ?? defaultClientName(),
          browser,
          qr: qr === true,
        })
    const saved = await saveSignIn(context, signIn, { choice, chosen })
    if (previous?.origin === 'device' && !(await revokeKey(context, previous))) {
      output.note(
        `The previous key ${previous.keyId} may still be valid. Check API keys in the panel.`,
      )
    }
    report(context, signIn, saved)
  },
})

/** Refuses a login that would have no effect, or that nobody could approve. */
function requireUsefulLogin({ environment }: Context, withKey: boolean): void {
  if (environment.env['HCTL_TOKEN']) {
    const message = 'HCTL_TOKEN is set and takes precedence over a login.'
    throw usageError('token_in_environment', message, 'Unset HCTL_TOKEN to sign in.')
  }
  if (isCi(environment) && !withKey) {
    throw usageError('ci', 'A login cannot be approved in CI.', 'Set HCTL_TOKEN to an API key.')
  }
}

interface Previous {
  readonly server: string
  readonly token: string
  readonly keyId: string
  readonly origin: Profile['origin']
  /** Undefined if the key is no longer valid. */
  readonly identity: string | undefined
}

/** Finds the current sign-in. A damaged one must not prevent a new one. */
async function findPrevious(context: Context): Promise<Previous | undefined> {
  const withoutServer = { ...context, server: undefined }
  const profile = await context.profiles.find(context.profile).catch(() => undefined)
  const signIn = profile && (await findSignIn(withoutServer).catch(() => undefined))
  if (!signIn) return undefined
  const { server, token } = signIn
  const previous = { server, token, keyId: profile.key_id, origin: profile.origin }
  try {
    const { user, tenant } = await clientFor(context, { server, token }).GET('/auth/me')
    return { ...previous, identity: `${user.email ?? user.name} · ${tenant.name}` }
  } catch (error) {
    if (isKeyRefused(error) || isUnreachable(error)) return { ...previous, identity: undefined }
    throw error
  }
}

async function confirmReplacement({ environment, output }: Context, identity: string | undefined) {
  if (identity === undefined) return
  if (output.json || !isInteractive(environment)) {
    const message = `Already signed in as ${identity}.`
    throw usageError('already_signed_in', message, 'Use --force to sign in again.')
  }
  if (!(await ask(`Already signed in as ${identity}. Sign in again?`))) {
    throw usageError('already_signed_in', `Still signed in as ${identity}.`)
  }
}

/** Reads an API key from standard input: other processes can read a command line. */
async function readKey(environment: Environment): Promise<string> {
  if (environment.stdin.isTTY) {
    const example = 'For example: hctl login --with-key < key.txt'
    throw usageError('no_key', 'The key must come from standard input.', example)
  }
  const token = readToken(await readStandardInput(environment), 'standard input', 'no_key')
  if (keyTokenPattern.test(token)) return token
  throw usageError('no_key', 'Standard input does not contain an API key.')
}

async function signInWithKey(context: Context, server: string, token: string): Promise<NewSignIn> {
  const { user, tenant, key } = await clientFor(context, { server, token }).GET('/auth/me')
  return { server, token, origin: 'given', user, tenant, key: key! }
}

async function signInByDevice(context: Context, request: DeviceLoginRequest): Promise<NewSignIn> {
  try {
    const deviceLogin = await runDeviceLogin(context, request)
    return { ...deviceLogin, server: request.server, origin: 'device' }
  } catch (error) {
    if (printsJsonLines(context) && error instanceof DeviceLoginError) {
      context.output.jsonLine({ status: error.reason })
    }
    throw error
  }
}

function report(
  context: Context,
  { user, tenant, key }: NewSignIn & { key: { name?: string; scopes?: readonly string[] } },
  { profile, store }: { profile: Profile; store: CredentialStore },
): void {
  const { output, profile: name } = context
  if (printsJsonLines(context)) {
    const { server, storage } = profile
    output.jsonLine({ status: 'authenticated', profile: name, server, storage, user, tenant, key })
    return
  }
  const access = key.scopes?.every((scope) => scope.endsWith(':read')) ? ' · read-only' : ''
  const until = key.expires_at ? ` · until ${key.expires_at.slice(0, 10)}` : ''
  const identity = printable(`${profile.user} · ${profile.tenant}${access}${until}`)
  const where =
    store.kind === 'file' ? `${store.location}, which only you can read` : store.location
  output.lines([
    `${output.styled('green', '✓')} Signed in as ${identity}`,
    `  Key "${printable(key.name ?? key.id)}" is stored in ${where}.`,
  ])
}
