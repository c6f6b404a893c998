import { openDatabase, type Database } from '@hosting/postgres/database'
import { afterAll, beforeAll, expect } from '@jest/globals'
import { createHash, randomUUID } from 'node:crypto'
import { callerOf, type CallerOptions, type CallerResponse } from './caller.ts'
import { testEnvironment } from './environment.ts'
import { siteData } from './events.ts'
import { KnownSecrets } from './known-secrets.ts'
import { makeOwnRedis, type OwnRedis } from './own-redis.ts'
import { makeOwnStack, type OwnStack } from './own-stack.ts'
import { startService, type ServiceProcess } from './processes.ts'
import { startReceiver, type Receiver, type Reply } from './receiver.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

// Processes at the most verbose log level. A secret is recorded where it is created first, so that what the
// processes log can be searched for it.
// Processes at the most verbose log level handle every kind of secret, and failures. Then every line that they
// wrote is searched. A secret is recorded where it is created first.

export const secrets = new KnownSecrets()
export const serviceToken = secrets.note('the service token', 'service-token-of-the-platform')
export const opsToken = secrets.note('OPS_TOKEN', 'ops-token-of-the-operators')

export let databasePassword: string
let stack: OwnStack
export let redis: OwnRedis
export let postgres: TcpProxy
export let receiver: Receiver
export let database: Database
export let api: ServiceProcess
export let worker: ServiceProcess
/** How the receiver responds from now on. */
export const receiving: { reply: Reply } = { reply: { status: 204 } }

/** Every API request, by its request id. */
export const requestIds: string[] = []

beforeAll(async () => {
  redis = await makeOwnRedis()
  receiver = await startReceiver({ respond: () => receiving.reply })
  secrets.noteBytes('the key of the keyring', Buffer.alloc(32, 7).toString('base64'))
  secrets.noteBytes('the server secret', Buffer.alloc(32, 9).toString('base64'))
  secrets.note('the password of Redis', new URL(redis.url).password)
  stack = await makeOwnStack()
  const own = new URL(stack.environment['DATABASE_URL']!)
  // A server that requires no password accepts any.
  own.password ||= 'pg-password-cafe'
  databasePassword = secrets.note('the password of PostgreSQL', own.password)
  postgres = await startTcpProxy(() => own.href)
  database = openDatabase(own.href, { onError: () => undefined })
  const environment = testEnvironment({
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    INTERNAL_TOKENS: createHash('sha256').update(serviceToken).digest('hex'),
    OPS_TOKEN: opsToken,
    LOG_LEVEL: 'trace',
    WEBHOOK_RETRY_DELAYS_SECONDS: '0.2,60',
    WEBHOOK_JOB_HOLD_SECONDS: '1',
  })
  ;[api, worker] = await Promise.all([
    startService('api', environment),
    startService('worker', environment),
  ])
})

afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()])
  await database.close()
  await postgres.close()
  await receiver.close()
  await redis.remove()
  await stack.remove()
})

type Options = CallerOptions & { readonly form?: string }

/** Calls the public API with a request id, which every line about the request must contain. */
export function call(verb: string, path: string, options: Options = {}): Promise<CallerResponse> {
  const requestId = `journey-${requestIds.length}`
  requestIds.push(requestId)
  const headers = { 'x-request-id': requestId, ...options.headers }
  return callerOf(api).call(verb, path, { ...options, headers })
}

/** Calls the internal API. */
export async function callInternal(verb: string, path: string, body: unknown) {
  const requestId = `journey-${requestIds.length}`
  requestIds.push(requestId)
  const response = await fetch(`http://127.0.0.1:${api.internalPort}/internal/v1${path}`, {
    method: verb,
    headers: {
      authorization: `Bearer ${serviceToken}`,
      'content-type': 'application/json',
      'x-request-id': requestId,
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as never }
}

export const cookieOf = ({ headers }: CallerResponse): string =>
  headers['set-cookie']![0]!.split(';')[0]!

export const tenantId = randomUUID()
export const userId = randomUUID()
export const email = 'ana@example.test'

/** Records the secrets of a sign-in, the cookie's secret and the CSRF token; returns them as headers. */
export function takeSession(response: CallerResponse, when: string): Record<string, string> {
  expect([200, 201]).toContain(response.status)
  const cookie = cookieOf(response)
  secrets.note(`the secret of the session ${when}`, cookie.split('.')[1]!)
  const csrf = secrets.note(`the CSRF token ${when}`, response.body.csrf_token)
  return { cookie, 'x-csrf-token': csrf }
}

export async function publish(data: Record<string, unknown> = {}): Promise<void> {
  const event = {
    tenant_id: tenantId,
    type: 'site.created',
    data: { ...siteData, primary_domain: payloadSecret, ...data },
  }
  expect((await callInternal('POST', '/events', event)).status).toBe(202)
}

const payloadSecret = secrets.note('a secret in an event', 'payload-secret.example.com')

/** Sends a body that is not JSON. */
export async function postText(
  path: string,
  token: string,
  body: string,
): Promise<{ status: number }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const url = `http://127.0.0.1:${api.port}/api/v1${path}`
  return fetch(url, { method: 'POST', headers, body })
}
