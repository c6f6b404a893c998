import { openDatabase, type Database } from '@hosting/postgres/database'
import { checkHistory, type RuleName } from '../../faults/checker/check.ts'
import { toCalls } from '../../faults/history/calls.ts'
import { startHistory, type Recorder } from '../../faults/history/recorder.ts'
import { createTally, type Tally } from '../../faults/history/tally.ts'
import { createRandom } from '../../faults/schedule/random.ts'
import { endpointCount } from '../../faults/schedule/schedule.ts'
import { readDeliveries } from '../../faults/system/read-deliveries.ts'
import { startReceivers } from '../../faults/system/receivers.ts'
import { createSigners } from '../../faults/system/signers.ts'
import { makeWorld, type World } from '../../faults/system/world.ts'
import { connect, type TestApi } from '../../support/api.ts'
import { callerOf } from '../../support/caller.ts'
import { environmentOn } from '../../support/environment.ts'
import { readiness } from '../../support/observe.ts'
import { startService, type ServiceProcess } from '../../support/processes.ts'
import { until } from '../../support/until.ts'

const endpointConcurrency = 4

/**
 * The maximum of attempts that one worker has in progress, which a kill interrupts. It exceeds the worker's
 * concurrency, because attempts that take longer than a second are detached, as all do on a busy machine.
 */
export const inProgressMax = endpointCount * endpointConcurrency

/** Short times, so that recovery takes less than a minute. No receiver takes as long as an attempt may. */
const settings = {
  LOG_LEVEL: 'info',
  WORKER_CONCURRENCY: '25',
  WEBHOOK_ENDPOINT_CONCURRENCY: String(endpointConcurrency),
  WEBHOOK_JOB_HOLD_SECONDS: '2',
  WEBHOOK_TIMEOUT_SECONDS: '8',
  WEBHOOK_RETRY_DELAYS_SECONDS: '0.5,1,1,2,4,16',
}

/** Generous for a busy machine; no test passes because of a longer wait. */
const patienceMs = 180_000

/** The rules that hold whatever fails. The others ask for the times of every fault, or for what nobody does here. */
const rules: ReadonlySet<RuleName> = new Set([
  'every accepted event has its deliveries',
  'every delivery ends',
  'the records agree with the receivers',
  'receivers get only what is recorded',
])

/** The whole service: two API processes, two workers, and the receivers of several organizations. */
export interface System {
  readonly apis: readonly ServiceProcess[]
  readonly workers: readonly ServiceProcess[]
  readonly world: World
  readonly recorder: Recorder
  /** What was published and delivered so far. */
  tally(): Tally
  /** For what the tests themselves read. */
  readonly database: Database
  /** Calls the first API. */
  readonly api: TestApi
  /** Waits until all deliveries have completed; returns the number of others after {@link patienceMs}. */
  drain(): Promise<number>
  /**
   * Reads the records of all deliveries into the history, and checks it.
   *
   * @param options - `onlyRecorded`: requests of deliveries without a record do not count, because PostgreSQL lost them.
   */
  check(options: { onlyRecorded: boolean }): Promise<{
    readonly objections: readonly string[]
    /** The requests that a receiver got once more, without those after a 500. */
    readonly duplicated: number
  }>
  /** Waits until every process is ready; returns the reports of those that are not after {@link patienceMs}. */
  findUnready(): Promise<string>
  /** Stops every process as an operator does, and returns their exit codes; a second call waits for the first. */
  stop(): Promise<(number | null)[]>
}

/**
 * Starts a system with new organizations.
 *
 * @param servers - the settings that lead its processes to PostgreSQL and Redis, by name.
 * @param options - `fails`: whether receivers respond 500 now and then.
 */
export async function startSystem(
  servers: { DATABASE_URL: string; REDIS_URL: string; [further: string]: string },
  { fails = false } = {},
): Promise<System> {
  const environment = environmentOn({ ...settings, ...servers })
  const database = openDatabase(servers.DATABASE_URL, { onError: () => undefined })
  const startTwo = (kind: 'api' | 'worker') =>
    Promise.all([startService(kind, environment), startService(kind, environment)])
  const [apis, workers] = await Promise.all([startTwo('api'), startTwo('worker')])
  const recorder = startHistory()
  const signers = createSigners()
  const behavior = fails ? 'faltering' : 'steady'
  const receivers = await startReceivers(recorder, createRandom(Date.now()), signers, [behavior])
  const world = await makeWorld({ apis: [{ process: apis[0] }], database }, receivers)
  const delays = settings.WEBHOOK_RETRY_DELAYS_SECONDS.split(',')
  const facts = {
    retryDelaysMs: delays.map((text) => Number(text) * 1_000),
    timeoutMs: Number(settings.WEBHOOK_TIMEOUT_SECONDS) * 1_000,
    leaseMs: Infinity,
    endpoints: world.endpoints,
    keys: [],
  }
  recorder.invoke('run', 'run', facts).ok({})
  let stopped: Promise<(number | null)[]> | undefined
  const stop = async () => {
    await database.close()
    const codes = await Promise.all([...apis, ...workers].map((service) => service.stop()))
    await receivers.close()
    return codes
  }
  return {
    api: connect(database, apis[0]),
    apis,
    workers,
    world,
    recorder,
    tally: createTally(recorder),
    database,
    drain: () => pollUntil(() => countUnfinished(database, world), 0),
    async check(options) {
      const tokens = world.tenants.map(({ token }) => token)
      await readDeliveries({ database, caller: callerOf(apis[0]), tokens }, recorder)
      const found = checkHistory(recorder.entries)
        .filter(({ rule }) => rules.has(rule))
        .filter(
          ({ rule }) => !options.onlyRecorded || rule !== 'receivers get only what is recorded',
        )
      return {
        objections: found.map(({ rule, message }) => `${rule}: ${message}`),
        duplicated: countDuplicates(recorder, options),
      }
    },
    findUnready: () => pollUntil(() => findUnready([...apis, ...workers]), ''),
    stop: () => (stopped ??= stop()),
  }
}

function countDuplicates(
  { entries }: Recorder,
  { onlyRecorded }: { onlyRecorded: boolean },
): number {
  const calls = toCalls(entries)
  const recorded = new Set(calls.of('read delivery').map(({ result }) => result?.delivery))
  const counted = calls
    .of('deliver')
    .filter(({ result }) => result?.status !== 500)
    .filter(({ value }) => !onlyRecorded || recorded.has(value.delivery))
  const pairs = new Set(counted.map(({ value }) => `${value.event} to ${value.endpoint}`))
  return counted.length - pairs.size
}

async function countUnfinished({ pool }: Database, { tenants }: World): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM pending_deliveries WHERE tenant_id = ANY ($1::uuid[])',
    [tenants.map(({ id }) => id)],
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

/** Polls until the result is the expected one, or the time is over; returns the last result. */
async function pollUntil<T>(ask: () => Promise<T>, expected: T): Promise<T> {
  let last: T | undefined
  await until(
    async () => (last = await ask()),
    (result) => result === expected,
    patienceMs,
  ).catch(() => undefined)
  return last!
}
