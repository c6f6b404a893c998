import { createUuidv7 } from '@hosting/core/ids'
import { type Role } from '@hosting/core/scopes'
import {
  createSessionSecret,
  csrfTokenOf,
  formatSessionToken,
  hashSessionSecret,
  sessionEnds,
  type SessionToken,
} from '@hosting/core/sessions'
import { createSession } from '@hosting/postgres/sessions'
import { randomUUID } from 'node:crypto'
import type { Response } from 'supertest'
import type { TestApi, TestTenant } from './api.ts'
import { testConfig } from './environment.ts'

/** A user of an organization. */
export interface TestPerson {
  readonly id: string
  readonly email: string
}

/** The properties of a test user. */
export interface PersonOptions {
  readonly roles?: readonly Role[]
  readonly accounts?: readonly string[]
  readonly password?: string
  readonly name?: string
  /** Default: one of the person's own. */
  readonly email?: string
}

/** A session, with the browser's credentials for it. */
export interface TestSession {
  readonly id: string
  readonly userId: string
  /** The header `Cookie`. */
  readonly cookie: string
  readonly csrfToken: string
}

/** Creates a user through the platform's directory. Hashing a password is slow: pass one only if the test uses it. */
export async function makePerson(
  api: TestApi,
  tenant: TestTenant,
  { roles = ['admin'], accounts = [], password, name = 'Ana', email: given }: PersonOptions = {},
): Promise<TestPerson> {
  const id = randomUUID()
  const email = given ?? `${id}@example.test`
  const person = { tenant_id: tenant.id, email, name, status: 'active', roles, accounts, password }
  const { status, text } = await api.callInternal('put', `/users/${id}`, person)
  if (status !== 201) throw new Error(`A person was not made: ${text}`)
  return { id, email }
}

/** Creates a session without a sign-in. `confirmedMsAgo` is the age of the last confirmation. */
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
    method: 'password',
    hasSecondFactor: false,
    now: new Date(now.getTime() - confirmedMsAgo),
    confirmedAt: new Date(now.getTime() - confirmedMsAgo),
    ...sessionEnds({ idleMs, lifetimeMs }, now),
  })
  return holdSession(userId, token)
}

/** The hash of a password that nobody knows. */
export const unknownPassword = `$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$${'A'.repeat(43)}`

/** Gives a user a password that nobody knows. */
export async function setUnknownPassword(api: TestApi, { id }: TestPerson): Promise<void> {
  const data = { passwordHash: unknownPassword }
  await api.database.prisma.user.update({ where: { id }, data })
}

/** Creates a user and a session for them. Unless told otherwise, the user has a password that nobody knows. */
export async function makeSignedIn(
  api: TestApi,
  tenant: TestTenant,
  options: PersonOptions & { confirmedMsAgo?: number; withoutPassword?: boolean } = {},
): Promise<TestSession & TestPerson & { readonly sessionId: string }> {
  const person = await makePerson(api, tenant, options)
  if (options.password === undefined && options.withoutPassword !== true) {
    await setUnknownPassword(api, person)
  }
  const session = await makeSession(api, person.id, options)
  return { ...session, ...person, sessionId: session.id }
}

/** Makes a session one that a passkey has confirmed. */
export async function setSecondFactor(api: TestApi, { id }: { id: string }): Promise<void> {
  const data = { hasSecondFactor: true }
  await api.database.prisma.panelSession.update({ where: { id }, data })
}

/** Calls the API as a browser with the session does: with the cookie and, for writes, the CSRF token. */
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

/** The session in a response's `Set-Cookie` and body. */
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

/** Makes an organization with a person who is signed in, with the role `admin` unless the options say otherwise. */
export async function makeSignedInTenant(api: TestApi, options: PersonOptions = {}) {
  const tenant = await api.makeTenant()
  const person = await makeSignedIn(api, tenant, options)
  return { tenant, person, call: callWith(api, person) }
}
