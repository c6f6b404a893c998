import { randomUUID } from 'node:crypto'
import { freshAddress } from '../../apps/api/test/support/addresses.ts'
import { startLogin } from '../../apps/api/test/support/device.ts'
import { publish } from '../../apps/api/test/support/events.ts'
import type { TestApi } from '../support/api.ts'
import { serviceToken } from '../support/environment.ts'
import { callWith, makePerson, makeSession, type TestSession } from '../support/session.ts'
import type { Draft } from './drafts.ts'
import type { Operation } from './operations.ts'

/** An organization with data for an operation's requests: the values of their names, and the callers. */
export interface World {
  readonly names: Readonly<Record<string, string>>
  /** The headers of a caller. */
  credentialsOf(caller: Draft['caller']): Promise<Record<string, string>>
}

const password = 'correct horse battery staple'
const dayMs = 24 * 60 * 60 * 1_000
const inDays = (days: number): string => new Date(Date.now() + days * dayMs).toISOString()

/** Creates a world. Slow fixtures are created only for the operations that need them. */
export async function furnish(api: TestApi, operation: Operation): Promise<World> {
  const tenant = await api.makeTenant()
  const accountId = await tenant.makeAccount()
  const asksPassword = JSON.stringify(operation.requestBody ?? {}).includes('"password"')
  const person = await makePerson(api, tenant, asksPassword ? { password } : {})
  const customer = { roles: ['customer'], accounts: [accountId] } as const
  const colleague = await makePerson(api, tenant, customer)
  // A new session each time: a request may end the user's other sessions.
  const asPerson: TestApi['call'] = async (...call) =>
    callWith(api, await makeSession(api, person.id))(...call)
  const makeKey = async (kind: string): Promise<{ token: string; key: { id: string } }> => {
    // An earlier request may have set a policy that these keys violate.
    await api.database.pool.query('DELETE FROM key_policies WHERE tenant_id = $1', [tenant.id])
    return expectOk(asPerson('post', '/api-keys', { body: { name: 'fuzz', scopes: ['*'], kind } }))
  }
  const names: Record<string, string> = {
    ...(operation.path.startsWith('/webhook') && (await makeRecords(api, tenant.id, asPerson))),
    ...(operation.path.startsWith('/auth/device') && (await makeLogin(api))),
    tenant_id: tenant.id,
    account_id: accountId,
    user_id: colleague.id,
    key_id: (await makeKey('personal')).key.id,
    session_id: (await makeSession(api, person.id)).id,
    email: person.email,
    password,
    authorization: `Bearer ${(await tenant.makeKey()).token}`,
    slug: `s-${randomUUID()}`,
    yesterday: inDays(-1),
    tomorrow: inDays(1),
    long_ago: inDays(-40),
  }
  names['id'] = names[idNameOf(operation)] ?? 'none'
  const makers: Partial<Record<Draft['caller'], () => Promise<string>>> = {
    'personal key': async () => (await makeKey('personal')).token,
    'key and session': async () => (await makeKey('personal')).token,
    'read-only key': async () => (await tenant.makeKey({ scopes: ['*:read'] })).token,
    'customer key': async () => (await tenant.makeKey(customer)).token,
    'key of another organization': async () => (await (await api.makeTenant()).makeKey()).token,
    'organization key': async () => (await makeKey('organization')).token,
    garbage: () => Promise.resolve(`hctl_aaaaaaaaaaaa_${'0'.repeat(38)}`),
  }
  const made = new Map<string, Promise<string> | undefined>()
  const from = { 'x-forwarded-for': freshAddress() }
  const isInternal = operation.listener.name === 'internal'
  return {
    names,
    async credentialsOf(caller) {
      if (isInternal && caller !== 'nobody' && caller !== 'garbage') {
        return { ...from, authorization: `Bearer ${serviceToken}` }
      }
      if (!made.has(caller)) made.set(caller, makers[caller]?.())
      const token = await made.get(caller)
      const confirmedMsAgo = caller === 'session, not confirmed' ? dayMs / 24 : 0
      return {
        ...from,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(caller.includes('session') &&
          shown(caller, await makeSession(api, person.id, { confirmedMsAgo }))),
      }
    },
  }
}

/** What a browser sends of its session. */
const shown = (caller: Draft['caller'], { cookie, csrfToken }: TestSession) => ({
  cookie,
  ...(caller !== 'session without CSRF token' && { 'x-csrf-token': csrfToken }),
  ...(caller === 'session from another site' && { 'sec-fetch-site': 'cross-site' }),
})

const idNames: Readonly<Record<string, string>> = {
  'auth/sessions': 'session_id',
  'api-keys': 'key_id',
  webhooks: 'webhook_id',
  'webhook-deliveries': 'delivery_id',
  tenants: 'tenant_id',
  accounts: 'account_id',
  users: 'user_id',
}

/** The record that the `id` of the operation's path identifies. */
const idNameOf = ({ path }: Operation): string => idNames[path.slice(1).split('/{')[0]!] ?? ''

/** Creates endpoints, an event with deliveries, one of them dead, and a recovery. */
async function makeRecords(api: TestApi, tenantId: string, call: TestApi['call']) {
  const hook = { url: 'http://127.0.0.1:9/in', events: ['*'] }
  const { webhook } = await expectOk(call('post', '/webhooks', { body: hook }))
  await expectOk(call('post', '/webhooks', { body: hook }))
  const event = await publish(api, tenantId)
  const { next_cursor: cursor } = await expectOk(call('get', '/webhooks?limit=1'))
  const path = `/webhooks/${webhook.id}/recover`
  const { recovery } = await expectOk(call('post', path, { body: { since: inDays(-1) } }))
  return {
    webhook_id: webhook.id as string,
    event_id: event.id,
    delivery_id: event.deliveryIds[0]!,
    recovery_id: recovery.id as string,
    cursor: cursor as string,
  }
}

async function makeLogin(api: TestApi) {
  const { user_code, device_code } = await startLogin(api)
  return { user_code, device_code }
}

// oxlint-disable-next-line typescript/no-explicit-any -- JSON of any shape
async function expectOk(calling: ReturnType<TestApi['call']>): Promise<any> {
  const { status, body, text } = await calling
  if (status >= 300) throw new Error(`A fixture was not made: ${status} ${text}`)
  return body
}
