import { afterAll, beforeAll, expect } from '@jest/globals'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { listen, type TestListener } from '../support/listener.ts'
import { needing } from '../support/needing.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { until, useStack } from '../support/stack.ts'

// docs/operations.md#many-machines, "HTTP proxies"
const { test } = needing('nginx', hasNginx)
const heartbeatMs = 300
const patienceMs = 2_000
const client = '203.0.113.7'

const stack = useStack({
  LISTEN_HEARTBEAT_SECONDS: String(heartbeatMs / 1_000),
  TRUSTED_PROXIES: '127.0.0.0/8',
})
const ports = { patient: 0, hasty: 0, appends: 0, keeps: 0 }
let stop: () => Promise<void>

beforeAll(async () => {
  for (const name of ['patient', 'hasty', 'appends', 'keeps'] as const)
    ports[name] = await freePort()
  const api = stack.api.url
  const append = 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;'
  const keep = 'proxy_set_header X-Forwarded-For $http_x_forwarded_for;'
  const serve = (at: number | string, to: string, further = append): string =>
    `server {
      listen ${typeof at === 'number' ? `127.0.0.1:${at}` : at};
      location / { proxy_pass ${to}; proxy_http_version 1.1; ${further} }
    }`
  if (!hasNginx) return
  stop = await startNginx(ports.keeps, (folder) =>
    [
      // Longer and shorter than the time between two heartbeats.
      serve(ports.patient, api, `${append} proxy_read_timeout ${patienceMs}ms;`),
      serve(ports.hasty, api, `${append} proxy_read_timeout ${heartbeatMs / 4}ms;`),
      serve(`unix:${folder}/appends`, api),
      serve(`unix:${folder}/keeps`, api, keep),
      serve(ports.appends, `http://unix:${folder}/appends:`),
      serve(ports.keeps, `http://unix:${folder}/keeps:`),
    ].join('\n'),
  )
})
afterAll(() => stop?.())

async function listenThrough(port: number): Promise<TestListener> {
  const { token } = await (await stack.api.makeTenant()).makeKey()
  const listener = await until(
    () => listen(`http://127.0.0.1:${port}`, { authorization: `Bearer ${token}` }),
    (given) => 'secret' in given,
  )
  return listener as TestListener
}

test('a stream lives as long as a proxy waits longer than the time between two heartbeats', async () => {
  // A machine under load can delay a heartbeat for longer than that.
  await until(
    () => livesFor(2 * patienceMs).catch((error: Error) => error.message),
    (outcome) => outcome === 'alive',
  )
})

/** @throws Error if the stream ends before. */
async function livesFor(ms: number): Promise<string> {
  const listener = await listenThrough(ports.patient)
  const end = performance.now() + ms
  while (performance.now() < end) await listener.heartbeat()
  await listener.leave()
  return 'alive'
}

test('a proxy that waits for less ends the stream', async () => {
  const listener = await listenThrough(ports.hasty)
  const beats = listener.heartbeat().then(() => listener.heartbeat())
  expect(await beats.catch(() => 'ended')).toBe('ended')
})

/** The address that a request through a port of nginx seems to come from: the audit log tells. */
async function addressThrough(port: number): Promise<string | null> {
  const tenant = await stack.api.makeTenant()
  const { token } = await tenant.makeKey()
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/webhooks`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-forwarded-for': client,
    },
    body: JSON.stringify({ url: 'https://hooks.example.com/', events: ['*'] }),
  })
  expect(response.status).toBe(201)
  const { prisma } = stack.database
  const where = { tenantId: tenant.id, action: 'webhook.create' }
  return (await prisma.auditEvent.findFirstOrThrow({ where })).ip
}

test('nginx behind a Unix socket hides the client if it appends to X-Forwarded-For, and not if it passes it on', async () => {
  expect(await addressThrough(ports.appends)).toBe('127.0.0.1')
  expect(await addressThrough(ports.keeps)).toBe(client)
})
