import { createUuidv7 } from '@hosting/core/ids'
import { addKeyUses, type CountedKeyUse } from '@hosting/postgres/api-keys'
import { createPasskey } from '@hosting/postgres/sessions'
import type { TestTenant } from '../support/api.ts'
import { recordAttempts } from '../support/recorded-attempts.ts'
import { keyUse } from '../support/key-uses.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { until, type Stack } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'

type Call = ReturnType<typeof callWith>

/** Creates accounts with names. */
export async function furnishAccounts({ api }: Stack, tenant: TestTenant): Promise<void> {
  for (const name of ['Bakery Kovač', 'Photo studio', 'Sailing club']) {
    const id = await tenant.makeAccount()
    await api.callInternal('put', `/accounts/${id}`, { tenant_id: tenant.id, name })
  }
}

/** Creates a key with a child and a grandchild. Returns its id. */
export async function furnishDescendants({ api }: Stack, call: Call): Promise<string> {
  const scopes = ['*']
  const { body } = await call('post', '/api-keys', { body: { name: 'Bootstrap', scopes } })
  let { token } = body as { token: string }
  for (const name of ['Created by a program', 'Created by that one']) {
    const made = await api.call('post', '/api-keys', { token, body: { name, scopes } })
    token = made.body.token as string
  }
  return body.key.id as string
}

/** Creates a key that many use, with an old token that nothing uses, unused scopes and refusals. Returns its id. */
export async function furnishUsedKey({ api, database }: Stack, call: Call): Promise<string> {
  const scopes = ['sites:read', 'jobs:read', 'databases:write', 'backups:write']
  const { body } = await call('post', '/api-keys', { body: { name: 'Status page', scopes } })
  const { key } = body as { key: { id: string } }
  const rotation = { body: { grace_seconds: 86_400 } }
  const { token } = (await call('post', `/api-keys/${key.id}/rotate`, rotation)).body
  for (const path of ['/webhooks', '/audit-log']) await api.call('get', path, { token })
  const hoursAgo = (hours: number) => Date.now() - hours * 3_600_000
  const use = (hours: number, operation: string | null, change: Partial<CountedKeyUse> = {}) =>
    keyUse(key.id, hoursAgo(hours), { operation, requests: 40 + hours * 7, ...change })
  await addKeyUses(database, [
    use(0, 'sites.list', { address: '203.0.113.7', requests: 1_204, scope: 'sites:read' }),
    use(0, 'internal.authorize', { address: '2001:db8:4a21:7c00::/64', scope: 'jobs:read' }),
    use(1, 'sites.list', { status: 429, address: '203.0.113.7' }),
    use(1, 'webhooks.list', { status: 403, address: '198.51.100.23' }),
    use(2, null, { status: 404, isPrevious: true }),
    use(3, null, { address: null }),
    use(30, 'auth.me', { status: 503 }),
    ...Array.from({ length: 60 }, (_, index) =>
      use(100 + index, 'sites.get', { address: `203.0.113.${index + 10}` }),
    ),
  ])
  await database.pool.query(
    `UPDATE api_keys SET created_at = now() - interval '90 days' WHERE id = $1`,
    [key.id],
  )
  await database.pool.query(
    `UPDATE api_key_secrets SET last_used_at = now() - interval '50 hours', last_used_ip = '203.0.113.7'
     WHERE key_id = $1 AND expires_at IS NOT NULL`,
    [key.id],
  )
  return key.id
}

/** Moves the life of a key, so that it expires soon. */
export const furnishExpiringKey = ({ database }: Stack, id: string): Promise<unknown> =>
  database.pool.query(
    `UPDATE api_keys SET created_at = now() - interval '86 days', expires_at = now() + interval '4 days'
     WHERE id = $1`,
    [id],
  )

/** Creates an organization with a key policy that its keys violate. */
export async function furnishGoverned({ api }: Stack): Promise<{ cookie: string; keyId: string }> {
  const tenant = await api.makeTenant()
  const gina = await makeSignedIn(api, tenant, { name: 'Gina' })
  const call = callWith(api, gina)
  const body = { name: 'Old script', scopes: ['*:read'] }
  const keyId = (await call('post', '/api-keys', { body })).body.key.id as string
  const policy = { max_lifetime_days: 90, ip_allowlist_required: true }
  await call('put', '/tenant/key-policy', { body: { ...policy, personal_keys_allowed: false } })
  return { cookie: gina.cookie, keyId }
}

/** Starts an API with an identity provider that does not respond. Returns the URL of its panel. */
export async function startPanelWithProvider({ startApi }: Stack): Promise<string> {
  const { port } = await startApi({
    OIDC_ISSUER: 'http://127.0.0.1:9',
    OIDC_CLIENT_ID: 'panel',
    OIDC_CLIENT_SECRET: 'a secret that nothing checks',
  })
  return `http://127.0.0.1:${port}`
}

/** A passkey, as far as pages show it. */
export async function furnishPasskey({ database }: Stack, userId: string): Promise<string> {
  const passkey = {
    id: createUuidv7(),
    userId,
    credentialId: Buffer.from('passkey of the screens'),
    publicKey: Buffer.alloc(77),
    signCount: 0,
    transports: ['internal'],
    name: 'Firefox on Linux',
    isBackedUp: true,
  }
  await database.prisma.$transaction((tx) => createPasskey(tx, passkey, 10))
  return passkey.id
}

/** Records attempts, of which failures (F) open an incident and a success (S) closes it. */
export async function furnishIncidents(
  { database }: Stack,
  { tenantId, endpointId }: { tenantId: string; endpointId: string },
  attempts: string,
): Promise<void> {
  await recordAttempts(
    database.pool,
    Array.from(attempts, (result, index) => ({
      tenantId,
      endpointId,
      startedAt: new Date(Date.now() - (15 - index) * 60_000),
      durationMs: 40,
      statusCode: result === 'F' ? 503 : 204,
      errorClass: result === 'F' ? 'http_error' : null,
    })),
  )
}

/** An endpoint that has recovered from an incident, with deliveries that wait for a retry. Returns its id. */
export async function furnishRecovered(
  stack: Stack,
  { tenant, call, url }: { tenant: TestTenant; call: Call; url: string },
): Promise<string> {
  const body = { url, events: ['site.tls_updated'], description: 'Billing' }
  const id = (await call('post', '/webhooks', { body })).body.webhook.id as string
  for (let left = 3; left > 0; left--) await webhookUser(stack).publish(tenant, 'site.tls_updated')
  await until(
    async () => (await call('get', `/webhooks/${id}/deliveries?status=waiting_retry`)).body.items,
    (items: unknown[]) => items.length === 3,
  )
  await furnishIncidents(stack, { tenantId: tenant.id, endpointId: id }, 'FFFFFFS')
  return id
}
