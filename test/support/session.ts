import {
  createSessionSecret,
  createUuidv7,
  csrfTokenOf,
  formatSessionToken,
  hashSessionSecret,
  sessionEnds,
  type Role,
  type SessionToken,
} from '@hosting/core'
import { createSession } from '@hosting/postgres'
import { randomUUID } from 'node:crypto'
import type { Response } from 'supertest'
import type { TestApi, TestTenant } from './api.ts'
import { testConfig } from './environment.ts'

/** A person of an organization. */
export interface TestPerson {
  readonly id: string
  readonly email: string
}

/** Who a test's person is. */
export interface PersonOptions {
  readonly roles?: readonly Role[]
  readonly accounts?: readonly string[]
  readonly password?: string
  readonly name?: string
}

/** A session, with what a browser holds of it. */
export interface TestSession {
  readonly id: string
  readonly userId: string
  /** The header `Cookie`. */
  readonly cookie: string
  readonly csrfToken: string
}

/** Makes a person, by way of the platform's directory. Hashing a password takes its time: give one only where it is used. */
export async function makePerson(
  api: TestApi,
  tenant: TestTenant,
  { roles = ['admin'], accounts = [], password, name = 'Ana' }: PersonOptions = {},
): Promise<TestPerson> {
  const id = randomUUID()
  const email = `${id}@example.test`
  const person = { tenant_id: tenant.id, email, name, status: 'active', roles, accounts, password }
  const { status, text } = await api.callInternal('put', `/users/${id}`, person)
  if (status !== 201) throw new Error(`A person was not made: ${text}`)
  return { id, email }
}

/** Signs a person in without the sign-in. `confirmedMsAgo` is when they last confirmed who they are. */
export async function makeSession(
  api: TestApi,
  userId: string,
  { confirmedMsAgo = 0 }: { confirmedMsAgo?: number } = {},
): Promise<TestSession> {
  const now = new Date()
  const { sessionIdleMs: idleMs, sessionLifetimeMs: lifetimeMs } = testConfig()
  const token = createSessionSecret(createUuidv7())
  await createSession(api.database.prisma, {
    id: token.id,
    userId,
    secretHash: hashSessionSecret(serverSecret(), token),
    ip: '127.0.0.1',
    userAgent: 'test',
    now: new Date(now.getTime() - confirmedMsAgo),
    ...sessionEnds({ idleMs, lifetimeMs }, now),
  })
  return holdSession(userId, token)
}

/** Makes a person and signs them in. */
export async function makeSignedIn(
  api: TestApi,
  tenant: TestTenant,
  options: PersonOptions & { confirmedMsAgo?: number } = {},
): Promise<TestSession & TestPerson & { readonly sessionId: string }> {
  const person = await makePerson(api, tenant, options)
  const session = await makeSession(api, person.id, options)
  return { ...session, ...person, sessionId: session.id }
}

/** Calls the API as a browser with the session does: with the cookie and, on a write, the CSRF token. */
export const callWith =
  (
    api: TestApi,
    { cookie, csrfToken }: Pick<TestSession, 'cookie' | 'csrfToken'>,
  ): TestApi['call'] =>
  (verb, path, { headers = {}, ...options } = {}) =>
    api.call(verb, path, {
      ...options,
      headers: { cookie, ...(verb !== 'get' && { 'x-csrf-token': csrfToken }), ...headers },
    })

/** The session that an answer's `Set-Cookie` and body gave. */
export function sessionOf({ headers, body }: Response): TestSession {
  const [cookie = ''] = headers['set-cookie'] as unknown as string[]
  const [pair = ''] = cookie.split(';')
  const { csrf_token: csrfToken, user } = body as { csrf_token: string; user: { id: string } }
  return { id: pair.split('=')[1]!.split('.')[0]!, userId: user.id, cookie: pair, csrfToken }
}

const serverSecret = (): Buffer => testConfig().serverSecrets!.reveal()[0]

const holdSession = (userId: string, token: SessionToken): TestSession => ({
  id: token.id,
  userId,
  cookie: `session=${formatSessionToken(token)}`,
  csrfToken: csrfTokenOf(serverSecret(), token),
})
