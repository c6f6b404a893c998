import { createUuidv7 } from '@hosting/core/ids'
import { createPasskey } from '@hosting/postgres/sessions'
import type { TestTenant } from '../support/api.ts'
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
  const results = Array.from(attempts, (result, index) => ({
    at: new Date(Date.now() - (15 - index) * 60_000),
    failed: result === 'F',
  }))
  await database.pool.query(
    `INSERT INTO delivery_attempts
       (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class)
     SELECT uuid_v7(), gen_random_uuid(), $1, $2, 1, at, 40, CASE WHEN failed THEN 503 ELSE 204 END,
       CASE WHEN failed THEN 'http_error' END
     FROM unnest($3::timestamptz[], $4::bool[]) AS a (at, failed)`,
    [endpointId, tenantId, results.map(({ at }) => at), results.map(({ failed }) => failed)],
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
