import { revokeToken, type ResponseOf } from '@hosting/sdk'
import type { Context } from '../context.ts'
import { CliError } from '../exit-codes.ts'
import type { Profile } from '../profiles/profiles.ts'
import { storeToken, type CredentialStore, type StoreChoice } from '../storage/choose-store.ts'
import { clientFor } from './sign-in.ts'

type Me = ResponseOf<'/auth/me', 'get'>

/** A new sign-in: the token of its key, and the user it acts for. */
export interface NewSignIn {
  readonly server: string
  readonly token: string
  readonly origin: Profile['origin']
  readonly user: Pick<Me['user'], 'name' | 'email'>
  readonly tenant: Pick<Me['tenant'], 'name' | 'slug'>
  readonly key: Pick<NonNullable<Me['key']>, 'id' | 'expires_at'>
}

/** Stores a sign-in. If that fails, revokes the new key, because nobody would know its token. */
export async function saveSignIn(
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
    const outcome = await discardKey(context, signIn)
    const message = `The key could not be stored: ${what}. ${outcome}`.trimEnd()
    throw new CliError('storage_failed', message)
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

/** Revokes a key that was created for this sign-in, and returns what to tell the user. */
async function discardKey(context: Context, signIn: NewSignIn): Promise<string> {
  if (signIn.origin === 'given') return ''
  const { id } = signIn.key
  const isRevoked = await revokeKey(context, signIn)
  return isRevoked ? 'The new key was revoked.' : `Revoke key ${id} in the panel.`
}

/** Revokes a key with its own token; returns whether it succeeded. */
export async function revokeKey(
  context: Context,
  { server, token }: { server: string; token: string },
): Promise<boolean> {
  try {
    await revokeToken(clientFor(context, { server }), token)
    return true
  } catch {
    return false
  }
}
