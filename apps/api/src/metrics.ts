import { addConnectionMetrics, addNodeMetrics, type Connections } from '@hosting/process'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The metrics of the API. */
export interface Metrics {
  readonly registry: Registry
  readonly requestSeconds: Histogram<'operation' | 'status'>
  readonly eventsPublished: Counter
  readonly deliveriesMade: Counter
  readonly firstJobs: Counter
  readonly gatePassages: Counter<'record'>
  readonly issuerReads: Counter<'issuer' | 'outcome'>
  readonly tokenExchanges: Counter<'outcome'>
}

/** The values that are read at each scrape. */
export interface Readings extends Connections {
  countGateRoundTrips(): number
  /** Whether this process is currently notified of every key change. */
  isGateInformed(): boolean
  countStreams(): number
}

/** Creates the API's metrics in their own registry. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  addNodeMetrics(registry)
  const registers = [registry]
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'hosting_api_request_seconds',
      help: 'Response time of requests, by operation and status.',
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
      help: 'Deliveries created by fan-out.',
      registers,
    }),
    firstJobs: new Counter({
      name: 'hosting_first_jobs_total',
      help: 'Jobs added right after the commit of a publish. The relay creates the others.',
      registers,
    }),
    gatePassages: new Counter({
      name: 'hosting_gate_passages_total',
      help: 'Requests with a key that passed the gate, by the record used: `cached`, `read` from PostgreSQL, or `uncached` (read while Redis is down, with the rate limit counted by this process only).',
      labelNames: ['record'],
      registers,
    }),
    issuerReads: new Counter({
      name: 'hosting_issuer_reads_total',
      help: 'Reads of the configuration and keys of an issuer of workload keys, by issuer (`github`, `gitlab` or `other`) and outcome (`read` or `failed`).',
      labelNames: ['issuer', 'outcome'],
      registers,
    }),
    tokenExchanges: new Counter({
      name: 'hosting_token_exchanges_total',
      help: 'Exchanges of identity tokens, by outcome: `exchanged`, `refused`, or `unreachable` (the issuer could not be read).',
      labelNames: ['outcome'],
      registers,
    }),
  }
}

/** Adds the metrics that are read at each scrape. */
export function addReadings({ registry }: Pick<Metrics, 'registry'>, readings: Readings): void {
  addConnectionMetrics(registry, readings)
  registry.registerMetric(
    new Counter({
      name: 'hosting_gate_round_trips_total',
      help: 'Calls of the gate to Redis. Concurrent requests share one.',
      registers: [],
      collect() {
        this.reset()
        this.inc(readings.countGateRoundTrips())
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'hosting_gate_informed',
      help: '1 if the gate is notified of every key change. If 0, each request reads PostgreSQL.',
      registers: [],
      collect() {
        this.set(Number(readings.isGateInformed()))
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'hosting_listeners',
      help: 'Open streams of `GET /webhooks/listen` in this process.',
      registers: [],
      collect() {
        this.set(readings.countStreams())
      },
    }),
  )
}
