import { createUuidv7 } from '@hosting/core/ids'
import { createPasskey } from '@hosting/postgres/sessions'
import type { TestTenant } from '../support/api.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import type { Stack } from '../support/stack.ts'

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
