import { ApiProblem } from '@hosting/sdk'
import { command } from '../command.ts'
import { clientFor, type Context } from '../context.ts'
import { isUnreachable } from '../exit-codes.ts'
import { flag } from '../options.ts'
import type { Profile } from '../storage/profiles.ts'

export const logout = command({
  path: 'logout',
  summary: 'Sign out: revoke the key and forget it',
  options: { all: flag('Of every profile') },
  async run(context, { all }) {
    const { profiles, output, profile } = context
    const results: Result[] = []
    for (const name of all ? await profiles.list() : [profile]) {
      results.push(await signOut(context, name))
    }
    if (context.surroundings.env['HCTL_TOKEN']) output.warn('HCTL_TOKEN is set, and stays in use.')
    output.answer({ items: results }, results.map(describe))
  },
})

interface Result {
  readonly profile: string
  readonly status: 'signed_out' | 'not_signed_in'
  /** Whether the key is dead on the server too. */
  readonly revoked: boolean
  /** Why it is not: `given`, `offline` or a problem code. */
  readonly reason: string | null
  readonly key_id: string | null
}

async function signOut(context: Context, name: string): Promise<Result> {
  const { profiles, stores } = context
  const profile = await profiles.find(name).catch(() => undefined)
  const reason = profile ? await revoke(context, name, profile) : null
  if (!profile) {
    // Nothing of a sign-in whose record is lost shall stay here either.
    for (const store of Object.values(stores)) await store.remove(name).catch(() => undefined)
    await profiles.remove(name)
    return { profile: name, status: 'not_signed_in', revoked: false, reason: null, key_id: null }
  }
  const { storage, key_id } = profile
  await stores[storage].remove(name).catch(() => {
    context.output.warn(`The key could not be removed from ${stores[storage].where}.`)
  })
  await profiles.remove(name)
  return { profile: name, status: 'signed_out', revoked: reason === null, reason, key_id }
}

/** Revokes the key on the server, which its token is enough for; gives why it is not, if so. */
async function revoke(
  context: Context,
  name: string,
  { server, storage, origin }: Profile,
): Promise<string | null> {
  if (origin === 'given') return 'given'
  try {
    const token = await context.stores[storage].read(name)
    if (token === undefined) return 'not_stored'
    // Whoever is offline shall not wait long to be told so.
    const client = clientFor(context, { server, retries: 1 })
    await client.POST('/auth/revoke', { body: { token } })
    return null
  } catch (error) {
    if (isUnreachable(error)) return 'offline'
    return error instanceof ApiProblem ? error.code : 'not_readable'
  }
}

const reasons: Readonly<Record<string, string>> = {
  given: 'it was given to hctl login --with-key, and others may use it',
  offline: 'the server could not be reached',
  rate_limited: 'too many keys were revoked from here within a minute',
}

function describe({ profile, status, revoked, reason, key_id: id }: Result): string {
  if (status === 'not_signed_in') return `Profile ${profile} is not signed in.`
  const done = `Signed out of profile ${profile}.`
  if (revoked) return `${done} Its key ${id} is revoked.`
  const why = reasons[reason!] ?? reason
  return `${done} Its key ${id} is forgotten here but still valid (${why}): revoke it in the panel, under Keys.`
}
