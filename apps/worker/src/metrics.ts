import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What the worker tells Prometheus. */
export interface Metrics {
  readonly registry: Registry
  readonly attempts: Counter<'outcome'>
  readonly attemptSeconds: Histogram
  readonly deliveries: Counter<'outcome'>
  readonly relayLagSeconds: Histogram
  readonly backlogSeconds: Gauge
  readonly backlogged: Gauge
  readonly waiting: Gauge<'lane'>
  readonly batchSize: Histogram<'batch'>
  readonly givenBack: Counter
  readonly leasesLost: Counter
  readonly dutySeconds: Histogram<'duty'>
  readonly dutyFailures: Counter<'duty'>
  readonly partitionsDropped: Counter
  readonly recordsDeleted: Counter<'record'>
  readonly inHand: Gauge<'place'>
}

/** Makes the worker's metrics in a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    ...attemptMetrics(registers),
    ...queueMetrics(registers),
    ...dutyMetrics(registers),
  }
}

const attemptMetrics = (registers: Registry[]) => ({
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
  batchSize: new Histogram({
    name: 'hosting_batch_size',
    help: 'Attempts that were claimed or recorded in one statement.',
    labelNames: ['batch'],
    buckets: [1, 2, 5, 10, 20, 50, 100],
    registers,
  }),
  leasesLost: new Counter({
    name: 'hosting_leases_lost_total',
    help: 'Attempts that took longer than their lease, so that their outcome was dropped.',
    registers,
  }),
  inHand: new Gauge({
    name: 'hosting_attempts_in_hand',
    help: 'Attempts that this worker has in hand: in a lane, or having left it because they last.',
    labelNames: ['place'],
    registers,
  }),
})

const queueMetrics = (registers: Registry[]) => ({
  relayLagSeconds: new Histogram({
    name: 'hosting_relay_lag_seconds',
    help: 'How long attempts had been due when the relay made jobs for them.',
    buckets: [0.05, 0.25, 1, 5, 15, 60, 300, 1_800, 7_200],
    registers,
  }),
  backlogSeconds: new Gauge({
    name: 'hosting_backlog_age_seconds',
    help: 'How long the oldest due delivery of an enabled endpoint has been due.',
    registers,
  }),
  backlogged: new Gauge({
    name: 'hosting_backlogged_endpoints',
    help: 'Endpoints with more due deliveries than they may have in hand.',
    registers,
  }),
  waiting: new Gauge({
    name: 'hosting_jobs_waiting',
    help: 'Jobs in Redis that wait to be taken, by lane.',
    labelNames: ['lane'],
    registers,
  }),
  givenBack: new Counter({
    name: 'hosting_attempts_given_back_total',
    help: 'Attempts put off because their endpoint had as many in hand as it may; none was used up.',
    registers,
  }),
})

const dutyMetrics = (registers: Registry[]) => ({
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
})
