import type { Database } from '@hosting/postgres/database'
import { single } from './figures.ts'
import { startFullPipeline } from './pipelines.ts'
import { startNode } from './processes.ts'
import { publishAll } from './publisher.ts'
import type { BenchmarkResult, SingleFigure } from './results.ts'
import { keepUp, toLatencyFigures } from './rounds.ts'
import { useBenchServers } from './servers.ts'

const pace = { perSecond: 50, seconds: 20 }

/** The organization whose events wait. */
interface BackloggedTenant {
  readonly pool: Database['pool']
  readonly tenantId: string
}

/** What the events of the other organization wait for. */
interface Backlog {
  /** The path of the other organization's receiver. */
  readonly path: '/hang' | '/hook'
  readonly events: number
  /** Runs before the events are published. */
  prepare?(other: BackloggedTenant): Promise<unknown>
  /** Reads further figures at the end. */
  readOutcome(other: BackloggedTenant): Promise<Readonly<Record<string, SingleFigure>>>
}

/**
 * Measures the latency of an organization by itself, while another publishes a backlog, and again while that waits.
 * The outcome is compared with the limit: p99 may rise by a fifth and 20 ms.
 */
export async function measureBesideBacklog({ path, events, prepare, readOutcome }: Backlog) {
  const servers = await useBenchServers({ durable: true })
  const receiver = await startNode('bench/receiver.ts', {})
  const slow = await startNode('bench/receiver.ts', {})
  const full = await startFullPipeline(servers, `${receiver.url}/hook`, { tenants: 1 })
  const tenantId = await full.subscribe(`${slow.url}${path}`)
  const other = { pool: full.database.pool, tenantId }
  await prepare?.(other)
  const measured = { ...full, drained: () => allSent(other.pool, full.tenantIds[0]!) }

  await keepUp(measured, receiver, { perSecond: 50, seconds: 5 })
  const baseline = await keepUp(measured, receiver, pace)
  const published = publishAll(full.publish, [tenantId], { amount: events })
  const meanwhile = await keepUp(measured, receiver, pace)
  await published
  const later = await keepUp(measured, receiver, pace)
  const outcome = await readOutcome(other)
  await full.stop()
  await Promise.all([receiver.stop(), slow.stop()])
  await servers.stop()
  return {
    servers: servers.facts,
    settings: { events_per_second: pace.perSecond, seconds: pace.seconds },
    latency: {
      baseline: toLatencyFigures(baseline),
      while_published: toLatencyFigures(meanwhile),
      while_waiting: toLatencyFigures(later),
    },
    outcome: {
      p99_rise: single('ms', Math.max(meanwhile.p99, later.p99) - baseline.p99),
      allowed_rise: single('ms', baseline.p99 * 0.2 + 20),
      ...outcome,
    },
  } satisfies Pick<BenchmarkResult, 'servers' | 'settings'> & Record<string, unknown>
}

/** Whether no delivery of an organization waits. */
export async function allSent(pool: Database['pool'], tenantId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'SELECT 1 FROM pending_deliveries WHERE tenant_id = $1 LIMIT 1',
    [tenantId],
  )
  return rowCount === 0
}

const hangingEvents = 5_000

/** An organization with a healthy endpoint, beside another with an endpoint that takes ten seconds to respond. */
export async function fairness(): Promise<BenchmarkResult> {
  const { servers, settings, latency, outcome } = await measureBesideBacklog({
    path: '/hang',
    events: hangingEvents,
    async readOutcome({ pool, tenantId }) {
      const { rows } = await pool.query<{ waiting: string }>(
        'SELECT count(*) AS waiting FROM pending_deliveries WHERE tenant_id = $1 AND attempts_made = 0',
        [tenantId],
      )
      return { still_waiting: single('count', Number(rows[0]!.waiting)) }
    },
  })
  return {
    servers,
    settings: { hanging_events: hangingEvents, ...settings },
    figures: { latency, outcome: { healthy: outcome } },
  }
}
