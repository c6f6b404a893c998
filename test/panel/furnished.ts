import { createUuidv7At } from '@hosting/core/ids'
import { addKeyUses } from '@hosting/postgres/api-keys'
import { setUpTotp } from '../../apps/api/test/support/sign-in.ts'
import type { TestTenant } from '../support/api.ts'
import { recordAttempts } from '../support/recorded-attempts.ts'
import { startReceiver } from '../support/receiver.ts'
import { keyUses } from '../support/key-uses.ts'
import { callWith, makePerson, makeSession, makeSignedIn, sessionOf } from '../support/session.ts'
import { until, type Stack } from '../support/stack.ts'
import { endDeliveries } from '../support/stored-deliveries.ts'
import { webhookUser } from '../support/webhook-user.ts'
import {
  furnishAccounts,
  furnishDescendants,
  furnishExpiringKey,
  furnishGoverned,
  furnishIncidents,
  furnishPasskey,
  furnishRecovered,
  furnishUsedKey,
  startPanelWithProvider,
} from './furnished-states.ts'
import { furnishWorkloadKey } from './workload-screens.ts'

/** Organizations with data for every page. */
export interface Furnished {
  readonly keys: Readonly<Record<'deploy' | 'old' | 'parent' | 'used' | 'rotated', string>>
  readonly workloadKey: string
  /** A key that violates the policy of its organization. */
  readonly governed: string
  readonly hooks: Readonly<
    Record<
      | 'healthy'
      | 'failing'
      | 'paused'
      | 'waiting'
      | 'delivered'
      | 'retried'
      | 'dead'
      | 'broken'
      | 'recovery'
      | 'recovered'
      | 'incident'
      | 'event'
      | 'unsentEvent',
      string
    >
  >
  /** A passkey of Ana. */
  readonly passkey: string
  /** The id of a person whom sign-in links are for. */
  readonly guest: string
  /** A person with a password and an authenticator. */
  readonly twoFactor: { readonly email: string; readonly password: string }
  /** The URL of a panel with an identity provider that does not respond. */
  readonly providerUrl: string
  /** The cookies of the people who open the pages. */
  readonly people: People
  close(): Promise<void>
}

type People = Readonly<
  Record<
    | 'ana'
    | 'empty'
    | 'support'
    | 'reseller'
    | 'unconfirmed'
    | 'guessing'
    | 'impersonating'
    | 'outside'
    | 'outsideLater'
    | 'theo'
    | 'gina',
    string
  >
> & { readonly nora: { readonly id: string; readonly cookie: string } }

const password = 'a long enough sentence'

/** Creates a busy organization, an empty one, one with a key policy, and the people who open the pages. */
export async function furnish(stack: Stack): Promise<Furnished> {
  const { api } = stack
  const [tenant, empty] = [await api.makeTenant(), await api.makeTenant()]
  const ana = await makeSignedIn(api, tenant, { name: 'Ana Kovač', email: 'ana@example.test' })
  await furnishAccounts(stack, tenant)
  const call = callWith(api, ana)
  const keys = await furnishKeys(stack, call)
  const workloadKey = await furnishWorkloadKey(stack, { tenant, call })
  const hooks = await furnishWebhooks(stack, { tenant, call })
  const as = async (options: Parameters<typeof makeSignedIn>[2], where = tenant) =>
    (await makeSignedIn(api, where, options)).cookie
  const theo = await makeSignedIn(api, tenant, { name: 'Theo', password })
  await setUpTotp(api, theo)
  await makeSession(api, theo.id)
  const governed = await furnishGoverned(stack)
  const people = {
    ana: ana.cookie,
    empty: await as({ name: 'Eve' }, empty),
    support: await as({ name: 'Sam', roles: ['support'] }),
    reseller: await as({ name: 'Rita', roles: ['reseller'] }),
    unconfirmed: await as({ name: 'Una', confirmedMsAgo: 3_600_000 }),
    guessing: await as({ name: 'Gus' }),
    impersonating: await impersonate(stack, tenant),
    outside: await as({ name: 'Ola', withoutPassword: true }),
    outsideLater: await as({ name: 'Oda', withoutPassword: true, confirmedMsAgo: 3_600_000 }),
    theo: theo.cookie,
    nora: await makeSignedIn(api, tenant, { name: 'Nora' }),
    gina: governed.cookie,
  }
  await keepConfirmed(stack)
  const guest = (await makePerson(api, tenant, { name: 'Gerda' })).id
  return {
    people,
    guest,
    passkey: await furnishPasskey(stack, ana.id),
    keys,
    workloadKey,
    hooks,
    governed: governed.keyId,
    twoFactor: { email: theo.email, password },
    providerUrl: await startPanelWithProvider(stack),
    close: hooks.close,
  }
}

/** Lets confirmed sessions stay so, however long the pages take. */
const keepConfirmed = ({ database }: Stack): Promise<unknown> =>
  database.pool.query(
    `UPDATE panel_sessions SET confirmed_at = now() + interval '1 hour'
     WHERE confirmed_at > now() - interval '30 minutes'`,
  )

/** The cookie of an administrator who impersonates a colleague. */
async function impersonate({ api }: Stack, tenant: TestTenant): Promise<string> {
  const [admin, colleague] = [
    await makeSignedIn(api, tenant, { name: 'Ada' }),
    await makePerson(api, tenant, { name: 'Carl', roles: ['customer'] }),
  ]
  const body = { user_id: colleague.id }
  return sessionOf(await callWith(api, admin)('post', '/auth/impersonation', { body })).cookie
}

type Call = ReturnType<typeof callWith>

const dayMs = 86_400_000

async function furnishKeys(stack: Stack, call: Call) {
  const make = async (body: Record<string, unknown>): Promise<string> =>
    (await call('post', '/api-keys', { body })).body.key.id
  const deploy = await make({
    name: 'Deploy script',
    scopes: ['sites:write', 'databases:write', 'jobs:read'],
    ip_allowlist: ['203.0.113.7', '2001:db8::/48'],
    expires_at: new Date(Date.now() + 80 * dayMs).toISOString(),
  })
  const billing = await make({ name: 'Billing export', scopes: ['*:read'], kind: 'organization' })
  const old = await make({ name: 'Old laptop', scopes: ['*'] })
  const parent = await furnishDescendants(stack, call)
  await furnishExpiringKey(stack, await make({ name: 'Nightly export', scopes: ['backups:read'] }))
  await call('delete', `/api-keys/${old}`)
  await call('post', `/api-keys/${billing}/rotate`, { body: { grace_seconds: 3_600 } })
  const usage = [deploy, billing].flatMap((keyId, which) =>
    Array.from({ length: 30 }, (_, day) => {
      const at = new Date(Date.now() - day * dayMs)
      const requests = Math.round((90 + 70 * Math.sin(day / 2.5)) * (which === 0 ? 11 : 3))
      const outcomes = { requests, refused: Math.round(requests / 9), rateLimited: which * 4 }
      return keyUses(keyId, at, outcomes)
    }),
  )
  await addKeyUses(stack.database, usage.flat())
  return { deploy, old, parent, rotated: billing, used: await furnishUsedKey(stack, call) }
}

async function furnishWebhooks(stack: Stack, { tenant, call }: { tenant: TestTenant; call: Call }) {
  const unsentEvent = await webhookUser(stack).publish(tenant)
  const good = await startReceiver()
  const bad = await startReceiver({ respond: () => ({ status: 503 }) })
  const add = async (url: string, events: string[], description: string): Promise<string> =>
    (await call('post', '/webhooks', { body: { url, events, description } })).body.webhook.id
  const healthy = await add(`${good.url}hooks/hosting`, ['*'], 'Everything, to the data warehouse')
  const failing = await add(`${bad.url}alerts`, ['alert.*', 'site.created'], 'Pager')
  const paused = await add('https://old.example.com/hooks', ['backup.*', 'site.*'], 'The old one')
  await call('patch', `/webhooks/${paused}`, { body: { enabled: false } })
  const waiting = await add('https://new.example.com/in', ['dns.*'], 'Not deployed yet')
  const { publish } = webhookUser(stack)
  for (let left = 3; left > 0; left--) await publish(tenant)
  const event = await publish(tenant)
  await stack.startWorker()
  const delivered = await firstEnded(call, healthy)
  await firstEnded(call, failing)
  await furnishAttempts(stack, { tenantId: tenant.id, endpointId: healthy })
  const dead = await giveUp(stack, failing)
  await furnishIncidents(stack, { tenantId: tenant.id, endpointId: failing }, 'FFFFFFSFFFFFFFF')
  const limits = { rate_limit_per_second: 5, disable_after_failing_hours: 72 }
  await call('patch', `/webhooks/${failing}`, { body: limits })
  const since = new Date(Date.now() - dayMs).toISOString()
  const recovery = await call('post', `/webhooks/${failing}/recover`, { body: { since } })
  return {
    healthy,
    failing,
    paused,
    waiting,
    delivered,
    event,
    unsentEvent,
    retried: (await listOf(call, failing)).find(({ status }) => status === 'waiting_retry')!.id,
    dead,
    broken: await breakDelivery(stack, { tenant, call, paused }),
    recovered: await furnishRecovered(stack, { tenant, call, url: `${bad.url}billing` }),
    recovery: recovery.body.recovery.id as string,
    incident: (await call('get', `/webhooks/${failing}/incidents`)).body.items[0].id as string,
    close: async () => {
      await Promise.all([good.close(), bad.close()])
    },
  }
}

const listOf = async (call: Call, webhookId: string): Promise<{ id: string; status: string }[]> =>
  (await call('get', `/webhook-deliveries?webhook_id=${webhookId}`)).body.items

/** The newest delivery of the endpoint, after all of them have been attempted. */
async function firstEnded(call: Call, webhookId: string): Promise<string> {
  const [first] = await until(
    () => listOf(call, webhookId),
    (items) => items.every(({ status }) => ['succeeded', 'waiting_retry'].includes(status)),
  )
  return first!.id
}

/** Marks all but one of the endpoint's deliveries as dead, and returns one of them. */
async function giveUp({ database }: Stack, endpointId: string): Promise<string> {
  const { rows } = await database.pool.query<{ delivery_id: string }>(
    `SELECT delivery_id FROM pending_deliveries WHERE endpoint_id = $1 ORDER BY delivery_id OFFSET 1`,
    [endpointId],
  )
  const ids = rows.map(({ delivery_id }) => delivery_id)
  await endDeliveries(database, ids, { outcome: 'dead' })
  return ids[0]!
}

/** A delivery with a corrupt payload, for the page of internal errors. */
async function breakDelivery(
  stack: Stack,
  { tenant, call, paused }: { tenant: TestTenant; call: Call; paused: string },
): Promise<string> {
  const eventId = await webhookUser(stack).publish(tenant, 'site.deleted')
  await stack.database.pool.query(`UPDATE events SET payload = 'no JSON' WHERE event_id = $1`, [
    eventId,
  ])
  return (await listOf(call, paused))[0]!.id
}

/** Inserts a day of attempts for the charts. */
async function furnishAttempts(
  { database }: Stack,
  { tenantId, endpointId }: { tenantId: string; endpointId: string },
): Promise<void> {
  const rows = Array.from({ length: 22 * 24 }, (_, index) => {
    const at = Date.now() - 3_600_000 - index * 150_000
    const wave = 1 + Math.sin(at / 9_000_000)
    const failed = index % 17 === 0 || (index > 120 && index < 150 && index % 3 === 0)
    return {
      tenantId,
      endpointId,
      id: createUuidv7At(at),
      startedAt: new Date(at),
      durationMs: Math.round(60 + 90 * wave + (index % 7) * 18),
      statusCode: failed ? 503 : 204,
      errorClass: failed ? 'http_error' : null,
    }
  })
  await recordAttempts(database.pool, rows)
}
