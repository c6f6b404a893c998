import type { Role } from '@hosting/core/scopes'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { TestTenant } from '../support/api.ts'
import { callerAt, callerOf, inLanes, type CallerResponse, type Caller } from '../support/caller.ts'
import { useStack } from '../support/stack.ts'

const stack = useStack()
let processes: readonly [Caller, Caller]

beforeAll(async () => {
  const second = await stack.startApi()
  processes = [callerAt(stack.api), callerOf(second)]
})

/** A key, its user, and another key of the user that manages it. */
interface Subject {
  readonly id: string
  readonly token: string
  readonly userId: string
  readonly tenantId: string
  readonly accountId: string
  readonly spareAccountId: string
  readonly managerToken: string
}

/** What the subjects share; each has its own of the rest. */
interface Shared {
  readonly tenant?: TestTenant
  readonly user?: Pick<Subject, 'userId' | 'accountId' | 'spareAccountId' | 'managerToken'>
}

async function makeSubject(role: Role, { tenant, user }: Shared): Promise<Subject> {
  const home = tenant ?? (await stack.api.makeTenant())
  const owner = user ?? (await makeUser(home, role))
  const { status, body } = await processes[0].call('post', '/api-keys', {
    token: owner.managerToken,
    body: { name: 'subject', scopes: ['*'], ip_allowlist: ['127.0.0.0/8'] },
  })
  expect(status).toBe(201)
  return { id: body.key.id, token: body.token, tenantId: home.id, ...owner }
}

async function makeUser(tenant: TestTenant, role: Role) {
  const accountId = await tenant.makeAccount()
  const spareAccountId = await tenant.makeAccount()
  const accounts = [accountId, spareAccountId]
  const manager = await tenant.makeKey({ roles: [role], accounts })
  return { userId: manager.userId, accountId, spareAccountId, managerToken: manager.token }
}

const putUser = (
  caller: Caller,
  { userId, tenantId, accountId }: Subject,
  members: Record<string, unknown>,
): Promise<CallerResponse> =>
  caller.callInternal('put', `/users/${userId}`, {
    tenant_id: tenantId,
    email: `${userId}@example.test`,
    name: 'Ana',
    status: 'active',
    roles: ['admin'],
    accounts: [accountId],
    ...members,
  })

const patchKey = (
  caller: Caller,
  { id, managerToken }: Subject,
  body: object,
): Promise<CallerResponse> => caller.call('patch', `/api-keys/${id}`, { token: managerToken, body })

/** Lists webhooks, which requires the scope and the role. */
const readsWebhooks = (caller: Caller, { token }: Subject): Promise<CallerResponse> =>
  caller.call('get', '/webhooks', { token })

/** Checks access to the account, as another service of the platform does. */
const reachesAccount = (caller: Caller, { token, accountId }: Subject): Promise<CallerResponse> =>
  caller.callInternal('post', '/authorize', {
    authorization: `Bearer ${token}`,
    ip: '127.0.0.1',
    method: 'GET',
    permission: 'sites.read',
    account_id: accountId,
  })

/** How often each change is made, on six subjects in each of its four ways. */
const tries = 24

interface Change {
  /** Whose change it is: something that subjects do not share. */
  readonly of: 'key' | 'user' | 'tenant'
  /** Of the user, who is an admin. */
  readonly role?: Role
  /** Changes the subject before its first request. */
  readonly prepare?: (caller: Caller, subject: Subject) => Promise<CallerResponse>
  /** Makes the change through one process. */
  readonly change: (caller: Caller, subject: Subject) => Promise<CallerResponse>
  /** Requested from the other process: 200 before the change, the refusal after it. */
  readonly ask?: (caller: Caller, subject: Subject) => Promise<CallerResponse>
  readonly refusal: readonly [status: number, code: string]
}

const changes: Record<string, Change> = {
  'a revocation': {
    of: 'key',
    change: (caller, { id, managerToken }) =>
      caller.call('delete', `/api-keys/${id}`, { token: managerToken }),
    refusal: [401, 'invalid_api_key'],
  },
  'a narrowing of scopes': {
    of: 'key',
    change: (caller, subject) => patchKey(caller, subject, { scopes: ['sites:write'] }),
    refusal: [403, 'insufficient_scope'],
  },
  'a narrowing of the allowlist': {
    of: 'key',
    change: (caller, subject) => patchKey(caller, subject, { ip_allowlist: ['127.0.0.2'] }),
    refusal: [403, 'api_key_ip_denied'],
  },
  'a disabling': {
    of: 'key',
    change: (caller, subject) => patchKey(caller, subject, { enabled: false }),
    refusal: [401, 'invalid_api_key'],
  },
  'a limit to accounts': {
    of: 'key',
    change: (caller, subject) => patchKey(caller, subject, { accounts: [subject.accountId] }),
    refusal: [403, 'permission_denied'],
  },
  'a limit to another account': {
    of: 'key',
    role: 'reseller',
    change: (caller, subject) => patchKey(caller, subject, { accounts: [subject.spareAccountId] }),
    ask: reachesAccount,
    refusal: [403, 'permission_denied'],
  },
  'a deletion of the account that an admin limited the key to': {
    of: 'user',
    prepare: (caller, subject) => patchKey(caller, subject, { accounts: [subject.accountId] }),
    change: (caller, { accountId }) => caller.callInternal('delete', `/accounts/${accountId}`),
    ask: reachesAccount,
    refusal: [403, 'permission_denied'],
  },
  'a deactivation of the user': {
    of: 'user',
    change: (caller, subject) => putUser(caller, subject, { status: 'deactivated' }),
    refusal: [401, 'invalid_api_key'],
  },
  'a deletion of the user': {
    of: 'user',
    change: (caller, { userId }) => caller.callInternal('delete', `/users/${userId}`),
    refusal: [401, 'invalid_api_key'],
  },
  'a loss of the role': {
    of: 'user',
    change: (caller, subject) => putUser(caller, subject, { roles: ['customer'] }),
    refusal: [403, 'permission_denied'],
  },
  'a loss of an account': {
    of: 'user',
    role: 'reseller',
    change: (caller, subject) => putUser(caller, subject, { roles: ['reseller'], accounts: [] }),
    ask: reachesAccount,
    refusal: [403, 'permission_denied'],
  },
  'a deletion of an account': {
    of: 'user',
    role: 'reseller',
    change: (caller, { accountId }) => caller.callInternal('delete', `/accounts/${accountId}`),
    ask: reachesAccount,
    refusal: [403, 'permission_denied'],
  },
  'a deletion of the organization': {
    of: 'tenant',
    change: (caller, { tenantId }) => caller.callInternal('delete', `/tenants/${tenantId}`),
    refusal: [401, 'invalid_api_key'],
  },
}

describe('two API processes with warm caches', () => {
  test.each(Object.entries(changes))(
    '%s through one applies to the next request on the other',
    async (_what, { of, prepare, change, ask = readsWebhooks, refusal, role = 'admin' }) => {
      const shared = await share(of, role)
      await inLanes(tries, async (index) => {
        const [one, other] = index % 2 === 0 ? processes : processes.toReversed()
        const subject = await makeSubject(role, shared)
        await prepare?.(one, subject)
        await warm(() => processes.map((caller) => ask(caller, subject)))
        // Half of the changes overlap requests in progress, whose reads may be stale.
        const underWay = index % 4 < 2 ? [1, 2, 3].map(() => ask(other, subject)) : []
        const { status } = await change(one, subject)
        const after = await ask(other, subject)
        expect([200, 204]).toContain(status)
        expect([after.status, after.code]).toEqual(refusal)
        const here = await ask(one, subject)
        expect([here.status, here.code]).toEqual(refusal)
        await Promise.all(underWay)
      })
    },
  )

  test('after a rotation the next request needs the new secret, and the old one is refused', async () => {
    const shared = await share('key', 'admin')
    await inLanes(tries, async (index) => {
      const [one, other] = index % 2 === 0 ? processes : processes.toReversed()
      const subject = await makeSubject('admin', shared)
      await warm(() => processes.map((caller) => readsWebhooks(caller, subject)))
      const rotated = await one.call('post', `/api-keys/${subject.id}/rotate`, {
        token: subject.managerToken,
        body: { grace_seconds: 0 },
      })
      expect(rotated).toMatchObject({ status: 200 })
      const renewed = { ...subject, token: rotated.body.token }
      const ask = {
        old: async () =>
          expect(await readsWebhooks(other, subject)).toMatchObject({
            status: 401,
            code: 'invalid_api_key',
          }),
        renewed: async () =>
          expect(await readsWebhooks(other, renewed)).toMatchObject({ status: 200 }),
      }
      const order = index % 4 < 2 ? [ask.old, ask.renewed] : [ask.renewed, ask.old]
      for (const next of order) await next()
    })
  })
})

async function share(of: Change['of'], role: Role): Promise<Shared> {
  if (of === 'tenant') return {}
  const tenant = await stack.api.makeTenant()
  return { tenant, ...(of === 'key' && { user: await makeUser(tenant, role) }) }
}

/** Twice, so that the second result comes from the cache. */
async function warm(ask: () => Promise<CallerResponse>[]): Promise<void> {
  for (let time = 0; time < 2; time++) {
    for (const response of await Promise.all(ask())) expect(response.status).toBe(200)
  }
}
