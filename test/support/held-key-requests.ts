import type { Role, Scope } from '@hosting/core/scopes'
import { beforeAll, expect } from '@jest/globals'
import type { TestTenant } from './api.ts'
import { callerAt, callerOf, type CallerResponse, type Caller } from './caller.ts'
import { useStack } from './stack.ts'

export const stack = useStack({ TRUSTED_PROXIES: '127.0.0.1/32' })

export let here: Caller

export let elsewhere: Caller

beforeAll(async () => {
  here = callerAt(stack.api)
  elsewhere = callerOf(await stack.startApi())
})

export interface Subject {
  readonly tenant: TestTenant
  /** The key of the held requests. */
  readonly id: string
  readonly token: string
  readonly userId: string
  /** Another key of the same user, which does not change. */
  readonly ownerToken: string
}

export async function makeSubject(fields: object = {}): Promise<Subject> {
  const tenant = await stack.api.makeTenant()
  const owner = await tenant.makeKey()
  const { status, body } = await here.call('post', '/api-keys', {
    token: owner.token,
    body: { name: 'subject', scopes: ['*'], ...fields },
  })
  expect(status).toBe(201)
  return {
    tenant,
    id: body.key.id,
    token: body.token,
    userId: owner.userId,
    ownerToken: owner.token,
  }
}

export const putUser = async (
  { tenant, userId }: Subject,
  change: { roles?: readonly Role[]; status?: string },
): Promise<void> => {
  const { status } = await elsewhere.callInternal('put', `/users/${userId}`, {
    tenant_id: tenant.id,
    email: `${userId}@example.test`,
    name: 'Ana',
    status: 'active',
    roles: ['admin'],
    accounts: [],
    ...change,
  })
  expect(status).toBe(200)
}

export const changeKey = async ({ id, ownerToken }: Subject, body: object): Promise<void> => {
  const { status } = await elsewhere.call('patch', `/api-keys/${id}`, { token: ownerToken, body })
  expect(status).toBe(200)
}

export interface Change {
  readonly name: string
  make(subject: Subject): Promise<void>
  readonly code: string
  readonly status: number
  /** What is created; by default a key with all permissions. */
  readonly asks?: 'organization key' | 'webhook'
  /** The caller in the audit log; by default the key's user. */
  readonly actor?: 'anonymous'
}

export const expectStatus = async (
  response: Promise<CallerResponse>,
  status: number,
): Promise<void> => expect((await response).status).toBe(status)

export const invalid = { status: 401, code: 'invalid_api_key' }

export const changes: readonly Change[] = [
  {
    name: 'the key was revoked',
    make: ({ id, ownerToken }) =>
      expectStatus(elsewhere.call('delete', `/api-keys/${id}`, { token: ownerToken }), 204),
    ...invalid,
  },
  {
    name: 'the key was rotated',
    make: ({ id, ownerToken }) =>
      expectStatus(elsewhere.call('post', `/api-keys/${id}/rotate`, { token: ownerToken }), 200),
    ...invalid,
    actor: 'anonymous',
  },
  {
    name: 'the scopes were reduced to read access',
    make: (subject) => changeKey(subject, { scopes: ['*:read'] }),
    status: 403,
    code: 'insufficient_scope',
  },
  {
    name: 'the scopes were reduced to less than the new key requests',
    make: (subject) => changeKey(subject, { scopes: ['apikeys:write'] satisfies Scope[] }),
    status: 403,
    code: 'api_key_wider_than_caller',
  },
  {
    name: 'the allowlist was narrowed',
    make: (subject) => changeKey(subject, { ip_allowlist: ['203.0.113.7'] }),
    status: 403,
    code: 'api_key_ip_denied',
  },
  {
    name: 'the key was disabled',
    make: (subject) => changeKey(subject, { enabled: false }),
    ...invalid,
  },
  {
    name: 'the key was limited to an account, which the new key is not',
    make: async (subject) => changeKey(subject, { accounts: [await subject.tenant.makeAccount()] }),
    status: 403,
    code: 'api_key_wider_than_caller',
  },
  {
    name: 'the key was limited to an account, which reaches no webhooks',
    make: async (subject) => changeKey(subject, { accounts: [await subject.tenant.makeAccount()] }),
    asks: 'webhook',
    status: 403,
    code: 'permission_denied',
  },
  {
    name: 'the user was deactivated',
    make: (subject) => putUser(subject, { status: 'deactivated' }),
    ...invalid,
  },
  {
    name: 'the user lost every role',
    make: (subject) => putUser(subject, { roles: [] }),
    status: 403,
    code: 'permission_denied',
  },
  {
    name: 'the user was demoted to support',
    make: (subject) => putUser(subject, { roles: ['support'] }),
    asks: 'organization key',
    status: 403,
    code: 'permission_denied',
  },
  {
    name: 'the user was demoted to customer',
    make: (subject) => putUser(subject, { roles: ['customer'] }),
    asks: 'webhook',
    status: 403,
    code: 'permission_denied',
  },
  {
    name: 'the user was deleted',
    make: ({ userId }) => expectStatus(elsewhere.callInternal('delete', `/users/${userId}`), 204),
    ...invalid,
  },
  {
    name: 'the organization was deleted',
    make: ({ tenant }) =>
      expectStatus(elsewhere.callInternal('delete', `/tenants/${tenant.id}`), 204),
    ...invalid,
  },
]
