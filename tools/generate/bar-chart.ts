/** Grouped bars on a common axis from zero. */
export interface BarChart {
  readonly title: string
  /** A text alternative of the chart. */
  readonly description: string
  /** The names of a group's bars, in order. A single bar has no legend. */
  readonly series: readonly string[]
  readonly groups: readonly { readonly label: string; readonly bars: readonly Bar[] }[]
  /** Formats a value of the axis, with its unit. */
  readonly toText: (value: number) => string
}

/** A value with its label, and optionally the range around it. */
export interface Bar {
  readonly value: number
  readonly range?: { readonly min: number; readonly max: number }
  readonly text: string
}

const width = 760
/** The left and right edges of the bars: names are to the left, values to the right. */
const plot = { left: 240, right: 600 }
const barHeight = 18
const barGap = 4
const groupGap = 14

/**
 * Draws a chart as SVG, readable in light and dark mode: it has its own background. GitHub shows it as an image,
 * so it has no script, no font and no external resources.
 */
export function barChart({ title, description, series, groups, toText }: BarChart): string {
  const top = series.length > 1 ? 72 : 48
  const bars = groups.flatMap((group) => group.bars)
  const ticks = ticksUpTo(Math.max(...bars.map(({ value, range }) => range?.max ?? value)) || 1)
  const toX = (value: number): number =>
    round(plot.left + (value / ticks.at(-1)!) * (plot.right - plot.left))
  const groupHeight = series.length * (barHeight + barGap) - barGap
  const bottom = top + groups.length * (groupHeight + groupGap)
  const height = bottom + 34
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">${escape(title)}</title>
<desc id="description">${escape(description)}</desc>
${style}
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
<text class="title" x="16" y="28">${escape(title)}</text>
${legend(series)}${ticks
    .map(
      (
        tick,
      ) => `<line class="grid" x1="${toX(tick)}" x2="${toX(tick)}" y1="${top - 6}" y2="${bottom - 6}"/>
<text class="tick" x="${toX(tick)}" y="${bottom + 12}">${escape(toText(tick))}</text>
`,
    )
    .join('')}${groups
    .map(({ label, bars: own }, index) => {
      const y = top + index * (groupHeight + groupGap)
      return `<text class="label" x="${plot.left - 10}" y="${y + groupHeight / 2 + 4}">${escape(label)}</text>
${own.map((bar, place) => drawBar(bar, { toX, place, y: y + place * (barHeight + barGap) })).join('')}`
    })
    .join('')}</svg>
`
}

/** The style of every chart; the second set of colors is for dark mode. */
const style = `<style>
text { font: 13px system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #1f2328 }
.value { paint-order: stroke; stroke: #ffffff; stroke-width: 4px }
.title { font-size: 15px; font-weight: 600 }
.label { text-anchor: end }
.tick { font-size: 11px; text-anchor: middle; fill: #59636e }
.page { fill: #ffffff; stroke: #d1d9e0 }
.grid { stroke: #d1d9e0 }
.range { stroke: #1f2328 }
.bar0 { fill: #54aeff }
.bar1 { fill: #c297ff }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.value { stroke: #0d1117 }
.tick { fill: #9198a1 }
.page { fill: #0d1117; stroke: #3d444d }
.grid { stroke: #3d444d }
.range { stroke: #f0f6fc }
.bar0 { fill: #1f6feb }
.bar1 { fill: #8957e5 }
}
</style>`

const legend = (series: readonly string[]): string =>
  series.length < 2
    ? ''
    : series
        .map((name, index) => {
          const x = plot.left + index * 170
          return `<rect class="bar${index}" x="${x}" y="42" width="12" height="12"/>
<text x="${x + 18}" y="53">${escape(name)}</text>
`
        })
        .join('')

function drawBar(
  { value, range, text }: Bar,
  { toX, place, y }: { toX: (value: number) => number; place: number; y: number },
): string {
  const middle = y + barHeight / 2
  const rangeLine =
    range &&
    `<path class="range" d="M${toX(range.min)} ${middle}H${toX(range.max)}M${toX(range.min)} ${middle - 4}v8M${toX(range.max)} ${middle - 4}v8"/>
`
  return `<rect class="bar${place}" x="${plot.left}" y="${y}" width="${round(toX(value) - plot.left)}" height="${barHeight}"/>
${rangeLine ?? ''}<text class="value" x="${toX(range?.max ?? value) + 8}" y="${middle + 4}">${escape(text)}</text>
`
}

/** About four round values from zero to at least the highest value. */
function ticksUpTo(highest: number): number[] {
  const rough = highest / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough)! * power
  const count = Math.max(1, Math.ceil(highest / step - 1e-9))
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

const round = (value: number): number => Math.round(value * 100) / 100

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escape = (text: string): string => text.replaceAll(/[&<>]/g, (sign) => entities[sign]!)
