import * as api from '@hosting/api'
import * as worker from '@hosting/worker'
import { noticeOf } from './format.ts'

/** A metric as a process registers it. */
export interface MetricEntry {
  readonly process: 'api' | 'worker'
  readonly name: string
  /** `MetricType` of prom-client in lower case, or its number. */
  readonly type: string
  readonly labels: readonly string[]
  readonly help: string
}

/** Never connects: only the names of the metrics are read. */
const connections = {
  pools: {},
  redis: {},
  isDatabaseReachable: () => Promise.resolve(false),
  readDurability: () => Promise.resolve({ settings: {}, commitWaitMs: 0, primaries: [] }),
}

/** Every metric of both processes, including those of Node, by process and name. */
export async function readMetrics(): Promise<MetricEntry[]> {
  const ofApi = api.createMetrics()
  api.addReadings(ofApi, {
    ...connections,
    countGateRoundTrips: () => 0,
    isGateInformed: () => false,
    countStreams: () => 0,
  })
  const ofWorker = worker.createMetrics()
  worker.addReadings(ofWorker, {
    ...connections,
    isStuck: () => false,
    canSign: () => true,
    lookups: () => ({ running: 0, waiting: 0, quarantined: 0 }),
  })
  return [
    ...(await entriesOf('api', ofApi.registry)),
    ...(await entriesOf('worker', ofWorker.registry)),
  ]
}

async function entriesOf(
  process: MetricEntry['process'],
  registry: api.Metrics['registry'],
): Promise<MetricEntry[]> {
  const metrics = await registry.getMetricsAsJSON()
  return metrics
    .map(({ name, type, help }) => {
      const { labelNames = [] } = registry.getSingleMetric(name) as { labelNames?: string[] }
      return { process, name, type: String(type), labels: labelNames, help }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** docs/generated/metrics.md */
export async function metricsDocument(): Promise<string> {
  const all = await readMetrics()
  const ours = Map.groupBy(
    all.filter(({ name }) => name.startsWith('hosting_')),
    ({ name }) => name,
  )
  const rows = [...ours]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, entries]) => rowOf(name, entries))
  return `${noticeOf('the registries of apps/api and apps/worker')}# Metrics

Both processes serve \`/metrics\` for Prometheus on their internal port. A histogram has \`_bucket\`, \`_sum\`
and \`_count\`. Each process also exposes the default metrics of
[prom-client](https://github.com/siimon/prom-client#default-metrics), \`process_*\` and \`nodejs_*\`. The dashboard and the alerts are in
[deploy/](../../deploy).

| Metric | Type | Labels | Process | Meaning |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}

function rowOf(name: string, entries: readonly MetricEntry[]): string {
  const { type, labels, help } = entries[0]!
  const labelled = labels.map((label) => `\`${label}\``).join(', ')
  const processes = entries.map(({ process }) => process).join(', ')
  return `| \`${name}\` | ${type} | ${labelled} | ${processes} | ${help} |`
}
