import { readRuns } from '../../bench/measured.ts'
import type { Figure, Table } from '../../bench/results.ts'
import { partsTable, resourcesTable } from './capacity.ts'
import { markdownTable } from './format.ts'

/**
 * A Markdown table of what `npm run bench -- --keep` measured.
 *
 * @param name - a benchmark and its section, as in `auth.gate`; `runs`: when and how much each benchmark measured; `parts` and
 *   `resources`: what docs/scaling.md calculates from them.
 * @throws Error if nothing of that name is kept.
 */
export function benchTable(name: string): string {
  const other = others[name]
  if (other) return other()
  const [benchmark, section] = name.split('.') as [string, string]
  const table = readRuns()[benchmark]?.figures[section]
  if (!table) throw new Error(`bench/measured.json has no ${name}`)
  return figuresTable(benchmark, table)
}

const others: Readonly<Record<string, () => string>> = {
  runs: runsTable,
  parts: partsTable,
  resources: resourcesTable,
}

function figuresTable(benchmark: string, table: Table): string {
  const columns = [...new Set(Object.values(table).flatMap((row) => Object.keys(row)))]
  return markdownTable(
    ['', ...columns.map((column) => labelOf(benchmark, column))],
    Object.entries(table).map(([row, figures]) => [
      labelOf(benchmark, row),
      ...columns.map((column) => (figures[column] ? formatFigure(figures[column]) : '')),
    ]),
  )
}

function runsTable(): string {
  return markdownTable(
    ['Benchmark', 'Extent', 'PostgreSQL', 'Redis', 'Processor', 'Measured', 'Took'],
    Object.entries(readRuns()).map(
      ([name, { settings, servers, machine, date, commit, seconds }]) => [
        `\`${name}\``,
        Object.entries(settings)
          .map(([setting, value]) => `${setting.replaceAll('_', ' ')} ${count(value)}`)
          .join(', '),
        describeServer(servers['PostgreSQL'], 'fsync'),
        describeServer(servers['Redis'], 'appendonly'),
        machine.processor.replaceAll(/\((R|TM)\)|CPU /g, '').trim(),
        `${date.slice(0, 10)}, ${commit}`,
        `${seconds} s`,
      ],
    ),
  )
}

const describeServer = (
  facts: Readonly<Record<string, string>> | undefined,
  setting: string,
): string => (facts ? `${facts['version']}, ${setting} ${facts[setting]}` : '')

function formatFigure(figure: Figure): string {
  if ('value' in figure) return inUnit(figure.value, figure)
  const { median, min, max } = figure
  if (min === max) return inUnit(median, figure)
  return `${inUnit(median, figure)} (${number(min, figure)} to ${number(max, figure)})`
}

const inUnit = (value: number, figure: Figure): string => number(value, figure) + units[figure.unit]

const units: Readonly<Record<Figure['unit'], string>> = {
  '/s': '/s',
  ms: ' ms',
  µs: ' µs',
  MiB: ' MiB',
  count: '',
  ratio: '×',
  share: ' %',
}

function number(value: number, { unit }: Figure): string {
  if (unit === 'share') return (value * 100).toFixed(1)
  if (unit === 'ratio') return value.toFixed(2)
  return count(Number(value >= 100 ? value.toFixed(0) : value.toPrecision(3)))
}

const count = (value: number): string => value.toLocaleString('en-US')

function labelOf(run: string, key: string): string {
  const benchmark = run.replace(/-postgres-\d+$/, '')
  return labels[`${benchmark}.${key}`] ?? labels[key] ?? humanize(key)
}

const humanize = (key: string): string =>
  `${key[0]!.toUpperCase()}${key.slice(1)}`
    .replaceAll(/[._]/g, ' ')
    .replace(/^P(?=\d\d)/, 'p')
    .replace('Sql', 'SQL')

/** What the names of rows and columns do not say themselves. */
const labels: Readonly<Record<string, string>> = {
  'auth.bare_express': 'Express 5',
  'auth.no_credentials': 'The API, without credentials',
  'auth.warm_key': 'Through the gate',
  'auth.ratio': 'Relative to Express',
  'auth.user_cpu': 'Outside the kernel',
  'deliver.bare': 'BullMQ and got',
  'deliver.bare_at_100': 'BullMQ and got, 100/s',
  'deliver.bare_at_300': 'BullMQ and got, 300/s',
  'deliver.ratio': 'Delivered, relative to BullMQ and got',
  'singles.bare': 'Express, BullMQ and got',
  'singles.bare_at_100': 'Express, BullMQ and got, 100/s',
  'singles.bare_at_300': 'Express, BullMQ and got, 300/s',
  'singles.ratio': 'Delivered, relative to Express, BullMQ and got',
  'beside.ratio': 'Ratio',
  'backlog.full': 'A million wait',
  'backlog.publish_ratio': 'Published, relative to empty',
  'backlog.delivery_ratio': 'Delivered, relative to empty',
  'account-filters.without': 'The statement without filters',
  'account-filters.unfiltered': 'As it is, endpoints without a filter',
  'account-filters.filtered': 'As it is, endpoints with 100 accounts',
  'account-filters.ratio': 'Relative to the statement without filters',
  'fairness.healthy': 'The healthy organization',
  'throttle.free': 'The organization without a limit',
  'silent-names.innocent': 'The other organizations',
  'quiet.cpu': 'Processor time',
  'reads.p95_quiet': 'p95, no other load',
  'reads.p95': 'p95, beside',
  'reads.flood': 'Requests of the other',
  api: 'API',
  baseline: 'No other load',
  here: 'Now',
  there: '2b41b781',
  full: 'The service',
  full_at_100: 'The service, 100/s',
  full_at_300: 'The service, 300/s',
  not_200: 'Statuses other than 200',
  p50: 'p50',
  p95: 'p95',
  p99: 'p99',
  cpu: 'CPU per request',
  cpu_api: 'CPU: API',
  cpu_worker: 'CPU: worker',
  cpu_postgres: 'CPU: PostgreSQL',
  cpu_redis: 'CPU: Redis',
  walBytes: 'Write-ahead log, in bytes',
  memoryMiB: 'Memory of API and worker',
  deliveredPerSecond: 'Delivered',
}
