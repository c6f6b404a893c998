import { round2 } from './figures.ts'
import { startFullPipeline } from './pipelines.ts'
import { startNode } from './processes.ts'
import { publishAll } from './publisher.ts'
import { keepUp } from './rounds.ts'
import { useBenchServers } from './servers.ts'

const hangingEvents = 5_000
const pace = { perSecond: 50, seconds: 20 }

/**
 * A tenant with a healthy endpoint, alone, and while another has thousands of events for an endpoint that
 * takes ten seconds to answer: from the moment these are published, and again while they wait.
 */
export async function fairness(): Promise<Record<string, unknown>> {
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
  const alone = await keepUp(healthy, receiver, pace)
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
  return {
    alone,
    while_published: meanwhile,
    while_waiting: later,
    p99_rise_ms: round2(Math.max(meanwhile.p99_ms, later.p99_ms) - alone.p99_ms),
    allowed_rise_ms: round2(alone.p99_ms * 0.2 + 20),
    still_waiting_for_a_first_attempt: Number(rows[0]!.waiting),
  }
}
