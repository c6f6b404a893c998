import { openDatabase, type Database } from '@hosting/postgres/database'
import { setTimeout } from 'node:timers/promises'
import { connect, type TestApi } from '../../support/api.ts'
import { environmentOn } from '../../support/environment.ts'
import { callerOf } from '../../support/caller.ts'
import { readDeliveries } from '../system/read-deliveries.ts'
import { readiness } from '../../support/observe.ts'
import { startService, type ServiceProcess } from '../../support/processes.ts'
import { webhookUser } from '../../support/webhook-user.ts'
import { subscriptions, type Endpoint } from './endpoint.ts'
import { openLedger, type Ledger } from './ledger.ts'
import { startReceiver, type Receiver } from './receiver.ts'

export const workerConcurrency = 25
const endpointConcurrency = 4
const tenantCount = 4

/**
 * The maximum of attempts that one worker has in progress, which a kill interrupts. It exceeds the worker's
 * concurrency, because attempts that take longer than a second are detached, as all do on a busy machine.
 */
export const inProgressMax = tenantCount * subscriptions.length * endpointConcurrency

/** Short times, so that recovery takes less than a minute. */
const settings = {
  LOG_LEVEL: 'info',
  WORKER_CONCURRENCY: String(workerConcurrency),
  WEBHOOK_ENDPOINT_CONCURRENCY: String(endpointConcurrency),
  WEBHOOK_JOB_HOLD_SECONDS: '2',
  WEBHOOK_TIMEOUT_SECONDS: '8',
  // In total longer than receivers are unavailable on a busy machine.
  WEBHOOK_RETRY_DELAYS_SECONDS: '0.5,1,1,2,4,16',
}

/** What the ledger needs to know about the settings. */
const facts = {
  retryDelaysMs: settings.WEBHOOK_RETRY_DELAYS_SECONDS.split(',').map(
    (text) => Number(text) * 1_000,
  ),
  timeoutMs: Number(settings.WEBHOOK_TIMEOUT_SECONDS) * 1_000,
}

/** Generous for a busy machine; no test passes because of a longer wait. */
const patienceMs = 180_000

/** The whole service: two API processes, two workers, and the receivers of several organizations. */
export interface System {
  readonly apis: readonly ServiceProcess[]
  readonly workers: readonly ServiceProcess[]
  readonly tenantIds: readonly string[]
  /** A key of each organization. */
  readonly tokens: readonly string[]
  readonly endpoints: readonly Endpoint[]
  readonly receivers: readonly Receiver[]
  readonly ledger: Ledger
  /** For what the tests themselves read. */
  readonly database: Database
  /** Calls the first API. */
  readonly api: TestApi
  /** Waits until all deliveries have completed; returns the number of others after {@link patienceMs}. */
  drain(): Promise<number>
  /** Reads the records of all deliveries, and returns what they say other than the receivers. */
  findContradictions(): Promise<string[]>
  /** Waits until every process is ready; returns the reports of those that are not after {@link patienceMs}. */
  findUnready(): Promise<string>
  /** Stops every process as an operator does, and returns their exit codes; a second call waits for the first. */
  stop(): Promise<(number | null)[]>
}

/**
 * Starts a system with new organizations.
 *
 * @param servers - the settings that lead its processes to PostgreSQL and Redis, by name.
 * @param options - `observeAt`: the PostgreSQL URL of the tests themselves; `failsEvery`: see {@link startReceiver}.
 */
export async function startSystem(
  servers: { DATABASE_URL: string; REDIS_URL: string; [further: string]: string },
  { observeAt, failsEvery }: { observeAt?: string; failsEvery?: number } = {},
): Promise<System> {
  const environment = environmentOn({ ...settings, ...servers })
  const databaseUrl = observeAt ?? servers['DATABASE_DIRECT_URL'] ?? servers.DATABASE_URL
  const database = openDatabase(databaseUrl, { onError: () => undefined })
  const ledger = openLedger(facts)
  const startTwo = (kind: 'api' | 'worker') =>
    Promise.all([startService(kind, environment), startService(kind, environment)])
  const [apis, workers] = await Promise.all([startTwo('api'), startTwo('worker')])
  const api = connect(database, apis[0])
  const subscribed = await subscribe(api, { ledger, failsEvery })
  let stopped: Promise<(number | null)[]> | undefined
  const stop = async () => {
    await database.close()
    const codes = await Promise.all([...apis, ...workers].map((service) => service.stop()))
    await Promise.all(subscribed.receivers.map((receiver) => receiver.stop()))
    return codes
  }
  return {
    api,
    apis,
    workers,
    ledger,
    database,
    ...subscribed,
    async findContradictions() {
      const { tokens } = subscribed
      await readDeliveries({ database, caller: callerOf(apis[0]), tokens }, ledger.history)
      return ledger.contradictions()
    },
    drain: () => pollUntilExpected(() => countUnfinished(database, subscribed.tenantIds), 0),
    findUnready: () => pollUntilExpected(() => findUnready([...apis, ...workers]), ''),
    stop: () => (stopped ??= stop()),
  }
}

async function subscribe(
  api: TestApi,
  { ledger, failsEvery }: { ledger: Ledger; failsEvery: number | undefined },
) {
  const user = webhookUser({ api })
  const tenantIds: string[] = []
  const tokens: string[] = []
  const endpoints: Endpoint[] = []
  const receivers: Receiver[] = []
  for (let number = 0; number < tenantCount; number++) {
    const tenant = await api.makeTenant()
    tenantIds.push(tenant.id)
    tokens.push((await tenant.makeKey()).token)
    for (const { patterns, types } of subscriptions) {
      const receiver = await startReceiver(ledger, failsEvery)
      receivers.push(receiver)
      await user.subscribe(tenant, receiver.url, patterns)
      endpoints.push({ tenantId: tenant.id, url: receiver.url, types })
    }
  }
  return { tenantIds, tokens, endpoints, receivers }
}

async function countUnfinished({ pool }: Database, tenantIds: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM pending_deliveries WHERE tenant_id = ANY ($1::uuid[])',
    [tenantIds],
  )
  return rows[0]!.count
}

async function findUnready(services: readonly ServiceProcess[]): Promise<string> {
  const results = await Promise.all(services.map(readiness))
  return results
    .filter(({ status }) => status !== 200)
    .map(({ checks }) => JSON.stringify(checks))
    .join(', ')
}

/** Polls until the result is the expected one, or the time is over. */
async function pollUntilExpected<T>(ask: () => Promise<T>, hopedFor: T): Promise<T> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const result = await ask()
    if (result === hopedFor || Date.now() > deadline) return result
    await setTimeout(25)
  }
}
