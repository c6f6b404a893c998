import { beforeAll, expect, test } from '@jest/globals'
import { readMetrics } from '../../tools/generate/metrics.ts'
import { callerOf } from '../support/caller.ts'
import { listenWith } from '../support/listener.ts'
import type { ServiceProcess } from '../support/processes.ts'
import { until, useStack } from '../support/stack.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

const stack = useStack()
let api: ServiceProcess
let worker: ServiceProcess
let token: string
beforeAll(async () => {
  ;[api, worker] = await Promise.all([stack.startApi(), stack.startWorker()])
  token = (await (await stack.api.makeTenant()).makeKey()).token
  // A process listens before it is connected to Redis and subscribed to changes.
  for (const service of [api, worker]) {
    await until(
      () => scrape(service),
      (all) => ['jobs', 'gate'].every((name) => all.get(`hosting_redis_up{connection="${name}"}`)),
    )
  }
  await until(
    () => scrape(api),
    (all) => all.get('hosting_gate_informed') === 1,
  )
})

/** The metrics of a process: values by name and labels, as they are written. */
async function scrape({ internalPort }: ServiceProcess): Promise<Map<string, number>> {
  const response = await fetch(`http://127.0.0.1:${internalPort}/metrics`)
  const lines = (await response.text()).split('\n').filter((line) => /^\w/.test(line))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

test('each process exposes every metric that docs/generated/metrics.md lists for it', async () => {
  for (const [name, service] of Object.entries({ api, worker })) {
    const { internalPort } = service
    const text = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text()
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, metric, type]) => [
      metric,
      type,
    ])
    const documented = (await readMetrics()).filter(({ process }) => process === name)
    expect(new Map(types as [string, string][])).toEqual(
      new Map(documented.map((metric) => [metric.name, metric.type])),
    )
  }
})

test('connections: pools, PostgreSQL and Redis', async () => {
  for (const service of [api, worker]) {
    const values = await scrape(service)
    expect(values.get('hosting_database_up')).toBe(1)
    expect(values.get('hosting_redis_up{connection="jobs"}')).toBe(1)
    expect(values.get('hosting_redis_up{connection="gate"}')).toBe(1)
    for (const pool of ['general', 'hot']) {
      expect(values.get(`hosting_database_waiting{pool="${pool}"}`)).toBe(0)
      for (const state of ['in_use', 'idle', 'closing']) {
        expect(values.has(`hosting_database_connections{pool="${pool}",state="${state}"}`)).toBe(
          true,
        )
      }
    }
    expect([...values.keys()].join('\n')).toMatch(
      /^hosting_build_info\{version="\d+\.\d+\.\d+",node="v\d+\.\d+\.\d+"\}$/m,
    )
  }
})

test('the gate: the source of each key check, and its calls', async () => {
  const before = await scrape(api)
  const { call } = callerOf(api)
  for (let time = 0; time < 3; time++) await call('get', '/auth/me', { token })
  const after = await scrape(api)
  const risen = (name: string) => after.get(name)! - before.get(name)!
  expect(risen('hosting_gate_passages_total{record="read"}')).toBe(1)
  expect(risen('hosting_gate_passages_total{record="cached"}')).toBe(2)
  expect(risen('hosting_gate_round_trips_total')).toBe(3)
  expect(after.get('hosting_gate_informed')).toBe(1)
})

test('the number of open streams', async () => {
  const stream = await listenWith(`http://127.0.0.1:${api.port}`, token)
  expect((await scrape(api)).get('hosting_listeners')).toBe(1)
  await stream.leave()
  const count = async () => (await scrape(api)).get('hosting_listeners')
  await until(count, (listeners) => listeners === 0)
})

test('the installation: partitions, the backlog and the retention lag', async () => {
  const values = await until(
    () => scrape(worker),
    (all) => all.get('hosting_partition_days_ahead') === 7,
  )
  expect(values.get('hosting_retention_lag_seconds')).toBe(0)
  expect(values.get('hosting_gate_invalidations')).toBe(0)
  expect(values.get('hosting_consumer_stuck{lane="normal"}')).toBe(0)
})

test('alert counters exist before their first increment', async () => {
  const values = await scrape(worker)
  for (const counter of [
    'hosting_attempts_total{outcome="internal_error"}',
    'hosting_deliveries_ended_total{outcome="dead"}',
    'hosting_duty_failures_total{duty="relay"}',
  ]) {
    expect(values.get(counter)).toBe(0)
  }
})

test('while PostgreSQL and Redis are unavailable, the metrics report it', async () => {
  const [postgres, redis] = await Promise.all([
    startTcpProxy(() => stack.database.pool.options.connectionString!),
    startTcpProxy(() => stack.redisUrl),
  ])
  const cut = await stack.startApi({ DATABASE_URL: postgres.url, REDIS_URL: redis.url })
  const key = await (await stack.api.makeTenant()).makeKey()
  await redis.close()
  await until(
    () => scrape(cut),
    (all) => all.get('hosting_redis_up{connection="gate"}') === 0,
  )
  expect((await callerOf(cut).call('get', '/auth/me', { token: key.token })).status).toBe(200)
  await postgres.close()
  const values = await until(
    () => scrape(cut),
    (all) => all.get('hosting_database_up') === 0,
  )
  expect(values.get('hosting_gate_passages_total{record="uncached"}')).toBe(1)
  expect(values.get('hosting_gate_informed')).toBe(0)
  expect(values.get('hosting_redis_up{connection="jobs"}')).toBe(0)
})
