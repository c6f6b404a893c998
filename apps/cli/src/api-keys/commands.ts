import { overlapSecondsDefault, rateLimitMax } from '@hosting/core/api-keys'
import type { BodyOf, Client } from '@hosting/sdk'
import { clientFor, getSignIn, signedInClient, type SignIn } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { usageError } from '../exit-codes.ts'
import { omitUndefined, refuseTogether } from '../options.ts'
import * as option from '../options.ts'
import { requireConfirmation } from '../terminal/confirm.ts'
import { listOptions, pageSize, printList } from '../terminal/list.ts'
import { truncated } from '../terminal/table.ts'
import { oneTimeSecretLines } from '../terminal/text.ts'
import { exchangeLines, keyColumns, keyLines } from './display.ts'
import { usesCommand } from './uses.ts'
import { readWorkload, workloadOptions } from './workload.ts'

const kinds = ['personal', 'organization'] as const

const scopes = (description: string) =>
  option.list('scope', description, { field: 'scopes', values: 'scope' })
const ipAllowlist = option.list('cidr', 'Addresses or CIDR ranges that may use the key', {
  field: 'ip_allowlist',
})
const rateLimit = option.integer('number', `Maximum requests per minute, 1 to ${rateLimitMax}`, {
  field: 'rate_limit_per_minute',
})

const accounts = option.list('id', 'Limit the key to these accounts', {
  field: 'accounts',
  values: 'account',
})

const list = command({
  path: 'keys list',
  summary: 'List API keys',
  examples: [
    'hctl keys list --status active',
    "hctl keys list --jq '.items[] | select(.last_used_at == null) | .name'",
  ],
  options: {
    kind: option.choice(kinds, 'Only keys of this kind'),
    status: option.choice(
      ['active', 'disabled', 'expired', 'revoked'],
      'Only keys with this status',
    ),
    find: option.text('text', 'Only keys whose name contains the text', { field: 'q' }),
    violatesPolicy: option.flag('Only keys that violate the key policy'),
    wideIpAllowlist: option.flag('Only keys whose IP allowlist is wide'),
    externalId: option.externalIdFilter,
    ...listOptions,
  },
  async run(context, { kind, status, find, externalId, limit, ...only }) {
    const violates_policy = only.violatesPolicy ? ('true' as const) : undefined
    const wide_ip_allowlist = only.wideIpAllowlist ? ('true' as const) : undefined
    const filters = { kind, status, q: find, external_id: externalId }
    const others = { violates_policy, wide_ip_allowlist, limit: pageSize(limit) }
    const query = omitUndefined({ ...filters, ...others })
    const keys = (await signedInClient(context)).items('/api-keys', { params: { query } })
    await printList(context.output, keys, { limit, columns: keyColumns, noun: 'keys' })
  },
})

const show = command({
  path: 'keys show',
  summary: 'Show an API key',
  examples: ['hctl keys show nightly-backup'],
  arguments: { id: option.anyKeyId },
  async run(context, { id }) {
    const client = await signedInClient(context)
    const response = await client.GET('/api-keys/{id}', { params: { path: { id } } })
    context.output.result(response, keyLines(response.key))
  },
})

const create = command({
  path: 'keys create',
  summary: 'Create an API key',
  examples: ['hctl keys create --name backup --scope backups:read --expires-in 90d'],
  options: {
    name: option.required(option.text('name', 'Name of the key')),
    scope: option.required(scopes('Scope, for example webhooks:read, *:read or *')),
    kind: option.choice(kinds, 'Kind of key (default personal)'),
    expiresIn: option.duration('Lifetime of the key', { field: 'expires_at' }),
    expiry: option.unless('Create a key that does not expire'),
    ip: ipAllowlist,
    account: accounts,
    rateLimit,
    externalId: option.externalId,
    ...workloadOptions,
  },
  async run(context, options) {
    const { name, scope, expiresIn, expiry, ip, account, rateLimit: perMinute } = options
    if (!expiry && expiresIn !== undefined) {
      throw usageError('usage', '--no-expiry and --expires-in cannot be combined.')
    }
    const workload = readWorkload(options)
    const kind = options.kind ?? (workload && 'organization')
    const client = await signedInClient(context)
    const inherited = await limitsOfCaller(client)
    const nowMs = context.environment.now()
    const expires_at =
      expiresIn === undefined ? undefined : new Date(nowMs + expiresIn * 1_000).toISOString()
    const given = omitUndefined({
      expires_at,
      ip_allowlist: ip,
      accounts: account,
      rate_limit_per_minute: perMinute,
      external_id: option.toExternalId(options.externalId),
    })
    const settings = omitUndefined({ name, scopes: scope, kind, workload })
    const body = { ...settings, ...inherited, ...given }
    if (!expiry) body.expires_at = null
    const response = await client.POST('/api-keys', { body })
    const { key, token } = response
    const next = key.workload ? exchangeLines(key) : oneTimeSecretLines('Token', token)
    context.output.result(response, [...keyLines(key), ...next])
  },
})

/** The limits of the key in use are the defaults of a new key, which may not exceed them. */
async function limitsOfCaller(client: Client) {
  const { key } = await client.GET('/auth/me')
  if (!key) return {}
  const { expires_at, ip_allowlist, accounts: limit, rate_limit_per_minute } = key
  return omitUndefined({
    expires_at: expires_at ?? undefined,
    ip_allowlist: ip_allowlist ?? undefined,
    accounts: limit ?? undefined,
    rate_limit_per_minute,
  }) as Partial<BodyOf<'/api-keys', 'post'>>
}

const update = command({
  path: 'keys update',
  summary: 'Change the name, scopes or limits of an API key, enable or disable it',
  examples: [
    'hctl keys update nightly-backup --rate-limit 60',
    'hctl keys update nightly-backup --no-enabled',
  ],
  arguments: { id: option.keyId },
  options: {
    name: option.text('name', 'New name'),
    scope: scopes('New scopes, which replace the current ones'),
    ip: ipAllowlist,
    anyIp: option.flag('Remove the IP allowlist'),
    account: accounts,
    anyAccount: option.flag('Remove the limit to accounts'),
    enabled: option.either('Enable the key; --no-enabled disables it, until it is enabled again'),
    rateLimit,
    externalId: option.externalId,
  },
  async run(context, { id, ...options }) {
    const { name, scope, ip, anyIp, account, anyAccount, rateLimit: perMinute } = options
    refuseTogether(options, ['anyIp', 'ip'], ['anyAccount', 'account'])
    const body = omitUndefined({
      name,
      scopes: scope,
      ip_allowlist: anyIp ? null : ip,
      accounts: anyAccount ? null : account,
      enabled: options.enabled,
      rate_limit_per_minute: perMinute,
      external_id: option.toExternalId(options.externalId),
    })
    if (Object.keys(body).length === 0) {
      throw usageError('usage', 'Nothing to change: set at least one option.')
    }
    const client = await signedInClient(context)
    const response = await client.PATCH('/api-keys/{id}', { params: { path: { id } }, body })
    context.output.result(response, keyLines(response.key))
  },
})

const rotate = command({
  path: 'keys rotate',
  summary: 'Replace the secret of an API key',
  examples: ['hctl keys rotate nightly-backup --grace 24h'],
  arguments: { id: option.keyId },
  options: {
    grace: option.duration(
      `Overlap period during which the old secret stays valid (default: ${overlapSecondsDefault || 'none'})`,
      {
        field: 'grace_seconds',
      },
    ),
  },
  async run(context, { id, grace }) {
    const signIn = await getSignIn(context)
    const response = await clientFor(context, signIn).POST('/api-keys/{id}/rotate', {
      params: { path: { id } },
      body: omitUndefined({ grace_seconds: grace }),
    })
    const { key, token } = response
    const location = await storeOwnToken(context, signIn, { id, token })
    context.output.result(response, [...keyLines(key), ...oneTimeSecretLines('Token', token)])
    if (location) {
      context.output.note(`This is the key you are signed in with. ${location} has the new token.`)
    }
  },
})

/** Stores the new token if the rotated key is the one in use; returns where. */
async function storeOwnToken(
  { stores, profile, output }: Context,
  { token: used, source }: SignIn,
  { id, token }: { id: string; token: string | null },
): Promise<string | undefined> {
  if (source === 'HCTL_TOKEN' || token === null || used.split('_')[1] !== id) return undefined
  const store = stores[source]
  try {
    await store.write(profile, token)
    return store.location
  } catch {
    output.warn(`The new token could not be stored in ${store.location}. Sign in again.`)
    return undefined
  }
}

const revoke = command({
  path: 'keys revoke',
  summary: 'Revoke an API key, immediately and permanently',
  examples: ['hctl keys revoke nightly-backup'],
  arguments: { id: option.keyId },
  options: {
    descendants: option.flag(
      'Also revoke every key that was created with it, and the tokens that it gave to other keys',
    ),
    yes: option.yes,
  },
  async run(context, { id, descendants, yes }) {
    const client = await signedInClient(context)
    if (!yes) {
      const { key } = await client.GET('/api-keys/{id}', { params: { path: { id } } })
      const what = `key "${key.name}" (${id})${descendants ? ' and everything created with it' : ''}`
      await requireConfirmation(context, `Revoke ${what} permanently?`)
    }
    const query = omitUndefined({ descendants: descendants ? ('true' as const) : undefined })
    await client.DELETE('/api-keys/{id}', { params: { path: { id }, query } })
    const done = descendants ? `Key ${id} and everything created with it are` : `Key ${id} is`
    context.output.result({ id, status: 'revoked' }, [`${done} revoked.`])
  },
})

const usage = command({
  path: 'keys usage',
  summary: 'Show the requests of an API key by day and outcome',
  examples: ['hctl keys usage nightly-backup'],
  arguments: { id: option.anyKeyId },
  async run(context, { id }) {
    const client = await signedInClient(context)
    const response = await client.GET('/api-keys/{id}/usage', { params: { path: { id } } })
    type Day = (typeof response.items)[number]
    const columns = {
      date: ({ date }: Day) => date,
      requests: ({ requests }: Day) => requests,
      refused: ({ refused }: Day) => refused,
      'rate limited': ({ rate_limited }: Day) => rate_limited,
    }
    context.output.result(response, context.output.table(response.items, columns))
  },
})

const listScopes = command({
  path: 'keys scopes',
  summary: 'List the scopes and the permissions that each of them covers',
  examples: ['hctl keys scopes'],
  async run(context) {
    const response = await (await signedInClient(context)).GET('/api-keys/scopes')
    type Scope = (typeof response.items)[number]
    const columns = {
      scope: ({ scope }: Scope) => scope,
      permissions: truncated(({ permissions }: Scope) => permissions.join(', ')),
    }
    context.output.result(response, context.output.table(response.items, columns))
  },
})

export const keyCommands = [
  list,
  show,
  create,
  update,
  rotate,
  revoke,
  usage,
  usesCommand,
  listScopes,
]
