import { openDatabase, type Database } from '@hosting/postgres/database'
import { connect } from '../../support/api.ts'
import { environmentOn } from '../../support/environment.ts'
import { siteData } from '../../support/events.ts'
import { startService, type ServiceProcess } from '../../support/processes.ts'
import { startReceiver } from '../../support/receiver.ts'
import { webhookUser } from '../../support/webhook-user.ts'
import type { FaultServers } from '../../faults/system/servers.ts'

const endpointCount = 3

/** An API and two workers whose receivers count the requests of each delivery. */
export interface CountedSystem {
  readonly api: ServiceProcess
  readonly workers: readonly ServiceProcess[]
  /** Of a key of the organization. */
  readonly token: string
  /** Publishes events to all endpoints in one request. Returns the status and `Retry-After` of the response. */
  publish(
    count?: number,
  ): Promise<{ readonly status: number; readonly retryAfter: string | undefined }>
  /** The number of accepted events times that of the endpoints. */
  readonly acceptedDeliveries: number
  /** The number of requests of each delivery that its receiver got. */
  readonly requests: ReadonlyMap<string, number>
  /** While it is held, receivers do not respond. */
  hold(): void
  release(): void
  /** The number of deliveries by outcome and recorded attempts, such as `succeeded 1`. */
  countRecords(): Promise<Readonly<Record<string, number>>>
  stop(): Promise<void>
}

/** Starts a system with an organization and its endpoints. */
export async function startCountedSystem(
  { databaseUrl, redis }: FaultServers,
  settings: Readonly<Record<string, string>> = {},
): Promise<CountedSystem> {
  const urls = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url() }
  const environment = environmentOn({ ...urls, LOG_LEVEL: 'info', ...settings })
  const [api, ...workers] = await Promise.all([
    startService('api', environment),
    startService('worker', environment),
    startService('worker', environment),
  ])
  const requests = new Map<string, number>()
  let gate = Promise.withResolvers<void>()
  gate.resolve()
  const receiver = await startReceiver({
    async respond({ headers }) {
      const delivery = headers['service-delivery'] as string
      requests.set(delivery, (requests.get(delivery) ?? 0) + 1)
      await gate.promise
      return { status: 200 }
    },
  })
  const database = openDatabase(databaseUrl, { onError: () => undefined })
  const client = connect(database, api)
  const tenant = await client.makeTenant()
  for (let index = 0; index < endpointCount; index++) {
    await webhookUser({ api: client }).subscribe(tenant, receiver.url)
  }
  const { token } = await tenant.makeKey()
  let accepted = 0
  return {
    api,
    token,
    workers,
    requests,
    async publish(count = 1) {
      const event = { tenant_id: tenant.id, type: 'site.created', data: siteData }
      const body = { events: Array.from({ length: count }, () => event) }
      const { status, headers } = await client.callInternal('post', '/events', body)
      if (status === 202) accepted += count
      return { status, retryAfter: headers['retry-after'] }
    },
    get acceptedDeliveries() {
      return accepted * endpointCount
    },
    hold: () => void (gate = Promise.withResolvers()),
    release: () => gate.resolve(),
    countRecords: () => countRecords(database, tenant.id),
    async stop() {
      gate.resolve()
      await Promise.all([api, ...workers].map((service) => service.stop()))
      await receiver.close()
      await database.close()
    },
  }
}

async function countRecords({ pool }: Database, tenantId: string): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ state: string; count: number }>(
    `SELECT coalesce(outcome::text, 'open') || ' ' ||
       (SELECT count(*) FROM recorded_attempts a WHERE a.delivery_id = d.id) AS state, count(*)::int
     FROM all_deliveries d WHERE tenant_id = $1 GROUP BY state`,
    [tenantId],
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}
