import type { Chart, Description, Section } from '../../bench/description.ts'
import { descriptions } from '../../bench/descriptions.ts'
import {
  readResults,
  type BenchmarkRun,
  type Figure,
  type Results,
  type Table,
} from '../../bench/results.ts'
import { root } from '../run.ts'
import { barChart, type Bar } from './bar-chart.ts'
import { figureText, middleOf, valueText } from './figure-text.ts'

/** docs/performance.md and its charts, generated from bench/results.json, by path. */
export const performanceFiles = (): Readonly<Record<string, () => string>> =>
  filesOf(descriptions, readResults(`${root}bench/results.json`))

/**
 * The page of some benchmarks, and a chart for each section that has one.
 *
 * @throws Error if no table contains a figure.
 */
export function filesOf(
  described: Readonly<Record<string, Description>>,
  results: Results,
): Readonly<Record<string, () => string>> {
  const charts: Record<string, () => string> = {}
  const parts = Object.entries(described).flatMap(([name, description]) => {
    const run = results[name]
    if (!run) return []
    requireShown(name, description, run)
    const sections = Object.entries(description.sections).flatMap(([key, section]) => {
      const table = run.figures[key]
      if (!table) return []
      const file = `performance/${name}-${key}.svg`
      if (section.chart) charts[`docs/${file}`] = () => toChart(section.chart!, section, table)
      return [sectionText(section, table, file)]
    })
    return [
      `## ${description.title}\n\n${description.text}\n\n${sections.join('\n')}\n${runText(name, run)}`,
    ]
  })
  const text = `${headOf(results)}\n${parts.join('\n')}\n${circumstancesText(results)}`
  return { 'docs/performance.md': () => text, ...charts }
}

const headOf = (results: Results): string => `# Performance

<!-- Made by \`npm run generate\` from bench/results.json and bench/descriptions.ts. -->

\`npm run bench\` measures this again, writes bench/results.json and makes this page of it; \`npm run bench -- auth\`
does so for one benchmark. All of them took ${minutesOf(results)} minutes. They need Linux, and nothing else should run on
the machine.

What stands before brackets is the median of the rounds; the brackets hold the lowest and the highest round,
in the charts a thin line. Where there are no brackets, there was one run. What is compared ran in turns, round
by round, and a ratio is the median of the rounds' ratios, which need not be the ratio of the medians.

What the figures do not say: load, servers, processes and receiver share one small machine, whose cores other
machines share too. The absolute figures are of that machine and vary from run to run, so read the ratios, and
compare none with those of another run. There is no network between the parts: over one, latencies rise and
the CPU times stay. How much several machines carry together is not measured.
`

const minutesOf = (results: Results): number =>
  Math.ceil(Object.values(results).reduce((sum, { seconds }) => sum + seconds, 0) / 60)

/** A figure in no table would be lost, and a misspelled name in a description would hide it. */
function requireShown(name: string, { sections }: Description, { figures }: BenchmarkRun): void {
  for (const [key, table] of Object.entries(figures)) {
    for (const [row, cells] of Object.entries(table)) {
      const lost = Object.keys(cells).filter(
        (column) => !sections[key]?.rows[row] || !sections[key].columns[column],
      )
      if (lost.length > 0)
        throw new Error(`No table shows ${name}, ${key}, ${row}: ${lost.join(', ')}`)
    }
  }
}

function sectionText(section: Section, table: Table, file: string): string {
  const rows = rowsOf(section, table)
  const columns = Object.entries(section.columns).filter(([column]) =>
    rows.some(({ cells }) => cells[column]),
  )
  const lines = [
    ['', ...columns.map(([, label]) => label)],
    ['---', ...columns.map(() => '--:')],
    ...rows.map(({ label, cells }) => [
      label,
      ...columns.map(([column]) => (cells[column] ? figureText(cells[column]) : '')),
    ]),
  ].map((cells) => `| ${cells.join(' | ')} |\n`)
  const text = section.text ? `${section.text}\n\n` : ''
  const chart = section.chart ? `\n![${describe(section.chart, section, table)}](${file})\n` : ''
  return `### ${section.title}\n\n${text}${lines.join('')}${chart}`
}

const rowsOf = ({ rows }: Section, table: Table) =>
  Object.entries(rows).flatMap(([row, label]) => (table[row] ? [{ label, cells: table[row] }] : []))

/** The labels of the bars. */
const barText = (chart: Chart, cells: Table[string], column: string): string => {
  const ratio = cells[chart.ratios?.[column] ?? '']
  const value = valueText(cells[column]!.unit, middleOf(cells[column]!))
  return ratio ? `${value}, ${valueText(ratio.unit, middleOf(ratio))}` : value
}

/** The text alternative of a chart. */
const describe = (chart: Chart, section: Section, table: Table): string =>
  `${chart.title}. ${rowsOf(section, table)
    .map(({ label, cells }) => {
      const values = chart.columns.map((column) =>
        chart.columns.length > 1
          ? `${section.columns[column]} ${barText(chart, cells, column)}`
          : barText(chart, cells, column),
      )
      return `${label}: ${values.join('; ')}.`
    })
    .join(' ')}`

function toChart(chart: Chart, section: Section, table: Table): string {
  const rows = rowsOf(section, table)
  const { unit } = rows[0]!.cells[chart.columns[0]!]!
  return barChart({
    title: chart.title,
    description: describe(chart, section, table),
    series: chart.columns.map((column) => section.columns[column]!),
    groups: rows.map(({ label, cells }) => ({
      label,
      bars: chart.columns.map((column) => toBar(cells[column]!, barText(chart, cells, column))),
    })),
    toText: (value) => valueText(unit, value),
  })
}

const toBar = (figure: Figure, text: string): Bar => ({
  value: middleOf(figure),
  text,
  ...('median' in figure && { range: { min: figure.min, max: figure.max } }),
})

function runText(name: string, { date, seconds, commit, settings, servers }: BenchmarkRun): string {
  const amounts = Object.entries(settings)
    .map(([setting, value]) => `${setting.replaceAll('_', ' ')} ${value.toLocaleString('en')}`)
    .join(', ')
  const used = Object.entries(servers).map(([server, { version, ...others }]) => {
    const values = Object.entries(others).map(([setting, value]) => `${setting} ${value}`)
    return ` ${server} ${[version, ...values].join(', ')}.`
  })
  return `\`npm run bench -- ${name}\`: ${amounts}.${used.join('')}
Measured ${date.slice(0, 10)} at commit ${commit}, in ${seconds.toLocaleString('en')} s.
`
}

/** Machine and versions: once if they are the same for all. */
function circumstancesText(results: Results): string {
  const byFacts = new Map<string, string[]>()
  for (const [name, { machine, versions }] of Object.entries(results)) {
    const { processor, cores, memory, system } = machine
    const packages = Object.entries(versions).map(([of, version]) => `${of} ${version}`)
    const facts = `${processor}, ${cores} cores, ${memory}; ${system}.\n${packages.join(', ')}.`
    byFacts.set(facts, [...(byFacts.get(facts) ?? []), name])
  }
  const paragraphs = [...byFacts].map(([facts, names]) =>
    byFacts.size > 1 ? `${names.join(', ')}: ${facts}\n` : `${facts}\n`,
  )
  return `## Machine and versions\n\n${paragraphs.join('\n')}`
}
