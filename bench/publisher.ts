import http from 'node:http'
import type { BenchProcess } from './processes.ts'

/** Sends events, or their equivalent; resolves when they are accepted. */
export type Publish = (events: readonly BenchEvent[]) => Promise<void>

/** An event of a benchmark. */
export interface BenchEvent {
  readonly type: 'site.created'
  readonly tenant_id: string
  readonly data: Readonly<Record<string, string>>
}

/** An envelope of about 450 bytes, with the current time in it. */
export const makeEvent = (tenantId: string): BenchEvent => ({
  type: 'site.created',
  tenant_id: tenantId,
  data: {
    object_type: 'site',
    object_id: (performance.timeOrigin + performance.now()).toFixed(3),
    account_id: '0198c5a0-0000-7000-8000-000000000001',
    primary_domain: `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(37)}.example.com`,
  },
})

/** Publishes over the internal API of an API process, with keep-alive connections. */
export function publishTo({ internalUrl, serviceToken }: BenchProcess): Publish {
  const agent = new http.Agent({ keepAlive: true })
  const headers = {
    authorization: `Bearer ${serviceToken}`,
    'content-type': 'application/json',
  }
  return (events) =>
    new Promise((resolve, reject) => {
      const request = http.request(`${internalUrl}/internal/v1/events`, {
        method: 'POST',
        agent,
        headers,
      })
      request.on('error', reject)
      request.on('response', (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 202) resolve()
          else reject(new Error(`A publish got status ${response.statusCode}.`))
        })
      })
      request.end(JSON.stringify(events.length === 1 ? events[0] : { events }))
    })
}

/**
 * Publishes events as fast as they are delivered, at most `aheadMax` ahead of the receiver.
 *
 * @param received - returns the number of events that have arrived.
 */
export async function publishAll(
  publish: Publish,
  tenantIds: readonly string[],
  { amount, aheadMax = 0, received, batchSize = 50, publishers = 2 }: PublishExtent,
): Promise<void> {
  let made = 0
  const arrivals = received && watchArrivals(received)
  const publishSome = async (): Promise<void> => {
    for (let first = made; first < amount; first = made) {
      const size = Math.min(batchSize, amount - first)
      made += size
      await arrivals?.reach(made - aheadMax)
      await publish(
        Array.from({ length: size }, (_, index) =>
          makeEvent(tenantIds[(first + index) % tenantIds.length]!),
        ),
      )
    }
  }
  await Promise.all(Array.from({ length: publishers }, publishSome)).finally(arrivals?.stop)
}

/** Polls the number of arrivals for all publishers together, while any of them waits. */
function watchArrivals(received: () => Promise<number>) {
  let count = 0
  let stopped = false
  let asking: Promise<unknown> | undefined
  const ask = async (): Promise<void> => {
    count = await received()
    await new Promise((resolve) => setTimeout(resolve, 2))
    asking = undefined
  }
  return {
    async reach(amount: number): Promise<void> {
      // oxlint-disable-next-line no-unmodified-loop-condition -- `ask` changes the count
      while (count < amount && !stopped) await (asking ??= ask())
    },
    stop: () => void (stopped = true),
  }
}

/** How much is published, and how far ahead of the receiver; if absent, as fast as it is accepted. */
export interface PublishExtent {
  readonly amount: number
  readonly aheadMax?: number
  readonly received?: () => Promise<number>
  /** Events per request. */
  readonly batchSize?: number
  /** Concurrent requests. */
  readonly publishers?: number
}

/** Publishes at a steady rate, one event per request, without waiting for responses. */
export async function publishSteadily(
  publish: Publish,
  tenantIds: readonly string[],
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<number> {
  const amount = perSecond * seconds
  const startedAt = performance.now()
  const underWay: Promise<void>[] = []
  while (underWay.length < amount) {
    const due = Math.min(amount, ((performance.now() - startedAt) / 1_000) * perSecond)
    while (underWay.length < due) {
      underWay.push(publish([makeEvent(tenantIds[underWay.length % tenantIds.length]!)]))
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(underWay)
  return amount
}
