import { single } from './figures.ts'
import { startFullPipeline } from './pipelines.ts'
import { startNode } from './processes.ts'
import { publishAll } from './publisher.ts'
import type { BenchmarkResult } from './results.ts'
import { keepUp, toLatencyFigures } from './rounds.ts'
import { useBenchServers } from './servers.ts'

const hangingEvents = 5_000
const pace = { perSecond: 50, seconds: 20 }

/**
 * A tenant with a healthy endpoint, by itself, and while another has thousands of events for an endpoint that
 * takes ten seconds to respond: from the moment they are published, and again while they wait.
 */
export async function fairness(): Promise<BenchmarkResult> {
  const servers = await useBenchServers({ durable: true })
  const receiver = await startNode('bench/receiver.ts', {})
  const hanging = await startNode('bench/receiver.ts', {})
  const full = await startFullPipeline(servers, `${receiver.url}/hook`, { tenants: 1 })
  const other = await full.subscribe(`${hanging.url}/hang`)
  const healthy = { ...full, drained: () => allSent(full.tenantIds[0]!) }
  const allSent = async (tenantId: string): Promise<boolean> => {
    const { rowCount } = await full.database.pool.query(
      'SELECT 1 FROM pending_deliveries WHERE tenant_id = $1 LIMIT 1',
      [tenantId],
    )
    return rowCount === 0
  }

  await keepUp(healthy, receiver, { perSecond: 50, seconds: 5 })
  const baseline = await keepUp(healthy, receiver, pace)
  const published = publishAll(full.publish, [other], { amount: hangingEvents })
  const meanwhile = await keepUp(healthy, receiver, pace)
  await published
  const later = await keepUp(healthy, receiver, pace)
  const { rows } = await full.database.pool.query<{ waiting: string }>(
    'SELECT count(*) AS waiting FROM pending_deliveries WHERE tenant_id = $1 AND attempts_made = 0',
    [other],
  )
  await full.stop()
  await Promise.all([receiver.stop(), hanging.stop()])
  await servers.stop()
  const highest = Math.max(meanwhile.p99, later.p99)
  return {
    servers: servers.facts,
    settings: {
      hanging_events: hangingEvents,
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
        healthy: {
          p99_rise: single('ms', highest - baseline.p99),
          allowed_rise: single('ms', baseline.p99 * 0.2 + 20),
          still_waiting: single('count', Number(rows[0]!.waiting)),
        },
      },
    },
  }
}
