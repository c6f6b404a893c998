import { ApiProblem, revokeToken } from '@hosting/sdk'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { isUnreachable } from '../exit-codes.ts'
import { flag } from '../options.ts'
import type { Profile } from '../profiles/profiles.ts'
import { clientFor } from './sign-in.ts'
import { readStoredToken } from './token.ts'

export const logout = command({
  path: 'logout',
  summary: 'Sign out: revoke the key and delete it from this machine',
  examples: ['hctl logout'],
  options: { all: flag('Sign out of every profile') },
  async run(context, { all }) {
    const { profiles, output, profile } = context
    const outcomes: Outcome[] = []
    for (const name of all ? await profiles.list() : [profile]) {
      outcomes.push(await signOut(context, name))
    }
    if (context.environment.env['HCTL_TOKEN']) {
      output.warn('HCTL_TOKEN is set and remains in use.')
    }
    const items = outcomes.map(({ result }) => result)
    output.result({ items }, items.map(describe))
    const last = outcomes.findLast(({ limit }) => limit)
    if (last) throw last.limit
  },
})

interface Result {
  readonly profile: string
  /** `kept`: the server revokes the key only later, so it stays on this machine. */
  readonly status: 'signed_out' | 'not_signed_in' | 'kept'
  /** Whether the key was revoked on the server too. */
  readonly revoked: boolean
  /** Why it was not revoked: `offline`, `not_stored`, `not_readable` or a problem code. */
  readonly reason: string | null
  readonly key_id: string | null
}

interface Outcome {
  readonly result: Result
  /** The 429 because of which the key was kept. */
  readonly limit?: ApiProblem | undefined
}

async function signOut(context: Context, name: string): Promise<Outcome> {
  const { profiles, stores } = context
  const profile = await profiles.find(name).catch(() => undefined)
  if (!profile) {
    // A damaged profile does not say which store holds its token.
    for (const store of Object.values(stores)) await store.remove(name).catch(() => undefined)
    await profiles.remove(name)
    const nothing = { revoked: false, reason: null, key_id: null }
    return { result: { profile: name, status: 'not_signed_in', ...nothing } }
  }
  const { storage, key_id } = profile
  const { reason, limit } = await revoke(context, name, profile)
  const result = { profile: name, revoked: reason === null, reason, key_id }
  if (limit) return { result: { ...result, status: 'kept' }, limit }
  await stores[storage].remove(name).catch(() => {
    context.output.warn(`The key could not be deleted from ${stores[storage].location}.`)
  })
  await profiles.remove(name)
  return { result: { ...result, status: 'signed_out' } }
}

interface Revocation {
  /** Why the key was not revoked, or null. */
  readonly reason: string | null
  /** The 429 because of which it can be revoked only later. */
  readonly limit?: ApiProblem
}

/** The longest `Retry-After` that is waited for: the rate limit of revocations counts a minute. */
const waitSecondsMax = 60

/** Revokes the key with its token. Waits once for a rate limit. */
async function revoke(context: Context, name: string, profile: Profile): Promise<Revocation> {
  const { sleep, signal } = context.environment
  const first = await tryToRevoke(context, name, profile)
  const seconds = first.limit?.retryAfterSeconds
  if (seconds === undefined || seconds > waitSecondsMax) return first
  context.output.note(`Waiting ${seconds} s: ${reasons['rate_limited']}.`)
  await sleep(seconds * 1_000, signal)
  return tryToRevoke(context, name, profile)
}

async function tryToRevoke(
  context: Context,
  name: string,
  { server, storage }: Profile,
): Promise<Revocation> {
  try {
    const token = await readStoredToken(context.stores[storage], name)
    if (token === undefined) return { reason: 'not_stored' }
    await revokeToken(clientFor(context, { server }), token)
    return { reason: null }
  } catch (error) {
    if (isUnreachable(error)) return { reason: 'offline' }
    if (!(error instanceof ApiProblem)) return { reason: 'not_readable' }
    return error.status === 429 ? { reason: error.code, limit: error } : { reason: error.code }
  }
}

const reasons: Readonly<Record<string, string>> = {
  offline: 'the server could not be reached',
  rate_limited: 'too many keys were revoked from this address within a minute',
}

function describe({ profile, status, revoked, reason, key_id: id }: Result): string {
  if (status === 'not_signed_in') return `Profile ${profile} is not signed in.`
  const why = reasons[reason!] ?? reason
  if (status === 'kept') {
    return `Still signed in to profile ${profile}. Key ${id} is not revoked (${why}).`
  }
  const done = `Signed out of profile ${profile}.`
  if (revoked) return `${done} Key ${id} is revoked.`
  return `${done} Key ${id} is deleted from this machine but still valid (${why}). Revoke it in the panel under API keys.`
}
