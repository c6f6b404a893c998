import { expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { root } from '../../tools/run.ts'
import * as chart from '../support/chart.ts'
import type { Manifest } from '../support/chart.ts'
import { findPromtool } from '../support/promtool.ts'
import { writeTemporary } from '../support/temporary-folder.ts'
import { needing } from '../support/needing.ts'

const { describe: describeChart } = needing('Helm', chart.helm !== undefined)
const { manifests } = chart.helm ? chart.render(chart.fullValues) : { manifests: [] }
const ofKind = (kind: string, of = manifests): Manifest[] => of.filter((each) => each.kind === kind)
const named = (kind: string, name: string): Manifest =>
  ofKind(kind).find(({ metadata }) => metadata.name === name)
const alertsFile = `${root}deploy/prometheus/alerts.yml`
const rulesOf = (groups: Manifest[]): Manifest[] => groups.flatMap(({ rules }) => rules)
const promtool = await findPromtool()

describeChart('monitoring', () => {
  test('the alerts are those of deploy/prometheus, with the address of the runbook', () => {
    const [{ spec }] = ofKind('PrometheusRule') as [Manifest]
    const text = readFileSync(alertsFile, 'utf8').replaceAll(
      'http://hosting-internal:9090/docs/operations',
      'https://operators.example.com/docs/operations',
    )
    expect(spec).toEqual(parse(text))
    expect(rulesOf(spec.groups).length).toBeGreaterThan(30)
  })

  test('without a value, the runbook is the documentation of the release on its internal port', () => {
    const monitoring = { rules: { enabled: true }, dashboard: { enabled: true } }
    const { manifests: others } = chart.render({ ...chart.leastValues, monitoring }, 'acme')
    const [{ spec }] = ofKind('PrometheusRule', others) as [Manifest]
    const address = 'http://acme-internal.production.svc:9090/docs/operations#'
    for (const { annotations } of rulesOf(spec.groups)) {
      expect(annotations.runbook_url.startsWith(address)).toBe(true)
    }
    expect(ofKind('Service', others).map(({ metadata }) => metadata.name)).toContain(
      'acme-internal',
    )
  })

  test('every process is scraped under a job that the alerts select, whatever the release is called', () => {
    const { manifests: others } = chart.render(chart.fullValues, 'acme')
    const jobs = ofKind('PodMonitor', others).map(
      ({ spec }) => spec.podMetricsEndpoints[0].relabelings[0],
    )
    expect(jobs).toEqual([
      { targetLabel: 'job', replacement: 'hosting-api' },
      { targetLabel: 'job', replacement: 'hosting-worker' },
    ])
    const [{ spec }] = ofKind('PrometheusRule', others) as [Manifest]
    const expressions = rulesOf(spec.groups).map(({ expr }) => String(expr))
    const patterns = expressions.flatMap((expr) => [...expr.matchAll(/job=~"([^"]+)"/g)])
    expect(patterns.length).toBeGreaterThan(2)
    for (const [, pattern] of patterns) {
      for (const { replacement } of jobs) expect(replacement).toMatch(new RegExp(`^${pattern}$`))
    }
    expect(expressions.filter((expr) => /job="/.test(expr))).toEqual([])
  })

  test('the port that is scraped is one of the pods', () => {
    for (const { metadata, spec } of ofKind('PodMonitor')) {
      const { containers } = named('Deployment', metadata.name).spec.template.spec
      const ports = containers[0].ports.map(({ name }: Manifest) => name)
      expect(ports).toContain(spec.podMetricsEndpoints[0].port)
      expect(metadata.labels.release).toBe('prometheus')
    }
  })

  needing('promtool', promtool !== undefined).test('promtool accepts the rendered rules', () => {
    const [{ spec }] = ofKind('PrometheusRule') as [Manifest]
    const file = writeTemporary('rules.json', JSON.stringify(spec))
    expect(execFileSync(promtool!, ['check', 'rules', file], { encoding: 'utf8' })).toContain(
      'SUCCESS',
    )
  })

  test('the dashboard is that of deploy/grafana, and links to the runbook', () => {
    const { data, metadata } = named('ConfigMap', 'hosting-dashboard')
    const dashboard = JSON.parse(data['hosting-control.json'])
    const original = JSON.parse(readFileSync(`${root}deploy/grafana/dashboard.json`, 'utf8'))
    expect(dashboard.panels).toEqual(original.panels)
    const runbook = dashboard.templating.list.find(({ name }: Manifest) => name === 'runbook')
    expect(runbook.query).toBe('https://operators.example.com/docs/operations')
    expect(metadata.labels.grafana_dashboard).toBe('1')
  })
})

/** What scales the workers, if they have so many slots. */
function scalingQuery(slots: number | string): string {
  const { manifests: rendered } = chart.render({
    settings: { ...chart.leastValues.settings, worker: { WORKER_CONCURRENCY: slots } },
    autoscaling: { worker: { enabled: true } },
  })
  return ofKind('ScaledObject', rendered)[0].spec.triggers[0].metadata.query
}

describeChart('pod selectors', () => {
  test('match the pods of one component', () => {
    const pods = ['Deployment', 'Job'].flatMap((kind) =>
      ofKind(kind).map(({ spec }) => JSON.stringify(spec.template.metadata.labels)),
    )
    expect(new Set(pods).size).toBe(3)
    const selectors = [
      ...ofKind('Deployment').map(({ spec }) => spec.selector.matchLabels),
      ...ofKind('Service').map(({ spec }) => spec.selector),
      ...ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
      ...ofKind('NetworkPolicy').map(({ spec }) => spec.podSelector.matchLabels),
      ...ofKind('PodMonitor').map(({ spec }) => spec.selector.matchLabels),
    ]
    expect(selectors).toHaveLength(12)
    for (const selector of selectors) expect(pods).toContain(JSON.stringify(selector))
  })

  test('both deployments have two pods, a budget that allows one disruption, and a matching scaler', () => {
    const { manifests: least } = chart.render({
      ...chart.leastValues,
      autoscaling: { api: { enabled: false } },
    })
    for (const { metadata, spec } of ofKind('Deployment', least)) {
      expect(spec.replicas).toBeGreaterThan(
        named('PodDisruptionBudget', metadata.name).spec.minAvailable,
      )
    }
    // A scaler sets the number, so an upgrade must not.
    for (const { spec } of ofKind('Deployment')) expect(spec.replicas).toBeUndefined()
    expect(named('HorizontalPodAutoscaler', 'hosting-api').spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: 'hosting-api' },
      minReplicas: 2,
    })
    expect(named('ScaledObject', 'hosting-worker').spec).toMatchObject({
      scaleTargetRef: { name: 'hosting-worker' },
      minReplicaCount: 2,
    })
  })

  test('workers scale by existing metrics', () => {
    const { query } = named('ScaledObject', 'hosting-worker').spec.triggers[0].metadata
    const source = readFileSync(`${root}apps/worker/src/metrics.ts`, 'utf8')
    const metrics = String(query).match(/hosting_\w+/g)!
    expect(metrics).toHaveLength(2)
    for (const metric of metrics) expect(source).toContain(`'${metric}'`)
  })

  test.each([
    [40, 20],
    ['500', 250],
    ['', 50],
  ])('workers with %j slots scale when more than %d of them are in use', (slots, half) => {
    expect(scalingQuery(slots)).toContain(`> bool ${half})`)
  })

  needing('promtool', promtool !== undefined).test(
    'workers scale by the age of the backlog, although only one of them knows it',
    () => {
      const series = (attempts: number) => [
        { series: 'hosting_backlog_age_seconds{instance="w1:9090"}', values: '0' },
        { series: 'hosting_backlog_age_seconds{instance="w2:9090"}', values: '90' },
        ...['w1:9090', 'w2:9090'].map((instance) => ({
          series: `hosting_attempts_in_progress{instance="${instance}",lane="normal"}`,
          values: String(attempts),
        })),
      ]
      const expecting = (attempts: number, value: number) => ({
        interval: '1m',
        input_series: series(attempts),
        promql_expr_test: [
          { expr: scalingQuery(500), eval_time: '0m', exp_samples: [{ labels: '{}', value }] },
        ],
      })
      const tests = [expecting(251, 90), expecting(250, 0)]
      const file = writeTemporary('scaling.json', JSON.stringify({ tests }))
      expect(execFileSync(promtool!, ['test', 'rules', file], { encoding: 'utf8' })).toContain(
        'SUCCESS',
      )
    },
  )

  test('the Ingress leads only to the public port, at the host of PUBLIC_URL', () => {
    const [{ spec, metadata }] = ofKind('Ingress') as [Manifest]
    const { service } = spec.rules[0].http.paths[0].backend
    expect(spec.rules[0].http.paths).toHaveLength(1)
    expect(service).toEqual({ name: 'hosting-api', port: { name: 'public' } })
    expect(named('Service', 'hosting-api').spec.ports).toEqual([
      { name: 'public', port: 80, targetPort: 'public' },
    ])
    expect(spec.rules[0].host).toBe('control.example.com')
    expect(spec.tls[0].hosts).toEqual([spec.rules[0].host])
    expect(metadata.annotations['cert-manager.io/cluster-issuer']).toBe('letsencrypt')
  })
})
