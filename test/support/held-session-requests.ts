import { beforeAll, expect } from '@jest/globals'
import type { TestTenant } from './api.ts'
import { callerAt, callerOf, type CallerResponse, type Caller } from './caller.ts'
import {
  makePerson,
  makeSession,
  setUnknownPassword,
  type TestPerson,
  type TestSession,
} from './session.ts'
import { useStack } from './stack.ts'

export const stack = useStack()

export let here: Caller

export let elsewhere: Caller

export let elsewhereUrl: string

beforeAll(async () => {
  here = callerAt(stack.api)
  const second = await stack.startApi()
  elsewhere = callerOf(second)
  elsewhereUrl = `http://127.0.0.1:${second.port}`
})

/** The session that sends the held requests, and another session of the same user. */
export interface Subject {
  readonly tenant: TestTenant
  readonly person: TestPerson
  readonly session: TestSession
  readonly own: TestSession
}

export async function makeSubject(): Promise<Subject> {
  const tenant = await stack.api.makeTenant()
  const person = await makePerson(stack.api, tenant)
  await setUnknownPassword(stack.api, person)
  return {
    tenant,
    person,
    session: await makeSession(stack.api, person.id),
    own: await makeSession(stack.api, person.id),
  }
}

export const cookieOf = ({ cookie, csrfToken }: TestSession) => ({
  cookie,
  'x-csrf-token': csrfToken,
})

export const expectStatus = async (
  response: Promise<CallerResponse>,
  status: number,
): Promise<void> => expect((await response).status).toBe(status)

export const putUser = (
  { tenant, person: { id, email } }: Pick<Subject, 'tenant' | 'person'>,
  change: object,
): Promise<void> =>
  expectStatus(
    elsewhere.callInternal('put', `/users/${id}`, {
      tenant_id: tenant.id,
      email,
      name: 'Ana',
      status: 'active',
      roles: ['admin'],
      accounts: [],
      ...change,
    }),
    200,
  )

export interface Change {
  readonly name: string
  make(subject: Subject): Promise<void>
  readonly status: number
  readonly code: string
  /** Where a form redirects to; if absent, the response is an error page. */
  readonly form: { readonly status: 303; readonly location: string } | { readonly status: 403 }
}

export const gone = {
  status: 401,
  code: 'authentication_required',
  form: { status: 303, location: '/sign-in?next=%2Fkeys%2Fnew' },
} as const

export const denied = { status: 403, code: 'permission_denied', form: { status: 403 } } as const

export const changes: readonly Change[] = [
  {
    name: 'the session signed out',
    make: ({ session }) =>
      expectStatus(elsewhere.call('delete', '/auth/session', { headers: cookieOf(session) }), 204),
    ...gone,
  },
  {
    name: 'another session ended the session',
    make: ({ session, own }) =>
      expectStatus(
        elsewhere.call('delete', `/auth/sessions/${session.id}`, { headers: cookieOf(own) }),
        204,
      ),
    ...gone,
  },
  {
    name: 'the user changed the password elsewhere',
    make: ({ own }) =>
      expectStatus(
        elsewhere.call('post', '/auth/password', {
          headers: cookieOf(own),
          body: { new_password: 'correct horse battery staple' },
        }),
        204,
      ),
    ...gone,
  },
  {
    name: 'the platform set another password',
    make: (subject) => putUser(subject, { password: 'correct horse battery staple' }),
    ...gone,
  },
  {
    name: 'the user was deactivated',
    make: (subject) => putUser(subject, { status: 'deactivated' }),
    ...gone,
  },
  {
    name: 'the user lost every role',
    make: (subject) => putUser(subject, { roles: [] }),
    ...denied,
  },
  {
    name: 'the user was deleted',
    make: ({ person }) =>
      expectStatus(elsewhere.callInternal('delete', `/users/${person.id}`), 204),
    ...gone,
  },
  {
    name: 'the organization was deleted',
    make: ({ tenant }) =>
      expectStatus(elsewhere.callInternal('delete', `/tenants/${tenant.id}`), 204),
    ...gone,
  },
]
