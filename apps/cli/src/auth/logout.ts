import { ApiProblem } from '@hosting/sdk'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { isUnreachable } from '../exit-codes.ts'
import { flag } from '../options.ts'
import type { Profile } from '../profiles/profiles.ts'
import { clientFor } from './sign-in.ts'

export const logout = command({
  path: 'logout',
  summary: 'Sign out: revoke the key and delete it from this machine',
  examples: ['hctl logout'],
  options: { all: flag('Sign out of every profile') },
  async run(context, { all }) {
    const { profiles, output, profile } = context
    const results: Result[] = []
    for (const name of all ? await profiles.list() : [profile]) {
      results.push(await signOut(context, name))
    }
    if (context.environment.env['HCTL_TOKEN']) {
      output.warn('HCTL_TOKEN is set and remains in use.')
    }
    output.result({ items: results }, results.map(describe))
  },
})

interface Result {
  readonly profile: string
  readonly status: 'signed_out' | 'not_signed_in'
  /** Whether the key was revoked on the server too. */
  readonly revoked: boolean
  /** Why it was not revoked: `offline`, `not_stored`, `not_readable` or a problem code. */
  readonly reason: string | null
  readonly key_id: string | null
}

async function signOut(context: Context, name: string): Promise<Result> {
  const { profiles, stores } = context
  const profile = await profiles.find(name).catch(() => undefined)
  const reason = profile ? await revoke(context, name, profile) : null
  if (!profile) {
    // A damaged profile does not say which store holds its token.
    for (const store of Object.values(stores)) await store.remove(name).catch(() => undefined)
    await profiles.remove(name)
    return { profile: name, status: 'not_signed_in', revoked: false, reason: null, key_id: null }
  }
  const { storage, key_id } = profile
  await stores[storage].remove(name).catch(() => {
    context.output.warn(`The key could not be deleted from ${stores[storage].location}.`)
  })
  await profiles.remove(name)
  return { profile: name, status: 'signed_out', revoked: reason === null, reason, key_id }
}

/** Revokes the key with its token; returns why it could not be revoked, or null. */
async function revoke(
  context: Context,
  name: string,
  { server, storage }: Profile,
): Promise<string | null> {
  try {
    const token = await context.stores[storage].read(name)
    if (token === undefined) return 'not_stored'
    // A user who is offline should not wait long to learn it.
    const client = clientFor(context, { server, retries: 1 })
    await client.POST('/auth/revoke', { body: { token } })
    return null
  } catch (error) {
    if (isUnreachable(error)) return 'offline'
    return error instanceof ApiProblem ? error.code : 'not_readable'
  }
}

const reasons: Readonly<Record<string, string>> = {
  offline: 'the server could not be reached',
  rate_limited: 'too many keys were revoked from this address within a minute',
}

function describe({ profile, status, revoked, reason, key_id: id }: Result): string {
  if (status === 'not_signed_in') return `Profile ${profile} is not signed in.`
  const done = `Signed out of profile ${profile}.`
  if (revoked) return `${done} Key ${id} is revoked.`
  const why = reasons[reason!] ?? reason
  return `${done} Key ${id} is deleted from this machine but still valid (${why}). Revoke it in the panel under API keys.`
}
