import { openDatabase, type Database } from '@hosting/postgres/database'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import {
  cpuSecondsOf,
  cpuSecondsOfEnded,
  parentOf,
  startNode,
  type BenchProcess,
} from './processes.ts'
import { publishTo, type Publish } from './publisher.ts'
import type { BenchSystem, BenchServers } from './servers.ts'
import { makeOwner } from './owner.ts'

/** A system that accepts and delivers events. */
export interface Pipeline {
  readonly tenantIds: readonly string[]
  readonly publish: Publish
  /** Whether all published events have been delivered and recorded. */
  drained(): Promise<boolean>
  /** CPU seconds used so far, by process. */
  cpu(): Promise<Readonly<Record<string, number>>>
  stop(): Promise<void>
}

/** The whole service: one API process and one worker. */
export interface FullPipeline extends Pipeline {
  readonly api: BenchProcess
  readonly worker: BenchProcess
  readonly database: Database
  /** Adds an organization with an endpoint at each URL; returns its id. */
  subscribe(...urls: string[]): Promise<string>
}

const concurrency = '100'

/**
 * Starts the service with organizations that have one endpoint each at the URL.
 *
 * @param options - `workerFlags`: Node's flags for the worker.
 */
export async function startFullPipeline(
  system: BenchSystem,
  url: string,
  { tenants = 10, workerFlags = [] as readonly string[], root = '' } = {},
): Promise<FullPipeline> {
  const database = openDatabase(system.databaseUrl, { onError: () => undefined })
  const redis = new Redis(system.redisUrl)
  const environment = { ...system.environment, WORKER_CONCURRENCY: concurrency }
  const api = await startNode(`${root}apps/api/dist/bundle/main.js`, environment)
  const worker = await startNode(`${root}apps/worker/dist/bundle/main.js`, environment, workerFlags)
  const make = (...urls: string[]): Promise<string> => subscribe({ ...system, database }, api, urls)
  return {
    api,
    worker,
    database,
    subscribe: make,
    tenantIds: await Promise.all(Array.from({ length: tenants }, () => make(url))),
    publish: publishTo(api),
    drained: () => nothingDue(database),
    async cpu() {
      return {
        api: cpuSecondsOf(api.pid),
        worker: cpuSecondsOf(worker.pid),
        postgres: await postgresCpu(database),
        redis: await redisCpu(redis),
      }
    },
    async stop() {
      await Promise.all([api.stop(), worker.stop()])
      redis.disconnect()
      await database.close()
    },
  }
}

/** Plain BullMQ and got: this process adds the jobs, another sends them. */
export async function startBarePipeline(system: BenchSystem, url: string): Promise<Pipeline> {
  const worker = await startNode('bench/bare-pipeline.ts', {
    REDIS_URL: system.redisUrl,
    WORKER_CONCURRENCY: concurrency,
  })
  const redis = new Redis(system.redisUrl, { maxRetriesPerRequest: null })
  const queue = new Queue('bare', { connection: redis })
  const opts = { removeOnComplete: true, removeOnFail: true }
  return {
    tenantIds: ['0198c5a0-0000-7000-8000-000000000000'],
    async publish(events) {
      await queue.addBulk(
        events.map((event) => ({ name: 'send', data: { url, body: JSON.stringify(event) }, opts })),
      )
    },
    drained: async () => Object.values(await queue.getJobCounts()).every((jobs) => jobs === 0),
    cpu: async () => ({ worker: cpuSecondsOf(worker.pid), redis: await redisCpu(redis) }),
    async stop() {
      await worker.stop()
      await queue.close()
      redis.disconnect()
    },
  }
}

/** Plain Express, BullMQ and got: one process adds a job per request, another sends them. */
export async function startBareService(system: BenchSystem, url: string): Promise<Pipeline> {
  const bare = await startBarePipeline(system, url)
  const api = await startNode('bench/bare-publisher.ts', {
    REDIS_URL: system.redisUrl,
    BARE_URL: url,
  })
  return {
    ...bare,
    publish: publishTo(api),
    cpu: async () => ({ api: cpuSecondsOf(api.pid), ...(await bare.cpu()) }),
    async stop() {
      await api.stop()
      await bare.stop()
    },
  }
}

async function nothingDue({ pool }: Database): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT 1 FROM webhook_endpoints e WHERE EXISTS (
       SELECT 1 FROM pending_deliveries p WHERE p.endpoint_id = e.id AND p.due_at <= now()
     ) LIMIT 1`,
  )
  return rowCount === 0
}

/** Of all its processes, including ended ones: a pool closes unused connections. */
async function postgresCpu({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pid FROM pg_stat_activity')
  const ended = cpuSecondsOfEnded(parentOf(rows[0]!.pid))
  return rows.reduce((sum, { pid }) => sum + cpuSecondsOf(pid), ended)
}

async function redisCpu(redis: Redis): Promise<number> {
  return cpuSecondsOf(Number(/process_id:(\d+)/.exec(await redis.info('server'))![1]))
}

/** Creates an organization with an endpoint at each URL for all events; returns the organization's id. */
async function subscribe(
  { database, serverSecret }: { database: Database } & Pick<BenchServers, 'serverSecret'>,
  api: BenchProcess,
  urls: readonly string[],
): Promise<string> {
  const { tenantId, tokens } = await makeOwner(database, serverSecret, {
    keys: 1,
    scopes: ['*'],
  })
  for (const url of urls) {
    const response = await fetch(`${api.url}/api/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[0]!}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url, events: ['*'] }),
    })
    if (response.status !== 201) throw new Error(`No endpoint was made: ${await response.text()}`)
  }
  return tenantId
}
