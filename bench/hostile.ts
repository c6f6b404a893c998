import { single } from './figures.ts'
import { startFullPipeline } from './pipelines.ts'
import { startNode } from './processes.ts'
import { publishSteadily } from './publisher.ts'
import type { BenchmarkResult } from './results.ts'
import { keepUp, toLatencyFigures } from './rounds.ts'
import { useBenchServers } from './servers.ts'

const hostileReceivers = 5
/** Events for each hostile receiver; each is one attempt, because their retries are due later. */
const hostilePerSecond = 10
const pace = { perSecond: 50, seconds: 20 }

/**
 * An organization with a healthy endpoint, by itself and together with five whose receivers stream informational
 * responses without end.
 */
export async function hostile(): Promise<BenchmarkResult> {
  const servers = await useBenchServers({ durable: true })
  const receiver = await startNode('bench/receiver.ts', {})
  const flooding = await startNode('bench/receiver.ts', {})
  const full = await startFullPipeline(servers, `${receiver.url}/hook`, { tenants: 1 })
  const others = await Promise.all(
    Array.from({ length: hostileReceivers }, () => full.subscribe(`${flooding.url}/flood`)),
  )
  const drained = async (): Promise<boolean> => {
    const { rowCount } = await full.database.pool.query(
      'SELECT 1 FROM pending_deliveries WHERE tenant_id = $1 LIMIT 1',
      [full.tenantIds[0]],
    )
    return rowCount === 0
  }
  const healthy = { ...full, drained }

  await keepUp(healthy, receiver, { perSecond: 50, seconds: 5 })
  const baseline = await keepUp(healthy, receiver, pace)
  const published = publishSteadily(full.publish, others, {
    perSecond: hostileReceivers * hostilePerSecond,
    seconds: pace.seconds + 2,
  })
  const beside = await keepUp(healthy, receiver, pace)
  await published
  const { rows } = await full.database.pool.query<{ refused: string }>(
    "SELECT count(*) AS refused FROM delivery_attempts WHERE error_class = 'protocol_error'",
  )
  await full.stop()
  await Promise.all([receiver.stop(), flooding.stop()])
  await servers.stop()
  return {
    servers: servers.facts,
    settings: {
      hostile_receivers: hostileReceivers,
      hostile_events_per_second: hostileReceivers * hostilePerSecond,
      events_per_second: pace.perSecond,
      seconds: pace.seconds,
    },
    figures: {
      latency: { baseline: toLatencyFigures(baseline), beside: toLatencyFigures(beside) },
      outcome: {
        healthy: {
          p99_rise: single('ms', beside.p99 - baseline.p99),
          allowed_rise: single('ms', baseline.p99 * 0.2 + 20),
          refused: single('count', Number(rows[0]!.refused)),
        },
      },
    },
  }
}
