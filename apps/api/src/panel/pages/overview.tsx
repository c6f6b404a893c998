import { decideAccess } from '@hosting/core'
import type { StatsBucket } from '@hosting/postgres'
import type { ComponentChildren } from 'preact'
import { statsWindows, type StatsWindow } from '../../operations/attempt-stats.ts'
import { readMostUsedKeys, readTraffic } from '../../operations/overview.ts'
import type { WebhookRecord } from '../endpoints.ts'
import { page, type SignedInVisit } from '../page.ts'
import { AttemptCharts, Windows } from '../view/attempts.tsx'
import { usePage } from '../view/context.ts'
import { Icon, type IconName } from '../view/icon.tsx'
import { Alert, Card, Empty, Head } from '../view/parts.tsx'
import { Ranking } from '../view/ranking.tsx'
import { waitingText } from '../view/waiting.ts'
import { shortUrl } from './webhooks/crumbs.ts'

export const overviewPage = page({
  path: '/',
  access: 'session',
  async show({ caller, services, query }) {
    const window = windowOf(query['window'])
    const [keys, traffic] = await Promise.all([
      readMostUsedKeys(services, caller),
      seesWebhooks(caller) ? readTraffic(services, caller, window) : undefined,
    ])
    return {
      title: 'Overview',
      body: (
        <>
          <Head title={`Hello, ${caller.user.name}`}>
            What happens in {caller.tenant.name}, at a glance.
          </Head>
          {traffic && traffic.webhooks.length > 0 && (
            <>
              <Attention webhooks={traffic.webhooks} />
              <Numbers window={window} {...traffic} />
              <AttemptCharts
                window={window}
                buckets={traffic.buckets}
                aside={<Windows path="/" current={window} />}
              />
            </>
          )}
          <div class="grid">
            <MostUsed keys={keys} />
            <FirstSteps hasKeys={keys.length > 0} hasWebhooks={!!traffic?.webhooks.length} />
          </div>
        </>
      ),
    }
  },
})

const windowOf = (text: string | undefined): StatsWindow =>
  text !== undefined && Object.hasOwn(statsWindows, text) ? (text as StatsWindow) : '24h'

const seesWebhooks = ({ user }: SignedInVisit['caller']): boolean =>
  !decideAccess({ roles: user.roles, key: null }, 'webhooks.read', 'GET')

const sumOf = (buckets: readonly StatsBucket[], count: (bucket: StatsBucket) => number): number =>
  buckets.reduce((sum, bucket) => sum + count(bucket), 0)

/** What does not go as it should, and where to look. */
function Attention({ webhooks }: { webhooks: readonly WebhookRecord[] }) {
  const failing = webhooks.filter(
    ({ enabled, last_success_at: success, last_failure_at: failure }) =>
      enabled && failure && (!success || failure > success),
  )
  const waiting = webhooks.filter((webhook) => !webhook.enabled && webhook.waiting_deliveries > 0)
  return failing.length + waiting.length === 0 ? null : (
    <Alert tone="warn" title="This needs a look">
      <ul>
        {failing.map(({ id, url }) => (
          <li key={id}>
            The last attempt to reach <a href={`/webhooks/${id}`}>{shortUrl(url)}</a> failed.
          </li>
        ))}
        {waiting.map(({ id, url, waiting_deliveries: count }) => (
          <li key={id}>
            {waitingText(count)} deliveries wait for <a href={`/webhooks/${id}`}>{shortUrl(url)}</a>
            , which is disabled.
          </li>
        ))}
      </ul>
    </Alert>
  )
}

const spans = { '1h': 'last hour', '24h': 'last 24 hours', '7d': 'last 7 days' } as const

function Numbers({
  window,
  webhooks,
  buckets,
}: {
  window: StatsWindow
  webhooks: readonly WebhookRecord[]
  buckets: readonly StatsBucket[]
}) {
  const [ok, bad] = [sumOf(buckets, (b) => b.succeeded), sumOf(buckets, (b) => b.failed)]
  const waiting = waitingText(...webhooks.map((webhook) => webhook.waiting_deliveries))
  const rate = ok + bad === 0 ? '–' : `${((ok / (ok + bad)) * 100).toFixed(1)} %`
  return (
    <div class="tiles">
      <Tile name="Delivered" value={ok.toLocaleString('en')} note={spans[window]} />
      <Tile name="Failed attempts" value={bad.toLocaleString('en')} note={spans[window]} />
      <Tile name="Success" value={rate} note="of all attempts" />
      <Tile name="Waiting" value={waiting} note="to be sent" />
    </div>
  )
}

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
  <Card title="Requests by key" hint="The last 7 days, the most used keys first.">
    {keys.length > 0 ? (
      <Ranking
        items={keys.map(({ id, name, requests }) => ({
          key: id,
          value: requests,
          name: (
            <a href={`/keys/${id}`}>
              <bdi>{name}</bdi>
            </a>
          ),
        }))}
      />
    ) : (
      <Empty icon="key" title="No requests yet">
        As soon as a program calls the API with a key, you see here how much each one does.
      </Empty>
    )}
  </Card>
)

function FirstSteps({ hasKeys, hasWebhooks }: { hasKeys: boolean; hasWebhooks: boolean }) {
  const { may } = usePage()
  return (
    <Card title={hasKeys && hasWebhooks ? 'Shortcuts' : 'First steps'}>
      <ul class="steps">
        {may('apikeys.create') && (
          <Step icon="key" to="/keys/new" title="Create an API key">
            For a program of yours, with only the scopes that it needs.
          </Step>
        )}
        {may('webhooks.manage') && (
          <Step icon="webhook" to="/webhooks/new" title="Add a webhook endpoint">
            Hear of sites, backups and jobs as they happen.
          </Step>
        )}
        {may('apikeys.create') && (
          <Step icon="terminal" to="/device" title="Connect the command line">
            Run <code>hctl login</code>, and enter the code that it shows.
          </Step>
        )}
        <Step icon="shield" to="/security" title="Protect your account">
          Set up an authenticator, and look at where you are signed in.
        </Step>
      </ul>
      <p class="small quiet">
        Everything here is also in the <a href="/docs">API reference</a>.
      </p>
    </Card>
  )
}

const Step = ({
  icon,
  to,
  title,
  children,
}: {
  icon: IconName
  to: string
  title: string
  children: ComponentChildren
}) => (
  <li>
    <Icon name={icon} />
    <div>
      <a href={to}>{title}</a>
      <span class="under">{children}</span>
    </div>
  </li>
)
