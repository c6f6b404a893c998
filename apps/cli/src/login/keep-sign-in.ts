import type { ResponseOf } from '@hosting/sdk'
import { clientFor, type Context } from '../context.ts'
import { CliError } from '../exit-codes.ts'
import { storeToken, type StoreChoice } from '../storage/choose-store.ts'
import type { CredentialStore } from '../storage/credential-store.ts'
import type { Profile } from '../storage/profiles.ts'

type Me = ResponseOf<'/auth/me', 'get'>

/** What is kept of a sign-in: its key's token and whose it is. */
export interface NewSignIn {
  readonly server: string
  readonly token: string
  readonly origin: Profile['origin']
  readonly user: Pick<Me['user'], 'name' | 'email'>
  readonly tenant: Pick<Me['tenant'], 'name' | 'slug'>
  readonly key: Pick<NonNullable<Me['key']>, 'id' | 'expires_at'>
}

/** Keeps a sign-in. A key that can be kept nowhere is revoked: nobody would know of it. */
export async function keepSignIn(
  context: Context,
  signIn: NewSignIn,
  { choice, chosen }: { choice: StoreChoice; chosen: CredentialStore },
): Promise<{ profile: Profile; store: CredentialStore }> {
  const { profile: name, profiles } = context
  let store: CredentialStore | undefined
  try {
    store = await storeToken(choice, chosen, { profile: name, token: signIn.token })
    const profile = toProfile(signIn, store)
    await profiles.save(name, profile)
    return { profile, store }
  } catch (error) {
    await store?.remove(name).catch(() => undefined)
    const what = error instanceof Error ? error.message : String(error)
    const end = await giveUp(context, signIn)
    throw new CliError('storage_failed', `The key could not be stored: ${what}. ${end}`.trimEnd())
  }
}

const toProfile = (
  { server, origin, user, tenant, key }: NewSignIn,
  { kind }: CredentialStore,
): Profile => ({
  server,
  storage: kind,
  key_id: key.id,
  origin,
  user: user.email ?? user.name,
  tenant: `${tenant.name} (${tenant.slug})`,
  expires_at: key.expires_at,
})

/** Ends a key that was made for this sign-in alone; gives what to say of it. */
async function giveUp(context: Context, signIn: NewSignIn): Promise<string> {
  if (signIn.origin === 'given') return ''
  const { id } = signIn.key
  const isRevoked = await revokeKey(context, signIn)
  return isRevoked ? 'The new key was revoked.' : `Revoke key ${id} in the panel.`
}

/** Revokes a key with its own token; false where that did not work. */
export async function revokeKey(
  context: Context,
  { server, token }: { server: string; token: string },
): Promise<boolean> {
  try {
    await clientFor(context, { server }).POST('/auth/revoke', { body: { token } })
    return true
  } catch {
    return false
  }
}
