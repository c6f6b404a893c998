import type { Client } from '@hosting/sdk'
import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { defined } from '../defined.ts'
import { choice, duration, integer, list, required, text, unless } from '../options.ts'
import { usageError } from '../exit-codes.ts'
import { showKey } from '../records/key.ts'

export const keysCreate = command({
  path: 'keys create',
  summary: 'Make an API key',
  options: {
    name: required(text('name', 'What it is called')),
    scope: required(list('scope', 'What it may do, for example webhooks:read, *:read or *')),
    kind: choice(['personal', 'organization'], 'Whose it is (default personal)'),
    expiresIn: duration('How long it is valid'),
    expiry: unless('It never expires'),
    ip: list('cidr', 'The addresses that may use it'),
    rateLimit: integer('n', 'Requests a minute, 1 to 600'),
  },
  async run(context, { name, scope, kind, expiresIn, expiry, ip, rateLimit }) {
    if (!expiry && expiresIn !== undefined) {
      throw usageError('usage', '--no-expiry and --expires-in exclude each other.')
    }
    const client = await signedInClient(context)
    const limits = await limitsOfCaller(client)
    const nowMs = context.surroundings.now()
    const expires_at =
      expiresIn === undefined ? undefined : new Date(nowMs + expiresIn * 1_000).toISOString()
    const asked = defined({ expires_at, ip_allowlist: ip, rate_limit_per_minute: rateLimit })
    const body = { ...defined({ name, scopes: scope, kind }), ...limits, ...asked }
    if (!expiry) body.expires_at = null
    const answer = await client.POST('/api-keys', { body })
    context.output.answer(answer, [
      ...showKey(answer.key),
      '',
      `Token  ${answer.token ?? '(lost)'}`,
      '       It is shown here alone: keep it safe.',
    ])
  },
})

/** The limits of the key in use, which a new one may not exceed: they are the defaults here. */
async function limitsOfCaller(client: Client) {
  const { key } = await client.GET('/auth/me')
  if (!key) return {}
  const { expires_at, ip_allowlist, rate_limit_per_minute } = key
  return defined({
    expires_at: expires_at ?? undefined,
    ip_allowlist: ip_allowlist ?? undefined,
    rate_limit_per_minute,
  }) as { expires_at?: string | null; ip_allowlist?: string[]; rate_limit_per_minute?: number }
}
