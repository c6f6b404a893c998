import { describe, expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { readMetrics } from '../../tools/generate/metrics.ts'
import { root } from '../../tools/run.ts'
import { renderPage } from '../../tools/site/render-page.ts'
import { findPromtool } from '../support/promtool.ts'
import { writeTemporary } from '../support/temporary-folder.ts'
import { needing } from '../support/needing.ts'

const read = (path: string): string => readFileSync(root + path, 'utf8')

/** Labels that every series has: Prometheus adds these two, and `up`. */
const labelsOfTargets = ['job', 'instance']
const labelsByMetric = new Map<string, readonly string[]>([['up', []]])
for (const { name, type, labels } of await readMetrics()) {
  if (type === 'histogram') {
    labelsByMetric.set(`${name}_bucket`, [...labels, 'le'])
    labelsByMetric.set(`${name}_sum`, labels).set(`${name}_count`, labels)
  } else labelsByMetric.set(name, labels)
}

/** The names in an expression that no process exposes. */
function unknownIn(expression: string): string[] {
  const { metrics, labels } = namesOfPromql(expression)
  const known = new Set([
    ...labelsOfTargets,
    ...metrics.flatMap((metric) => labelsByMetric.get(metric) ?? []),
  ])
  return [
    ...metrics.filter((metric) => !labelsByMetric.has(metric)),
    ...labels.filter((label) => !known.has(label)),
  ]
}

/** The anchors of `/docs/operations`, as the internal port serves it. */
const runbookIds = [
  ...renderPage(
    { source: 'docs/operations.md', audience: 'platform' },
    read('docs/operations.md'),
  ).html.matchAll(/<h\d id="([^"]+)"/g),
].map(([, id]) => id)

interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const alertFile = parse(read('deploy/prometheus/alerts.yml')) as {
  groups: { name: string; rules: AlertRule[] }[]
}
const alerts = alertFile.groups.flatMap(({ rules }) => rules)

describe('the alerts', () => {
  test.each(alerts.map((rule) => [rule.alert, rule] as const))(
    '%s uses existing metrics, and has a severity and a runbook link',
    (_name, { expr, labels, annotations }) => {
      expect(unknownIn(expr)).toEqual([])
      expect(['critical', 'warning']).toContain(labels['severity'])
      const { summary, description, runbook_url: runbook } = annotations
      expect([summary, description].every((text) => text && text.length > 10)).toBe(true)
      const [, page, anchor] = /^(.+)#(.+)$/.exec(runbook ?? '') ?? []
      // The Helm chart replaces this address by that of its release, or of `monitoring.runbookUrl`.
      expect(page).toBe('http://hosting-internal:9090/docs/operations')
      expect(runbookIds).toContain(anchor)
      const { metrics } = namesOfPromql(expr)
      const known = [...labelsOfTargets, ...metrics.flatMap((name) => labelsByMetric.get(name)!)]
      const shown = [...`${summary} ${description}`.matchAll(/\$labels\.(\w+)/g)]
      for (const [, label] of shown) expect(known).toContain(label)
    },
  )

  test('have unique names, and each has a test', () => {
    const names = alerts.map(({ alert }) => alert)
    expect(new Set(names).size).toBe(names.length)
    const tests = read('deploy/prometheus/alerts.test.yml')
    const tested = [...tests.matchAll(/alertname: (\w+)/g)].map(([, name]) => name!)
    expect([...new Set(tested)].toSorted()).toEqual([...names].toSorted())
  })
})

const promtool = await findPromtool()

describe('promtool finds no fault in', () => {
  const { test: check } = needing('promtool', promtool !== undefined)
  check.each([
    ['the rules', ['check', 'rules', 'alerts.yml']],
    ['the configuration', ['check', 'config', 'prometheus.yml']],
    ['the unit tests of the alerts', ['test', 'rules', 'alerts.test.yml']],
  ])('%s', (_what, args) => {
    const output = execFileSync(promtool!, args, {
      cwd: `${root}deploy/prometheus`,
      encoding: 'utf8',
    })
    expect(output).toContain('SUCCESS')
  })

  check('the expressions of the dashboard', () => {
    const rules = expressions.map((expr, index) => ({
      record: `panel:${index}`,
      expr: plain(expr),
    }))
    const file = writeTemporary(
      'rules.json',
      JSON.stringify({ groups: [{ name: 'dashboard', rules }] }),
    )
    const output = execFileSync(promtool!, ['check', 'rules', file], { encoding: 'utf8' })
    expect(output).toContain(`${expressions.length} rules found`)
  })
})

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly gridPos: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  readonly datasource?: { readonly uid: string }
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[]
  readonly links?: readonly { readonly url: string }[]
}

const dashboardText = read('deploy/grafana/dashboard.json')
const dashboard = JSON.parse(dashboardText) as {
  readonly panels: readonly Panel[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { query: string } }[]
  }
}
const panels = dashboard.panels.filter(({ type }) => type !== 'row')
const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

/** An expression with Grafana's variables replaced. */
const plain = (expression: string): string =>
  expression.replaceAll('$__rate_interval', '1m').replace(/\$\w+/g, 'x')

// Grafana itself does not run: only the structure of the JSON is checked.
describe('the dashboard', () => {
  test('uses existing metrics and labels', () => {
    expect(expressions.length).toBeGreaterThan(40)
    expect(expressions.flatMap((expr) => unknownIn(expr))).toEqual([])
  })

  test.each([
    'hosting_endpoints_failing',
    'hosting_endpoints_disabled_total',
    'hosting_throttled_deliveries',
    'hosting_attempts_postponed_total',
    'hosting_mails_waiting',
    'hosting_mails_waiting_seconds',
    'hosting_mails_total',
  ])('shows %s', (metric) => {
    expect(expressions.flatMap((expr) => namesOfPromql(expr).metrics)).toContain(metric)
  })

  test('can filter every panel by job and instance', () => {
    for (const expr of expressions) {
      expect(expr).toContain('job=~"$job"')
      expect(expr).toContain('instance=~"$instance"')
    }
  })

  test('has a description for every panel, and uses the selected data source', () => {
    for (const { title, description, datasource, targets = [] } of panels) {
      expect(title.length * (description?.length ?? 0)).toBeGreaterThan(0)
      expect(datasource?.uid).toBe('${datasource}')
      expect(targets.length).toBeGreaterThan(0)
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
    }
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('has no panels that overlap or exceed the width', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}:${y + Math.floor(cell / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { gridPos } of dashboard.panels)
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
  })

  test('uses all of its variables, and no others', () => {
    const defined = dashboard.templating.list.map(({ name }) => name)
    const used = [...dashboardText.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name!)
    const ofGrafana = ['__rate_interval', '__all']
    expect(new Set(used)).toEqual(new Set([...defined, ...ofGrafana]))
    const selectors = dashboard.templating.list.flatMap(({ query }) => {
      const text = typeof query === 'string' ? query : query.query
      const selector = /^label_values\((.+), \w+\)$/.exec(text)?.[1]
      return selector === undefined ? [] : [selector]
    })
    expect(selectors).toHaveLength(2)
    expect(selectors.flatMap((selector) => unknownIn(selector))).toEqual([])
  })

  test('links to existing sections of the runbook', () => {
    const links = panels.flatMap(({ links: ofPanel = [] }) => ofPanel.map(({ url }) => url))
    expect(links.length).toBeGreaterThan(20)
    for (const url of links) {
      const [, anchor] = /^\$\{runbook\}#(.+)$/.exec(url) ?? []
      expect(runbookIds).toContain(anchor)
    }
  })
})

/** The names in a PromQL expression: metrics, and labels in selectors or groupings. */
interface PromqlNames {
  readonly metrics: readonly string[]
  readonly labels: readonly string[]
}

/** Keywords of PromQL. Any other name before a parenthesis is a function. */
const words = new Set(['by', 'without', 'on', 'ignoring', 'and', 'or', 'unless', 'bool'])

/** Finds the names in an expression. It is not a parser: promtool checks the syntax. */
function namesOfPromql(expression: string): PromqlNames {
  const labels: string[] = []
  const bare = expression
    .replace(/"[^"]*"|'[^']*'/g, "''")
    .replace(/\[[^\]]*\]|\boffset\s+\w+/g, '')
    .replace(/\{([^}]*)\}/g, (_all, matchers: string) => {
      labels.push(...[...matchers.matchAll(/(\w+)\s*[!=]/g)].map(([, label]) => label!))
      return ''
    })
    .replace(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_all, list: string) => {
      labels.push(...list.split(',').map((label) => label.trim()))
      return ''
    })
  const metrics = [...bare.matchAll(/[a-z_]\w*(?!\w)(?!\s*\()/gi)]
    .map(([name]) => name)
    .filter((name) => !words.has(name))
  return { metrics: [...new Set(metrics)], labels: [...new Set(labels)] }
}
