import { errorClasses, lanes, type Lane } from '@hosting/core/webhooks'
import {
  addConnectionMetrics,
  addNodeMetrics,
  type Connections,
  type Resolver,
} from '@hosting/process'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { postponeReasons } from './delivery/postpone.ts'
import { createEndpointMetrics, type EndpointMetrics } from './endpoint-metrics.ts'
import { createMailMetrics, type MailMetrics } from './mail/mail-metrics.ts'
import { createStandbyMetrics, type StandbyMetrics } from './standby-metrics.ts'

/** The Prometheus metrics of the worker. */
export interface Metrics extends EndpointMetrics, MailMetrics, StandbyMetrics {
  readonly registry: Registry
  readonly attempts: Counter<'outcome'>
  readonly attemptSeconds: Histogram
  readonly deliveries: Counter<'outcome'>
  readonly lookupTimeouts: Counter
  readonly relayLagSeconds: Histogram
  readonly backlogSeconds: Gauge
  readonly backlogged: Gauge
  readonly waiting: Gauge<'lane'>
  readonly batchSize: Histogram<'batch'>
  readonly postponed: Counter<'reason'>
  readonly leasesLost: Counter
  readonly unrecorded: Gauge
  readonly unrecordedSeconds: Gauge
  readonly dutySeconds: Histogram<'duty'>
  readonly dutyFailures: Counter<'duty'>
  readonly partitionsDropped: Counter
  readonly recordsDeleted: Counter<'record'>
  readonly attemptsInProgress: Gauge<'lane'>
  readonly invalidations: Gauge
  readonly invalidationsSeconds: Gauge
  readonly unsealed: Gauge
  readonly unsealedSeconds: Gauge
  readonly auditBroken: Gauge
  readonly pending: Gauge
  readonly partitionDaysAhead: Gauge
  readonly retentionLagSeconds: Gauge
  readonly oldestTransactionSeconds: Gauge
}

/** The values that are read on each scrape. */
export interface Readings extends Connections {
  /** Whether a consumer takes no jobs although jobs wait. */
  isStuck(lane: Lane): boolean
  lookups(): ReturnType<Resolver['figures']>
  canSign(): boolean
}

/** Creates the worker's metrics in a separate registry. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  addNodeMetrics(registry)
  const registers = [registry]
  const metrics = {
    registry,
    ...attemptMetrics(registers),
    ...queueMetrics(registers),
    ...dutyMetrics(registers),
    ...installationMetrics(registers),
    ...createEndpointMetrics(registers),
    ...createMailMetrics(registers),
    ...createStandbyMetrics(registers),
  }
  // A counter that does not exist before its first count shows no increase then, and an alert would
  // miss it.
  for (const outcome of ['success', ...errorClasses]) metrics.attempts.inc({ outcome }, 0)
  for (const outcome of ['succeeded', 'dead']) metrics.deliveries.inc({ outcome }, 0)
  for (const reason of postponeReasons) metrics.postponed.inc({ reason }, 0)
  return metrics
}

/** Adds the metrics that are read on each scrape. */
export function addReadings({ registry }: Pick<Metrics, 'registry'>, readings: Readings): void {
  addConnectionMetrics(registry, readings)
  registry.registerMetric(
    new Gauge({
      name: 'hosting_signing_possible',
      help: '1 if the keyring of this worker opens signing secrets. If 0, it makes no attempts.',
      registers: [],
      collect() {
        this.set(Number(readings.canSign()))
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'hosting_consumer_stuck',
      help: '1 if a consumer of this worker takes no jobs although jobs wait in a shard of its lane.',
      labelNames: ['lane'],
      registers: [],
      collect() {
        for (const lane of lanes) this.set({ lane }, Number(readings.isStuck(lane)))
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'hosting_dns_lookups',
      help: 'Lookups of endpoint names, running or waiting for a free slot.',
      labelNames: ['state'],
      registers: [],
      collect() {
        const { running, waiting } = readings.lookups()
        this.set({ state: 'running' }, running)
        this.set({ state: 'waiting' }, waiting)
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'hosting_dns_quarantined_names',
      help: 'Endpoint names that are not looked up for some seconds because their lookup timed out.',
      registers: [],
      collect() {
        this.set(readings.lookups().quarantined)
      },
    }),
  )
}

const attemptMetrics = (registers: Registry[]) => ({
  attempts: new Counter({
    name: 'hosting_attempts_total',
    help: 'Attempts by outcome: `success` or an error class.',
    labelNames: ['outcome'],
    registers,
  }),
  attemptSeconds: new Histogram({
    name: 'hosting_attempt_seconds',
    help: 'Duration of attempts.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  }),
  deliveries: new Counter({
    name: 'hosting_deliveries_ended_total',
    help: 'Deliveries that ended, by outcome.',
    labelNames: ['outcome'],
    registers,
  }),
  lookupTimeouts: new Counter({
    name: 'hosting_dns_timeouts_total',
    help: 'Lookups of endpoint names that timed out.',
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
    help: 'Attempts that another worker claimed before they were recorded, so that their outcome was dropped.',
    registers,
  }),
  unrecorded: new Gauge({
    name: 'hosting_unrecorded_attempts',
    help: 'Attempts that this worker has made and not recorded yet.',
    registers,
  }),
  unrecordedSeconds: new Gauge({
    name: 'hosting_unrecorded_attempts_age_seconds',
    help: 'Time since the end of the oldest attempt that this worker has not recorded yet.',
    registers,
  }),
  attemptsInProgress: new Gauge({
    name: 'hosting_attempts_in_progress',
    help: 'Attempts in progress on this worker, by lane: `normal` or `slow`, or `detached` from the normal lane because they take long.',
    labelNames: ['lane'],
    registers,
  }),
})

const queueMetrics = (registers: Registry[]) => ({
  relayLagSeconds: new Histogram({
    name: 'hosting_relay_lag_seconds',
    help: "Delay between an attempt's due time and the creation of its job.",
    buckets: [0.05, 0.25, 1, 5, 15, 60, 300, 1_800, 7_200],
    registers,
  }),
  backlogSeconds: new Gauge({
    name: 'hosting_backlog_age_seconds',
    help: 'Time for which the oldest due delivery has been due, over the enabled endpoints without a rate limit that the relay examined recently.',
    registers,
  }),
  backlogged: new Gauge({
    name: 'hosting_backlogged_endpoints',
    help: 'Endpoints with at least as many due deliveries as slots, or whose deliveries wait for their rate limit, counted up to about 1,000.',
    registers,
  }),
  waiting: new Gauge({
    name: 'hosting_jobs_waiting',
    help: 'Jobs in Redis that wait to be taken, by lane.',
    labelNames: ['lane'],
    registers,
  }),
  postponed: new Counter({
    name: 'hosting_attempts_postponed_total',
    help: 'Attempts that were postponed, by reason: all slots of their endpoint were in use (`slots`), their organization had used up its share of the lane (`share`), the name of their endpoint is looked up slowly (`lookup`), the worker could sign or record no attempts (`worker`) or was shutting down (`shutdown`), they could not start in time for the rate limit of the endpoint or within the lease (`late`), or, for a minute, because a signing secret cannot be decrypted (`secret`) or TLS failed while the clock was wrong (`clock`). They do not count as attempts of the delivery.',
    labelNames: ['reason'],
    registers,
  }),
})

const dutyMetrics = (registers: Registry[]) => ({
  dutySeconds: new Histogram({
    name: 'hosting_duty_seconds',
    help: 'Duration of a run of a periodic duty.',
    labelNames: ['duty'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers,
  }),
  dutyFailures: new Counter({
    name: 'hosting_duty_failures_total',
    help: 'Failed runs of a periodic duty.',
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
    help: 'Expired records that retention removed, with their partitions or individually.',
    labelNames: ['record'],
    registers,
  }),
})

/** Metrics of the installation as a whole. Every worker reports the same values, so take the maximum. */
const installationMetrics = (registers: Registry[]) => ({
  invalidations: new Gauge({
    name: 'hosting_gate_invalidations',
    help: 'Key changes that have not reached the gate in Redis yet, counted up to 10,000.',
    registers,
  }),
  invalidationsSeconds: new Gauge({
    name: 'hosting_gate_invalidations_age_seconds',
    help: 'Age of the oldest key change that has not reached the gate in Redis.',
    registers,
  }),
  unsealed: new Gauge({
    name: 'hosting_audit_unsealed',
    help: 'Audit entries that are not sealed yet, counted up to 10,000.',
    registers,
  }),
  unsealedSeconds: new Gauge({
    name: 'hosting_audit_unsealed_age_seconds',
    help: 'Age of the oldest audit entry that is not sealed yet.',
    registers,
  }),
  auditBroken: new Gauge({
    name: 'hosting_audit_broken_chains',
    help: 'Chains of the audit log that are not extended because they were changed.',
    registers,
  }),
  pending: new Gauge({
    name: 'hosting_pending_deliveries',
    help: 'Unfinished deliveries, due or not, as estimated by PostgreSQL.',
    registers,
  }),
  partitionDaysAhead: new Gauge({
    name: 'hosting_partition_days_ahead',
    help: 'Number of days after today for which all partitions exist. If it is negative, no event is accepted.',
    registers,
  }),
  retentionLagSeconds: new Gauge({
    name: 'hosting_retention_lag_seconds',
    help: 'Time for which attempts have been kept beyond their 30 days.',
    registers,
  }),
  oldestTransactionSeconds: new Gauge({
    name: 'hosting_oldest_transaction_seconds',
    help: 'Age of the oldest open transaction in PostgreSQL that prevents the cleanup of removed rows.',
    registers,
  }),
})
