import { internalRoutes, publicRoutes } from '@hosting/api'
import { createKeyToken, formatKeyToken, hashKeySecret, rateLimitMax } from '@hosting/core/api-keys'
import { createUuidv7 } from '@hosting/core/ids'
import { type Role, type Scope } from '@hosting/core/scopes'
import { createApiKey } from '@hosting/postgres/api-keys'
import { type Database, type Transaction } from '@hosting/postgres/database'
import { randomUUID } from 'node:crypto'
import request from 'supertest'
import { requireValidResponse } from './response-schemas.ts'
import { serverSecret, serviceToken } from './environment.ts'

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** What a test sends with a request. */
export interface CallOptions {
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** An API process under test, with users to call it as. */
export interface TestApi {
  readonly url: string
  readonly internalUrl: string
  readonly database: Database
  /** Calls the public API; `path` is relative to `/api/v1`. Checks every response against the route's schemas. */
  call(verb: Verb, path: string, options?: CallOptions): Promise<request.Response>
  /** Calls the internal API as a service of the platform; `path` is relative to `/internal/v1`. */
  callInternal(
    verb: Verb,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<request.Response>
  /** Creates an organization. */
  makeTenant(): Promise<TestTenant>
  /** Creates an organization with an administrator, and gives the token of their key with all scopes, too. */
  makeAdmin(): Promise<{ tenant: TestTenant; admin: TestKey; token: string }>
}

/** An organization with users. */
export interface TestTenant {
  readonly id: string
  /** Creates a user with the roles and a key with the scopes. Returns the key's token. */
  makeKey(options?: KeyOptions): Promise<TestKey>
  /** Creates an account. */
  makeAccount(): Promise<string>
}

export interface KeyOptions {
  readonly roles?: readonly Role[]
  readonly scopes?: readonly Scope[]
  readonly accounts?: readonly string[]
  readonly expiresAt?: Date
}

export interface TestKey {
  readonly id: string
  readonly token: string
  readonly userId: string
}

/** A {@link TestApi} over a running API. */
export function connect(
  database: Database,
  { port, internalPort }: { port: number; internalPort: number },
): TestApi {
  const url = `http://127.0.0.1:${port}`
  const internalUrl = `http://127.0.0.1:${internalPort}`
  const callInternal: TestApi['callInternal'] = async (verb, path, body, headers = {}) => {
    const response = await callOf(internalUrl, verb, `/internal/v1${path}`)
      .set('Authorization', `Bearer ${serviceToken}`)
      .set(headers)
      .send(body as object)
    requireValidResponse(internalRoutes, { verb, path }, response)
    return response
  }
  return {
    url,
    internalUrl,
    database,
    callInternal,
    async call(verb, path, { token, body, headers = {} } = {}) {
      const call = callOf(url, verb, `/api/v1${path}`).set(headers)
      if (token !== undefined) void call.set('Authorization', `Bearer ${token}`)
      const response = await call.send(body as object)
      requireValidResponse(publicRoutes, { verb, path }, response)
      return response
    },
    makeTenant: () => makeTenant(database, callInternal),
    async makeAdmin() {
      const tenant = await makeTenant(database, callInternal)
      const admin = await tenant.makeKey()
      return { tenant, admin, token: admin.token }
    },
  }
}

const callOf = (base: string, verb: Verb, path: string): request.Test => {
  const agent = request(base)
  return agent[verb](path)
}

async function makeTenant(
  database: Database,
  callInternal: TestApi['callInternal'],
): Promise<TestTenant> {
  const id = randomUUID()
  await callInternal('put', `/tenants/${id}`, { slug: `t-${id}`, name: 'Acme' }).then(expectMade)
  return {
    id,
    async makeAccount() {
      const accountId = randomUUID()
      const body = { tenant_id: id, name: 'Account' }
      await callInternal('put', `/accounts/${accountId}`, body).then(expectMade)
      return accountId
    },
    async makeKey({ roles = ['admin'], scopes = ['*' as const], accounts = [], expiresAt } = {}) {
      const userId = randomUUID()
      await callInternal('put', `/users/${userId}`, {
        tenant_id: id,
        email: `${userId}@example.test`,
        name: 'Ana',
        status: 'active',
        roles,
        accounts,
      }).then(expectMade)
      const parts = createKeyToken()
      const key: Parameters<typeof createApiKey>[1] = {
        id: parts.id,
        secretHash: hashKeySecret(serverSecret, parts),
        tenantId: id,
        userId,
        createdById: userId,
        kind: 'personal',
        source: 'api',
        name: `key ${createUuidv7()}`,
        scopes,
        expiresAt: expiresAt ?? null,
        rateLimitPerMinute: rateLimitMax,
      }
      await database.prisma.$transaction(async (tx) => {
        await createApiKey(tx, key)
        await forgetEvents(tx, parts.id)
      })
      return { id: parts.id, token: formatKeyToken(parts), userId }
    },
  }
}

/** Removes the events of the fixture with their deliveries, so that tests count and list their own. */
async function forgetEvents(tx: Transaction, keyId: string): Promise<void> {
  await tx.$executeRaw`
    WITH gone AS (DELETE FROM events WHERE type = 'api_key.created' AND object_id = ${keyId} RETURNING id),
      pending AS (DELETE FROM pending_deliveries USING gone WHERE event_ref = gone.id)
    DELETE FROM deliveries USING gone WHERE event_ref = gone.id`
}

function expectMade({ status, text }: request.Response): void {
  if (status !== 201) throw new Error(`A fixture was not made: ${status} ${text}`)
}
