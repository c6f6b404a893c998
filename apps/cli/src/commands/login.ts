import { DeviceLoginError } from '@hosting/sdk'
import { command } from '../command.ts'
import { clientFor, findSignIn, getServer, type Context } from '../context.ts'
import { isKeyRefused, isUnreachable, usageError } from '../exit-codes.ts'
import { defaultClientName } from '../login/client-name.ts'
import { keepSignIn, revokeKey, type NewSignIn } from '../login/keep-sign-in.ts'
import { obtainKey, speaksLines } from '../login/obtain-key.ts'
import { readToken } from '../login/read-token.ts'
import { either, flag, text, unless } from '../options.ts'
import { ask } from '../output/ask.ts'
import { printable } from '../output/printable.ts'
import { chooseStore } from '../storage/choose-store.ts'
import type { CredentialStore } from '../storage/credential-store.ts'
import type { Profile } from '../storage/profiles.ts'
import { isReadOnTheWay } from '../server.ts'
import { isCi, isInteractive } from '../surroundings.ts'

export const login = command({
  path: 'login',
  summary: 'Sign in: approve a code in the panel',
  options: {
    name: text('name', 'What the approval page calls this program (default: you@this-machine)'),
    browser: unless('Do not open a browser'),
    qr: flag('Show the address as a QR code too'),
    withKey: flag('Read an API key from standard input instead'),
    force: flag('Sign in anew where a sign-in stands'),
    insecureStorage: either('Keep the key in a file, not in the system keychain'),
  },
  async run(context, { name, browser, qr, withKey, force, insecureStorage: insecure }) {
    const { surroundings, output, stores } = context
    refuseWhereUseless(context, withKey === true)
    const server = await getServer(context)
    if (isReadOnTheWay(server)) output.warn(`${server} is not https: others can read the key.`)
    const former = await findFormer(context)
    if (former && force !== true) await confirmAnew(context, former.who)
    const choice = { ...stores, insecure, warn: (what: string) => output.warn(what) }
    const chosen = await chooseStore(choice)
    const signIn = withKey
      ? await signInWith(context, server, await readToken(surroundings))
      : await signInByDevice(context, {
          server,
          clientName: name ?? defaultClientName(),
          browser,
          qr: qr === true,
        })
    const kept = await keepSignIn(context, signIn, { choice, chosen })
    if (former?.origin === 'device' && !(await revokeKey(context, former))) {
      output.note(`The key so far, ${former.keyId}, may still be valid: see Keys in the panel.`)
    }
    report(context, signIn, kept)
  },
})

/** Before anything else: where a sign-in would change nothing, or nobody could approve it. */
function refuseWhereUseless({ surroundings }: Context, withKey: boolean): void {
  if (surroundings.env['HCTL_TOKEN']) {
    const message = 'HCTL_TOKEN is set and goes before any sign-in. Unset it to sign in.'
    throw usageError('token_in_environment', message)
  }
  if (isCi(surroundings) && !withKey) {
    throw usageError('ci', 'Nobody can approve a sign-in here. Set HCTL_TOKEN to an API key.')
  }
}

interface Former {
  readonly server: string
  readonly token: string
  readonly keyId: string
  readonly origin: Profile['origin']
  /** Undefined where the key does not work any more. */
  readonly who: string | undefined
}

/** The sign-in that stands. What cannot be read of it shall not stand in the way of a new one. */
async function findFormer(context: Context): Promise<Former | undefined> {
  const at = { ...context, server: undefined }
  const profile = await context.profiles.find(context.profile).catch(() => undefined)
  const signIn = profile && (await findSignIn(at).catch(() => undefined))
  if (!signIn) return undefined
  const { server, token } = signIn
  const former = { server, token, keyId: profile.key_id, origin: profile.origin }
  try {
    const { user, tenant } = await clientFor(context, { server, token }).GET('/auth/me')
    return { ...former, who: `${user.email ?? user.name} · ${tenant.name}` }
  } catch (error) {
    if (isKeyRefused(error) || isUnreachable(error)) return { ...former, who: undefined }
    throw error
  }
}

async function confirmAnew({ surroundings, output }: Context, who: string | undefined) {
  if (who === undefined) return
  if (output.json || !isInteractive(surroundings)) {
    throw usageError('already_signed_in', `Already signed in as ${who}. --force signs in anew.`)
  }
  if (!(await ask(`Already signed in as ${who}. Sign in anew?`))) {
    throw usageError('already_signed_in', `Still signed in as ${who}.`)
  }
}

async function signInWith(context: Context, server: string, token: string): Promise<NewSignIn> {
  const { user, tenant, key } = await clientFor(context, { server, token }).GET('/auth/me')
  return { server, token, origin: 'given', user, tenant, key: key! }
}

async function signInByDevice(
  context: Context,
  asking: Parameters<typeof obtainKey>[1],
): Promise<NewSignIn> {
  try {
    const obtained = await obtainKey(context, asking)
    return { ...obtained, server: asking.server, origin: 'device' }
  } catch (error) {
    if (speaksLines(context) && error instanceof DeviceLoginError) {
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
  if (speaksLines(context)) {
    const { server, storage } = profile
    output.jsonLine({ status: 'authenticated', profile: name, server, storage, user, tenant, key })
    return
  }
  const access = key.scopes?.every((scope) => scope.endsWith(':read')) ? ' · read-only' : ''
  const until = key.expires_at ? ` · until ${key.expires_at.slice(0, 10)}` : ''
  const who = printable(`${profile.user} · ${profile.tenant}${access}${until}`)
  output.lines([
    `${output.styled('green', '✓')} Signed in as ${who}`,
    `  Key "${printable(key.name ?? key.id)}" stored in ${store.where}.   hctl whoami · hctl logout`,
  ])
}
