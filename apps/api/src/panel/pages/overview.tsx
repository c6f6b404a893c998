import {
  type ChartStats,
  readExpiringKeys,
  readMostUsedKeys,
  readTraffic,
} from '../../api/for-pages.ts'
import type { EndpointRecord } from '../../api/schemas/endpoint.ts'
import { grantsOf } from '../grants-of.ts'
import { page } from '../page.ts'
import { AttemptCharts, statsWindowOf, TimeRangeLinks } from '../view/attempts.tsx'
import { Card, EmptyState, PageHeader } from '../view/components.tsx'
import { Live, pageUpdateMs } from '../view/live.tsx'
import { Ranking } from '../view/ranking.tsx'
import { waitingText } from '../view/waiting.ts'
import { Attention } from './attention.tsx'
import { GetStarted, readFirstSteps } from './get-started.tsx'

export const overviewPage = page({
  path: '/',
  access: 'session',
  async show(pageRequest) {
    const { caller, services, query } = pageRequest
    const window = statsWindowOf(query['window'])
    const [keys, expiring, traffic] = await Promise.all([
      readMostUsedKeys(services, caller),
      readExpiringKeys(services, caller),
      grantsOf(caller)('webhooks.read') ? readTraffic(services, caller, window) : undefined,
    ])
    const steps = await readFirstSteps(pageRequest, traffic?.endpoints ?? [])
    const showsTraffic =
      traffic && (traffic.endpoints.length > 0 || hasAttempts(traffic.stats.buckets))
    return {
      title: 'Overview',
      updateMs: pageUpdateMs,
      body: (
        <>
          <PageHeader title={`Hello, ${caller.user.name}`}>
            Activity in {caller.tenant.name}.
          </PageHeader>
          <Live id="overview" className="sections">
            {showsTraffic && (
              <>
                <Numbers {...traffic} />
                <AttemptCharts
                  stats={traffic.stats}
                  deliveries="/deliveries"
                  aside={<TimeRangeLinks path="/" current={window} />}
                />
              </>
            )}
            {(showsTraffic || expiring.total > 0) && (
              <Attention issues={traffic?.issues ?? []} expiring={expiring} />
            )}
            <div class="grid">
              <GetStarted steps={steps} />
              <MostUsed keys={keys} />
            </div>
          </Live>
        </>
      ),
    }
  },
})

const hasAttempts = (buckets: ChartStats['buckets']): boolean =>
  sumOf(buckets, ({ succeeded, failed }) => succeeded + failed) > 0

const sumOf = (
  buckets: ChartStats['buckets'],
  count: (bucket: ChartStats['buckets'][number]) => number,
): number => buckets.reduce((sum, bucket) => sum + count(bucket), 0)

const spans = { '1h': 'last hour', '24h': 'last 24 hours', '7d': 'last 7 days' } as const

function Numbers({
  stats: { window, buckets },
  endpoints,
}: {
  stats: ChartStats
  endpoints: readonly EndpointRecord[]
}) {
  const [ok, bad] = [sumOf(buckets, (b) => b.succeeded), sumOf(buckets, (b) => b.failed)]
  const waiting = waitingText(...endpoints.map((endpoint) => endpoint.waiting_deliveries))
  const rate = ok + bad === 0 ? '–' : formatPercent(ok / (ok + bad))
  return (
    <div class="tiles">
      <Tile name="Delivered attempts" value={ok.toLocaleString('en')} note={spans[window]} />
      <Tile name="Failed attempts" value={bad.toLocaleString('en')} note={spans[window]} />
      <Tile name="Success rate" value={rate} note="of all attempts" />
      <Tile name="Waiting" value={waiting} note="to be sent" />
    </div>
  )
}

/** A share as a percentage with at most one decimal. Only a share of 1 is shown as 100%. */
const formatPercent = (share: number): string =>
  share === 1 ? '100%' : `${Math.min(Math.round(share * 1_000) / 10, 99.9)}%`

const Tile = ({ name, value, note }: { name: string; value: string; note: string }) => (
  <dl class="card tile">
    <dt>{name}</dt>
    <dd>{value}</dd>
    <dd class="tile-note">{note}</dd>
  </dl>
)

const MostUsed = ({
  keys,
}: {
  keys: readonly { id: string; name: string; requests: number }[]
}) => (
  <Card title="Requests by key" hint="Last 7 days, most used keys first.">
    {keys.length > 0 ? (
      <Ranking
        items={keys.map(({ id, name, requests }) => ({
          key: id,
          value: requests,
          name: (
            <a class="standalone" href={`/keys/${id}`}>
              <bdi>{name}</bdi>
            </a>
          ),
        }))}
      />
    ) : (
      <EmptyState icon="key" title="No requests yet">
        Once a program calls the API with a key, its number of requests appears here.
      </EmptyState>
    )}
  </Card>
)
