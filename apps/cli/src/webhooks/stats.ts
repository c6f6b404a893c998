import { endpointName } from '@hosting/core/webhooks'
import type { Client, ItemOf, ResponseOf } from '@hosting/sdk'
import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import { choice, endpointId } from '../options.ts'
import { optional, toLines, truncated, type Columns } from '../terminal/table.ts'
import { formatTime } from '../terminal/text.ts'

const bars = '▁▂▃▄▅▆▇█'

/** The most characters of a sparkline. */
const widthMax = 24

/** Counts over time as a line of bars. A time without any is a space. Several times may share a bar. */
function sparkline(counts: readonly number[]): string {
  const perBar = Math.max(1, Math.ceil(counts.length / widthMax))
  const sums = Array.from({ length: Math.ceil(counts.length / perBar) }, (_, index) =>
    counts.slice(index * perBar, (index + 1) * perBar).reduce((sum, count) => sum + count, 0),
  )
  const highest = Math.max(...sums)
  return sums
    .map((sum) => (sum === 0 ? ' ' : bars[Math.ceil((sum / highest) * bars.length) - 1]))
    .join('')
}

const windowOption = choice(['1h', '24h', '7d'], 'Time span (default 24h)')

type Window = '1h' | '24h' | '7d'
type Bucket = ResponseOf<'/webhooks/{id}/stats', 'get'>['buckets'][number]

const readStats = (client: Client, id: string, window: Window) =>
  client.GET('/webhooks/{id}/stats', { params: { path: { id }, query: { window } } })

/** The figures of the panel. */
interface Figures {
  readonly succeeded: number
  readonly failed: number
  readonly success_rate: number | null
}

function sumUp(buckets: readonly Bucket[]): Figures {
  const succeeded = buckets.reduce((sum, bucket) => sum + bucket.succeeded, 0)
  const failed = buckets.reduce((sum, bucket) => sum + bucket.failed, 0)
  const attempts = succeeded + failed
  return { succeeded, failed, success_rate: attempts === 0 ? null : succeeded / attempts }
}

const trendOf = (buckets: readonly Bucket[]): string =>
  sparkline(buckets.map(({ succeeded, failed }) => succeeded + failed))

/** A share as in the panel: only a share of 1 is 100%. */
const formatShare = (share: number | null): string | null =>
  share === null || share === 1
    ? share && '100%'
    : `${Math.min(Math.round(share * 1_000) / 10, 99.9)}%`

const bucketColumns: Columns<Bucket> = {
  from: ({ start }) => formatTime(start),
  delivered: ({ succeeded }) => succeeded,
  failed: ({ failed }) => failed,
  'p50 ms': optional(({ p50_ms }) => p50_ms),
  'p95 ms': optional(({ p95_ms }) => p95_ms),
}

export const endpointStats = command({
  path: 'webhooks stats',
  summary: 'Show the attempts of a webhook over time: how many, their result and duration',
  examples: ['hctl webhooks stats billing --window 7d'],
  arguments: { id: endpointId },
  options: { window: windowOption },
  async run({ output, ...context }, { id, window = '24h' }) {
    const client = await signedInClient({ output, ...context })
    const response = await readStats(client, id, window)
    const figures = sumUp(response.buckets)
    const busy = response.buckets.filter(({ succeeded, failed }) => succeeded + failed > 0)
    output.result({ ...response, ...figures }, [
      ...toLines({
        attempts: trendOf(response.buckets),
        'delivered attempts': figures.succeeded,
        'failed attempts': figures.failed,
        'success rate': formatShare(figures.success_rate),
      }),
      ...(busy.length > 0 ? ['', ...output.table(busy, bucketColumns)] : []),
    ])
  },
})

type Row = Figures &
  Pick<ItemOf<'/webhooks'>, 'id' | 'waiting_deliveries'> & {
    readonly name: string
    /** Attempts over time. */
    readonly trend: string
  }

const columns: Columns<Row> = {
  endpoint: truncated(({ name }) => name, 20),
  delivered: ({ succeeded }) => succeeded,
  failed: ({ failed }) => failed,
  'success rate': ({ success_rate }) => formatShare(success_rate),
  attempts: optional(({ trend }) => trend),
  waiting: optional(({ waiting_deliveries }) => waiting_deliveries),
}

export const stats = command({
  path: 'stats',
  summary: 'Show the attempts of every webhook in a time span',
  examples: ['hctl stats', 'hctl stats --window 1h'],
  options: { window: windowOption },
  async run(context, { window = '24h' }) {
    const client = await signedInClient(context)
    const items: Row[] = []
    for await (const endpoint of client.items('/webhooks', { params: { query: { limit: 100 } } })) {
      const { buckets } = await readStats(client, endpoint.id, window)
      const { id, waiting_deliveries } = endpoint
      const name = endpointName(endpoint)
      items.push({ id, name, ...sumUp(buckets), trend: trendOf(buckets), waiting_deliveries })
    }
    const { output } = context
    const figures = items.map(({ trend: _shown, ...others }) => others)
    output.result({ window, items: figures }, items.length > 0 ? output.table(items, columns) : [])
    if (items.length === 0) output.note('No webhooks.')
  },
})
