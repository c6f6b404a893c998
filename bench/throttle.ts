import type { Database } from '@hosting/postgres/database'
import { measureBesideBacklog } from './beside-backlog.ts'
import { single } from './figures.ts'
import type { BenchmarkResult } from './results.ts'

const waitingEvents = 10_000
const perSecond = 5

/** An organization without a limit, beside another whose deliveries wait for the rate limit of its endpoint. */
export async function throttle(): Promise<BenchmarkResult> {
  const { servers, settings, latency, outcome } = await measureBesideBacklog({
    path: '/hook',
    events: waitingEvents,
    prepare: ({ pool, tenantId }) =>
      pool.query('UPDATE webhook_endpoints SET rate_limit_per_second = $2 WHERE tenant_id = $1', [
        tenantId,
        perSecond,
      ]),
    async readOutcome({ pool, tenantId }) {
      const starts = await readStarts(pool, tenantId)
      return {
        throttled_rate: single('/s', rateOf(starts)),
        most_per_second: single('count', mostWithin(starts, 1_000)),
      }
    },
  })
  return {
    servers,
    settings: { waiting_events: waitingEvents, limit_per_second: perSecond, ...settings },
    figures: { latency, outcome: { free: outcome } },
  }
}

/** When the attempts of an organization started, in ms. */
async function readStarts(pool: Database['pool'], tenantId: string): Promise<number[]> {
  const { rows } = await pool.query<{ started_at: Date }>(
    'SELECT started_at FROM recorded_attempts WHERE tenant_id = $1 ORDER BY started_at',
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
