import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What the worker tells Prometheus. */
export interface Metrics {
  readonly registry: Registry
  readonly attempts: Counter<'outcome'>
  readonly attemptSeconds: Histogram
  readonly deliveries: Counter<'outcome'>
  readonly relayed: Counter
  readonly dutySeconds: Histogram<'duty'>
  readonly dutyFailures: Counter<'duty'>
  readonly partitionsDropped: Counter
  readonly recordsDeleted: Counter<'record'>
  readonly inHand: Gauge
}

/** Makes the worker's metrics in a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    attempts: new Counter({
      name: 'hosting_attempts_total',
      help: 'Attempts made, by error class or success.',
      labelNames: ['outcome'],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'hosting_attempt_seconds',
      help: 'How long attempts took.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    deliveries: new Counter({
      name: 'hosting_deliveries_ended_total',
      help: 'Deliveries that ended, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    relayed: new Counter({
      name: 'hosting_relayed_total',
      help: 'Due attempts that the relay made jobs for.',
      registers,
    }),
    dutySeconds: new Histogram({
      name: 'hosting_duty_seconds',
      help: 'How long a round of a periodic duty took.',
      labelNames: ['duty'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
      registers,
    }),
    dutyFailures: new Counter({
      name: 'hosting_duty_failures_total',
      help: 'Rounds of a periodic duty that failed.',
      labelNames: ['duty'],
      registers,
    }),
    partitionsDropped: new Counter({
      name: 'hosting_partitions_dropped_total',
      help: 'Day partitions dropped by retention.',
      registers,
    }),
    recordsDeleted: new Counter({
      name: 'hosting_records_deleted_total',
      help: 'Records past their time that retention removed, with their partitions or singly.',
      labelNames: ['record'],
      registers,
    }),
    inHand: new Gauge({
      name: 'hosting_attempts_in_hand',
      help: 'Jobs that this worker has in hand.',
      registers,
    }),
  }
}
