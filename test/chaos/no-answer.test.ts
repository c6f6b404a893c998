import { createUuidv7 } from '@hosting/core/ids'
import { createSessionSecret, formatSessionToken, sessionCookieName } from '@hosting/core/sessions'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import { callerOf } from '../support/caller.ts'
import { readiness } from '../support/observe.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'
import { startCountedSystem, type CountedSystem } from './support/counted-system.ts'
import { startServers, type FaultServers } from '../faults/system/servers.ts'

const silentMs = 25_000
/** As docs/specification/requests.md#response-time and docs/specification/operations.md#health-and-metrics promise. */
const answeredMsMax = 15_000
const resumedMsMax = 30_000
const readyMsMax = 45_000
const publishEveryMs = 20
const patienceMs = 90_000

let servers: FaultServers
let proxy: TcpProxy
let system: CountedSystem
beforeAll(async () => {
  servers = await startServers()
  await servers.repair()
  proxy = await startTcpProxy(() => servers.databaseUrl)
  system = await startCountedSystem({ ...servers, databaseUrl: proxy.url })
})
afterAll(async () => {
  await system?.stop()
  await proxy?.close()
  await servers?.stop()
})

/** Measures an answer; an answer without a status is one too. */
async function timeOf(answer: () => Promise<{ readonly status: number }>) {
  const startedMs = performance.now()
  const { status } = await answer()
  return { status, ms: performance.now() - startedMs }
}

/** Publishes at a fixed rate, whatever the answers. Returns a function that stops, and gives the statuses and the longest time. */
function startPublishing() {
  const answers: ReturnType<typeof timeOf>[] = []
  const timer = setInterval(() => answers.push(timeOf(() => system.publish())), publishEveryMs)
  return async () => {
    clearInterval(timer)
    const all = await Promise.all(answers)
    const counts = Object.entries(Object.groupBy(all, ({ status }) => status))
    const statuses = Object.fromEntries(counts.map(([name, group]) => [name, group!.length]))
    return { statuses, longestMs: Math.round(Math.max(...all.map(({ ms }) => ms))) }
  }
}

/** A session that does not exist; whether it does must be asked. */
const cookie = `${sessionCookieName(false)}=${formatSessionToken(createSessionSecret(createUuidv7()))}`

/** What needs PostgreSQL besides a publish. */
function othersOf({ api: { port, internalPort }, token }: CountedSystem) {
  const caller = callerOf({ port, internalPort })
  const authorization = `Bearer ${token}`
  const page = (path: string) => () =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html', cookie } })
  return [
    page('/webhooks'),
    page('/docs/api/webhooks'),
    () => caller.call('get', '/webhooks', { token }),
    () => caller.call('post', '/keys', { token, body: { name: 'ci', scopes: ['sites:read'] } }),
    () =>
      caller.callInternal('post', '/authorize', {
        authorization,
        ip: '203.0.113.7',
        method: 'GET',
        permission: 'sites.read',
      }),
    () => caller.callInternal('get', '/notices'),
    () => readiness({ internalPort }),
  ]
}

const areReady = async (): Promise<boolean> =>
  (await Promise.all([system.api, ...system.workers].map(readiness))).every(
    ({ status }) => status === 200,
  )

test('while PostgreSQL responds on no connection, old or new, every request is answered within 15 s, and deliveries go on within 30 s of its return', async () => {
  await system.publish()
  const arrived = () => until(async () => system.requests.size, isAll, patienceMs)
  const isAll = (size: number): boolean => size >= system.acceptedDeliveries
  await arrived()

  proxy.silence({ connections: 'all' })
  const stop = startPublishing()
  const otherAnswers = Promise.all(othersOf(system).map(timeOf))
  await setTimeout(silentMs)
  const before = system.requests.size
  proxy.admit()
  const returnedMs = performance.now()
  const sinceReturn = (): number => Math.round(performance.now() - returnedMs)
  await until(
    async () => system.requests.size,
    (size) => size > before,
    patienceMs,
  )
  const resumedMs = sinceReturn()
  await until(areReady, Boolean, patienceMs)
  const readyMs = sinceReturn()
  const { statuses, longestMs } = await stop()
  await arrived()
  process.stdout.write(
    `${JSON.stringify({ statuses, longestMs, others: await otherAnswers, resumedMs, readyMs })}\n`,
  )

  expect(Object.keys(statuses)).toEqual(['202', '503'])
  expect(longestMs).toBeLessThanOrEqual(answeredMsMax)
  for (const { ms } of await otherAnswers) expect(ms).toBeLessThanOrEqual(answeredMsMax)
  expect(resumedMs).toBeLessThanOrEqual(resumedMsMax)
  expect(readyMs).toBeLessThanOrEqual(readyMsMax)
})
