import { keyLifetimeDaysMax } from '@hosting/core/api-keys'
import { hasBrowser, mayOpen } from '../open.ts'
import { getServer, getSignIn, clientFor, signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import { usageError } from '../exit-codes.ts'
import { omitUndefined } from '../options.ts'
import * as option from '../options.ts'
import { toLines } from '../terminal/table.ts'

/** The panel's form with the values of a policy. */
export function policyFormUrl(
  server: string,
  policy: Readonly<Record<string, number | boolean | null>>,
): string {
  const url = new URL('/organization/key-policy', server)
  for (const [name, value] of Object.entries(policy))
    url.searchParams.set(name, String(value ?? 'none'))
  return url.href
}

const show = command({
  path: 'policy show',
  summary: 'Show what the organization requires of its API keys',
  examples: ['hctl policy show'],
  async run(context) {
    const response = await (await signedInClient(context)).GET('/tenant/key-policy')
    const { max_lifetime_days, ip_allowlist_required, personal_keys_allowed } = response.policy
    const lines = toLines({
      'maximum lifetime': max_lifetime_days === null ? 'none' : `${max_lifetime_days} days`,
      'ip allowlist': ip_allowlist_required ? 'required' : 'optional',
      'personal keys': personal_keys_allowed ? 'allowed' : 'not allowed',
    })
    context.output.result(response, lines)
    for (const { message } of response.warnings ?? []) context.output.warn(message)
  },
})

const set = command({
  path: 'policy set',
  summary: 'Open the form for a new key policy, which only a person can save',
  examples: ['hctl policy set --max-lifetime-days 90'],
  options: {
    maxLifetimeDays: option.integer(
      'n',
      `Maximum lifetime of a key in days, 1 to ${keyLifetimeDaysMax.toLocaleString('en')}`,
    ),
    anyLifetime: option.flag('Do not limit the lifetime of keys'),
    requireIp: option.either('Every key needs an IP allowlist'),
    personalKeys: option.either('Personal keys are allowed'),
  },
  async run(context, { maxLifetimeDays, anyLifetime, requireIp, personalKeys }) {
    if (anyLifetime && maxLifetimeDays !== undefined) {
      throw usageError('usage', '--any-lifetime and --max-lifetime-days cannot be combined.')
    }
    const change = omitUndefined({
      max_lifetime_days: anyLifetime ? null : maxLifetimeDays,
      ip_allowlist_required: requireIp,
      personal_keys_allowed: personalKeys,
    })
    if (Object.keys(change).length === 0) {
      throw usageError('usage', 'Nothing to change: set at least one option.')
    }
    const current = await clientFor(context, await getSignIn(context)).GET('/tenant/key-policy')
    const policy = { ...current.policy, ...change }
    const server = await getServer(context)
    const url = policyFormUrl(server, policy)
    const opens = hasBrowser(context.environment) && mayOpen(url, server)
    if (opens) await context.environment.openUrl(url)
    context.output.result({ policy, url }, [
      opens ? `Opening ${url}` : `Open ${url}`,
      'An administrator can save the policy there. An API key cannot change it.',
    ])
  },
})

export const policyCommands = [show, set]
