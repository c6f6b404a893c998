import { measureBesideBacklog } from './beside-backlog.ts'
import { single } from './figures.ts'
import type { BenchmarkResult } from './results.ts'

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
