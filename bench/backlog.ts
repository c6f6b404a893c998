import { createUuidv7 } from '@hosting/core/ids'
import { takeAttempt, type ClaimedAttempt, type FinishedAttempt } from '@hosting/core/webhooks'
import { type Database } from '@hosting/postgres/database'
import { claimAttempts, finishAttempts, takeDueAttempts } from '@hosting/postgres/deliveries'
import { Redis } from 'ioredis'
import { percentile, ratioOfRounds, single } from './figures.ts'
import { startFullPipeline, type FullPipeline } from './pipelines.ts'
import { startNode } from './processes.ts'
import { publishAll } from './publisher.ts'
import type { BenchmarkResult, Table } from './results.ts'
import { speedsOf, summarize, sustain, type Sustained } from './rounds.ts'
import { useBenchServers } from './servers.ts'

const waiting = 1_000_000
const endpoints = 1_000
const rounds = 5
const eventsPerRound = 10_000
const batch = 100

/**
 * Two separate systems, one empty and one with a million deliveries that wait for their retries, in alternating
 * rounds: the rates of publishing and delivery. Also the memory that the backlog uses in Redis, and the time per
 * batch of claims.
 */
export async function backlog(): Promise<BenchmarkResult> {
  const servers = await useBenchServers({ durable: true, systems: 2 })
  const receiver = await startNode('bench/receiver.ts', {})
  const url = `${receiver.url}/hook`
  const empty = await startFullPipeline(servers.systems[0]!, url)
  const full = await startFullPipeline(servers.systems[1]!, url)
  await fillBacklog(full.database)

  const taken: { empty: Sustained[]; full: Sustained[] } = { empty: [], full: [] }
  await sustain(empty, receiver, { amount: eventsPerRound })
  await sustain(full, receiver, { amount: eventsPerRound })
  for (let round = 0; round < rounds; round++) {
    taken.empty.push(await sustain(empty, receiver, { amount: eventsPerRound }))
    taken.full.push(await sustain(full, receiver, { amount: eventsPerRound }))
  }
  const redisMebibytes = await usedMebibytes(servers.redisUrl)
  await empty.stop()
  await full.worker.stop()
  const batches = await timeBatches(full)
  await full.stop()
  await receiver.stop()
  await servers.stop()
  const ratio = (name: 'publishedPerSecond' | 'deliveredPerSecond') =>
    ratioOfRounds(speedsOf(taken.full, name), speedsOf(taken.empty, name))
  const ratios = {
    publish_ratio: ratio('publishedPerSecond'),
    delivery_ratio: ratio('deliveredPerSecond'),
  }
  return {
    servers: servers.facts,
    settings: { waiting, endpoints, rounds, events_per_round: eventsPerRound, batch },
    figures: {
      speed: { empty: summarize(taken.empty), full: { ...summarize(taken.full), ...ratios } },
      batches,
      memory: { redis: { used: single('MiB', redisMebibytes) } },
    },
  }
}

/** Deliveries of a hundred organizations whose first attempt failed; the retries are due within twelve hours. */
async function fillBacklog({ pool }: Database): Promise<void> {
  const client = await pool.connect()
  // Filling the tables exceeds the service's timeouts.
  await client.query('SET statement_timeout = 0')
  const run = (text: string, values: unknown[] = []): Promise<unknown> =>
    client.query(Object.assign({ text, values }, { query_timeout: 300_000 }))
  await run(
    `WITH owner AS (
       INSERT INTO tenants (id, slug, name) SELECT gen_random_uuid(), 'backlog-' || n, 'Backlog'
       FROM generate_series(1, 100) AS n RETURNING id
     ), endpoint AS (
       INSERT INTO webhook_endpoints (id, tenant_id, url, events)
       SELECT gen_random_uuid(), owner.id, 'https://hooks.example.com/', '{*}'
       FROM owner, generate_series(1, $1::int / 100) RETURNING id, tenant_id
     ), schedules AS (
       INSERT INTO webhook_endpoint_schedules (endpoint_id) SELECT id FROM endpoint
     )
     SELECT count(*) FROM endpoint`,
    [endpoints],
  )
  await run(
    `WITH made AS (
       SELECT uuid_v7() AS id, uuid_v7() AS event_ref, e.id AS endpoint_id, e.tenant_id,
         now() + interval '10 minutes' + random() * interval '12 hours' AS due_at
       FROM webhook_endpoints e, generate_series(1, $1::int / $2::int)
       WHERE e.url = 'https://hooks.example.com/'
     ), stored AS (
       INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, position)
       SELECT event_ref, event_ref, tenant_id, 'site.created', now(), '{}', 1, nextval('event_positions') FROM made
     )
     INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, attempts_made, due_at,
       held_until)
     SELECT id, tenant_id, endpoint_id, event_ref, 1, due_at, 'epoch' FROM made`,
    [waiting, endpoints],
  )
  await run('VACUUM ANALYZE pending_deliveries')
  await run('VACUUM ANALYZE events')
  client.release(true)
}

/** The PostgreSQL statements of the relay and a worker, one batch at a time, with the worker stopped. */
async function timeBatches({ database, publish, tenantIds }: FullPipeline): Promise<Table> {
  await publishAll(publish, tenantIds, { amount: 5_000 })
  // So that no batch is left to the jobs of publishes.
  await database.pool.query(
    "UPDATE pending_deliveries SET held_until = 'epoch' WHERE held_until > now()",
  )
  const limits = {
    horizonMs: 1_000,
    holdMs: 60_000,
    perEndpoint: { normal: 25, slow: 5 },
    max: { normal: batch, slow: 0 },
  }
  const times = { take: [] as number[], claim: [] as number[], record: [] as number[] }
  const timed = async <Result>(name: keyof typeof times, run: Promise<Result>): Promise<Result> => {
    const before = performance.now()
    const result = await run
    times[name].push(performance.now() - before)
    return result
  }
  for (;;) {
    const { attempts } = await timed('take', takeDueAttempts(database, limits))
    if (attempts.length < batch) break
    const taken = attempts.map(takeAttempt)
    const claimed = await timed('claim', claimAttempts(database, taken, 60_000))
    await timed('record', finishAttempts(database, claimed.map(toFinished)))
  }
  const summary = (values: readonly number[]) => {
    const sorted = values.toSorted((a, b) => a - b)
    return {
      p50: single('ms', percentile(sorted, 0.5)),
      p99: single('ms', percentile(sorted, 0.99)),
    }
  }
  return {
    take: summary(times.take),
    claim: summary(times.claim),
    record: summary(times.record),
  }
}

const toFinished = (claimed: ClaimedAttempt): FinishedAttempt => ({
  ...claimed,
  state: 'finished',
  attemptId: createUuidv7(),
  startedAt: new Date(),
  durationMs: 5,
  outcome: { statusCode: 204, errorClass: null },
  timedOut: false,
  nextStep: { status: 'succeeded' },
})

async function usedMebibytes(redisUrl: string): Promise<number> {
  const redis = new Redis(redisUrl)
  const bytes = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))![1])
  redis.disconnect()
  return bytes / 2 ** 20
}
