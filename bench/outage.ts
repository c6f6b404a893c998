import {
  createSecretsStore,
  createUuidv7,
  freezeEnvelope,
  patternsMatching,
  signingSecretContext,
} from '@hosting/core'
import { publishEvents, type Database, type NewEvent } from '@hosting/postgres'
import { randomBytes, randomUUID } from 'node:crypto'
import { ofRounds, single } from './figures.ts'
import { startFullPipeline, startPipelineWorker, type FullPipeline } from './pipelines.ts'
import { startNode, type BenchProcess } from './processes.ts'
import { makeEvent } from './publisher.ts'
import type { BenchmarkResult, FigureOfRounds, SingleFigure } from './results.ts'
import { speedsOf, sustain } from './rounds.ts'
import { useBenchServers, type BenchServers } from './servers.ts'

const rounds = 3
const eventsPerRound = 10_000
const aheadMax = 500
/** A tenth of the load, for development: its figures are not stored. */
const scale = process.env['BENCH_OUTAGE_SHORT'] === undefined ? 1 : 0.1
const shapes = {
  wide: { tenants: 10_000 * scale, deliveries: 10 },
  deep: { tenants: 1_000 * scale, deliveries: 100 },
}
const batch = 1_000

/**
 * The rate at which one worker drains the backlog of an outage: many tenants with one endpoint each and a few due
 * deliveries, and fewer tenants with more; compared with the sustained rate of the same machine in the same run.
 */
export async function outage(): Promise<BenchmarkResult> {
  const servers = await useBenchServers({ durable: true })
  const receiver = await startNode('bench/receiver.ts', {})
  const full = await startFullPipeline(servers, `${receiver.url}/hook`, { tenants: 50 })
  await sustain(full, receiver, { amount: eventsPerRound * scale })
  const taken = []
  for (let round = 0; round < rounds; round++) {
    taken.push(await sustain(full, receiver, { amount: eventsPerRound * scale, aheadMax }))
  }
  const sustained = ofRounds('/s', speedsOf(taken, 'deliveredPerSecond'))
  await full.worker.stop()
  const drained: Record<string, Readonly<Record<string, FigureOfRounds | SingleFigure>>> = {}
  for (const [name, shape] of Object.entries(shapes)) {
    await fill(servers, full.database, { ...shape, url: `${receiver.url}/hook` })
    const perSecond = await drain(servers, full, receiver, shape.tenants * shape.deliveries)
    drained[name] = {
      delivered: single('/s', perSecond),
      ratio: single('ratio', perSecond / sustained.median),
    }
  }
  await full.stop()
  await receiver.stop()
  await servers.stop()
  return {
    servers: servers.facts,
    settings: {
      rounds,
      events_per_round: eventsPerRound * scale,
      sustained_ahead_max: aheadMax,
      wide_tenants: shapes.wide.tenants,
      wide_deliveries_each: shapes.wide.deliveries,
      deep_tenants: shapes.deep.tenants,
      deep_deliveries_each: shapes.deep.deliveries,
    },
    figures: { speed: { sustained: { delivered: sustained }, ...drained } },
  }
}

/** Creates tenants with one endpoint each, and due deliveries to them, as publishes do while Redis is unavailable. */
async function fill(
  { environment }: BenchServers,
  database: Database,
  { tenants, deliveries, url }: { tenants: number; deliveries: number; url: string },
): Promise<void> {
  const [id, key] = environment['SECRETS_KEYRING']!.split(':') as [string, string]
  const store = createSecretsStore([{ id, key: Buffer.from(key, 'base64') }])
  const made = Array.from({ length: tenants }, () => {
    const secretId = randomUUID()
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    const sealed = store.seal(secret, signingSecretContext(secretId))
    return { tenantId: randomUUID(), endpointId: createUuidv7(), secretId, sealed }
  })
  await database.pool.query(
    `WITH made AS (
       SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[])
         AS m (tenant_id, endpoint_id, secret_id, sealed)
     ), tenant AS (
       INSERT INTO tenants (id, slug, name) SELECT tenant_id, tenant_id::text, 'Outage' FROM made
     ), endpoint AS (
       INSERT INTO webhook_endpoints (id, tenant_id, url, events)
       SELECT endpoint_id, tenant_id, $5, '{*}' FROM made
     ), secret AS (
       INSERT INTO webhook_secrets (id, endpoint_id, sealed, created_at)
       SELECT secret_id, endpoint_id, sealed, now() FROM made
     )
     INSERT INTO webhook_endpoint_health (endpoint_id) SELECT endpoint_id FROM made`,
    [
      made.map(({ tenantId }) => tenantId),
      made.map(({ endpointId }) => endpointId),
      made.map(({ secretId }) => secretId),
      made.map(({ sealed }) => sealed),
      url,
    ],
  )
  for (let round = 0; round < deliveries; round++) {
    for (let from = 0; from < made.length; from += batch) {
      const events = made.slice(from, from + batch).map(({ tenantId }) => toNewEvent(tenantId))
      await publishEvents(database, events, undefined)
    }
  }
}

function toNewEvent(tenantId: string): NewEvent {
  const { type, data } = makeEvent(tenantId)
  const id = createUuidv7()
  const createdAt = new Date()
  return {
    id,
    eventId: id,
    idGiven: false,
    tenantId,
    type,
    patterns: patternsMatching(type),
    createdAt,
    payload: freezeEnvelope({
      id,
      type,
      created_at: createdAt.toISOString(),
      tenant_id: tenantId,
      data,
    }),
  }
}

/** Starts a worker that delivers everything; returns the rate per second, from the first arrival to the last. */
async function drain(
  servers: BenchServers,
  full: FullPipeline,
  receiver: BenchProcess,
  amount: number,
): Promise<number> {
  await fetch(`${receiver.url}/reset`, { method: 'POST' })
  const worker = await startPipelineWorker(servers)
  while (!(await full.drained())) await new Promise((resolve) => setTimeout(resolve, 100))
  const response = await fetch(`${receiver.url}/figures`)
  const { received, seconds } = (await response.json()) as { received: number; seconds: number }
  await worker.stop()
  if (received < amount) throw new Error(`Only ${received} of ${amount} arrived.`)
  return received / seconds
}
