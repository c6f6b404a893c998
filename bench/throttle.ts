import type { Database } from '@hosting/postgres'
import { single } from './figures.ts'
import { startFullPipeline } from './pipelines.ts'
import { startNode } from './processes.ts'
import { publishAll } from './publisher.ts'
import type { BenchmarkResult } from './results.ts'
import { keepUp, toLatencyFigures } from './rounds.ts'
import { useBenchServers } from './servers.ts'

const waitingEvents = 10_000
const perSecond = 5
const pace = { perSecond: 50, seconds: 20 }

/**
 * A tenant with an endpoint without a limit, by itself, and while another has thousands of deliveries that wait for
 * the rate limit of its endpoint: from the moment they are published, and again while they wait.
 */
export async function throttle(): Promise<BenchmarkResult> {
  const servers = await useBenchServers({ durable: true })
  const receiver = await startNode('bench/receiver.ts', {})
  const throttled = await startNode('bench/receiver.ts', {})
  const full = await startFullPipeline(servers, `${receiver.url}/hook`, { tenants: 1 })
  const other = await full.subscribe(`${throttled.url}/hook`)
  await full.database.pool.query(
    'UPDATE webhook_endpoints SET rate_limit_per_second = $2 WHERE tenant_id = $1',
    [other, perSecond],
  )
  const free = { ...full, drained: () => allSent(full.tenantIds[0]!) }
  const allSent = async (tenantId: string): Promise<boolean> => {
    const { rowCount } = await full.database.pool.query(
      'SELECT 1 FROM pending_deliveries WHERE tenant_id = $1 LIMIT 1',
      [tenantId],
    )
    return rowCount === 0
  }

  await keepUp(free, receiver, { perSecond: 50, seconds: 5 })
  const baseline = await keepUp(free, receiver, pace)
  const published = publishAll(full.publish, [other], { amount: waitingEvents })
  const meanwhile = await keepUp(free, receiver, pace)
  await published
  const later = await keepUp(free, receiver, pace)
  const starts = await readStarts(full.database, other)
  await full.stop()
  await Promise.all([receiver.stop(), throttled.stop()])
  await servers.stop()
  const highest = Math.max(meanwhile.p99, later.p99)
  return {
    servers: servers.facts,
    settings: {
      waiting_events: waitingEvents,
      limit_per_second: perSecond,
      events_per_second: pace.perSecond,
      seconds: pace.seconds,
    },
    figures: {
      latency: {
        baseline: toLatencyFigures(baseline),
        while_published: toLatencyFigures(meanwhile),
        while_waiting: toLatencyFigures(later),
      },
      outcome: {
        free: {
          p99_rise: single('ms', highest - baseline.p99),
          allowed_rise: single('ms', baseline.p99 * 0.2 + 20),
          throttled_rate: single('/s', rateOf(starts)),
          most_per_second: single('count', mostWithin(starts, 1_000)),
        },
      },
    },
  }
}

/** When the attempts of an organization started, in ms. */
async function readStarts({ pool }: Database, tenantId: string): Promise<number[]> {
  const { rows } = await pool.query<{ started_at: Date }>(
    'SELECT started_at FROM delivery_attempts WHERE tenant_id = $1 ORDER BY started_at',
    [tenantId],
  )
  return rows.map((row) => row.started_at.getTime())
}

const rateOf = (starts: readonly number[]): number =>
  ((starts.length - 1) * 1_000) / (starts.at(-1)! - starts[0]!)

/** The most attempts that started within a span. */
const mostWithin = (starts: readonly number[], spanMs: number): number =>
  Math.max(
    ...starts.map((first) => starts.filter((at) => at >= first && at <= first + spanMs).length),
  )
