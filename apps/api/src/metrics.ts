import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client'

/** What the API tells Prometheus. */
export interface Metrics {
  readonly registry: Registry
  readonly requestSeconds: Histogram<'operation' | 'status'>
  readonly eventsPublished: Counter
  readonly deliveriesMade: Counter
  readonly firstJobs: Counter
}

/** Makes the API's metrics in a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'hosting_api_request_seconds',
      help: 'Time to answer a request, by operation and status.',
      labelNames: ['operation', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    eventsPublished: new Counter({
      name: 'hosting_events_published_total',
      help: 'Events accepted for publishing.',
      registers,
    }),
    deliveriesMade: new Counter({
      name: 'hosting_deliveries_made_total',
      help: 'Deliveries made by fan-out.',
      registers,
    }),
    firstJobs: new Counter({
      name: 'hosting_first_jobs_total',
      help: 'Jobs added right after the commit of a publish; the relay makes the others.',
      registers,
    }),
  }
}
