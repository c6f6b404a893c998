import { keyUsesKeptDays, type UseSpan } from '@hosting/core/api-keys'
import { dayMs } from '@hosting/core/clock'
import { getKeyRoute } from '../../../api/routes/api-keys.ts'
import { keyUsesRoute, type KeyUseRecord } from '../../../api/routes/api-key-uses.ts'
import { page } from '../../page.ts'
import { Badge, Card, EmptyState, LinkButton } from '../../view/components.tsx'
import { List } from '../../view/list.tsx'
import { ListPage } from '../../view/list-page.tsx'
import { Live, pageUpdateMs } from '../../view/live.tsx'
import { Time, Zone } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { keyCrumbs } from './key-header.tsx'

/** The number of uses on the page of a key. The page of uses has all. */
export const usesShown = '8'

/** The ranges of the page of uses, by the value of `range` in its URL. */
const ranges = {
  day: { name: '24 hours', days: 1, by: 'hour' },
  week: { name: '7 days', days: keyUsesKeptDays, by: 'day' },
} as const

type RangeName = keyof typeof ranges

const isRange = (name: string | undefined): name is RangeName =>
  name !== undefined && Object.hasOwn(ranges, name)

export const keyUsesPage = page({
  path: '/keys/:id/uses',
  access: 'apikeys.read',
  async show({ call, params, query, now }) {
    const { key } = await call(getKeyRoute, { params: { id: params.id } })
    const range = isRange(query['range']) ? query['range'] : 'day'
    const { days, by } = ranges[range]
    const since = new Date(now.getTime() - days * dayMs).toISOString()
    const list = await call(keyUsesRoute, {
      params: { id: params.id },
      query: { since, by, cursor: query['cursor'] },
    })
    const path = `/keys/${key.id}/uses`
    return {
      title: `Uses of ${key.name}`,
      updateMs: pageUpdateMs,
      body: (
        <ListPage
          title="Uses"
          crumbs={keyCrumbs(key)}
          filters={<RangeTabs path={path} range={range} />}
          about={
            <>
              {by === 'day' ? (
                'By day in UTC.'
              ) : (
                <>
                  By hour, in <Zone />.
                </>
              )}{' '}
              Uses are kept for {keyUsesKeptDays} days.
            </>
          }
          pager={{ next: list.next_cursor, url: urlOf(path, query) }}
        >
          <Live id="uses">
            {list.items.length === 0 ? (
              <EmptyState icon="key" title="No requests">
                Requests with the key appear here within 10 seconds.
              </EmptyState>
            ) : (
              <UsesList uses={list.items} by={by} />
            )}
          </Live>
        </ListPage>
      ),
    }
  },
})

const RangeTabs = ({ path, range }: { path: string; range: RangeName }) => (
  <nav class="tabs" aria-label="Time span">
    <ul>
      {Object.entries(ranges).map(([name, { name: label }]) => (
        <li key={name}>
          <a href={`${path}?range=${name}`} aria-current={name === range ? 'page' : undefined}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

/** The newest uses of a key, on its page. */
export const UsesCard = ({ keyId, uses }: { keyId: string; uses: readonly KeyUseRecord[] }) => (
  <Card
    title="Uses"
    hint="Last 24 hours by hour, operation, status, address and token."
    aside={
      <LinkButton to={`/keys/${keyId}/uses`} variant="small">
        All uses
      </LinkButton>
    }
    flush={uses.length > 0}
  >
    {uses.length === 0 ? (
      <p class="quiet">No requests in the last 24 hours.</p>
    ) : (
      <UsesList uses={uses} by="hour" />
    )}
  </Card>
)

const UsesList = ({ uses, by }: { uses: readonly KeyUseRecord[]; by: UseSpan }) => (
  <List
    caption="Uses, newest first"
    variant="uses"
    rows={uses}
    keyOf={({ start, operation, status, address, secret }) =>
      [start.toISOString(), operation, status, address, secret].join(' ')
    }
    columns={[
      { name: 'Operation', show: (use) => <Operation use={use} /> },
      { name: 'Status', place: 'aside', show: ({ status }) => <Status status={status} /> },
      {
        name: 'Address',
        place: 'below',
        show: ({ address, secret, start }) => (
          <>
            {address === null ? (
              <span class="quiet">Various</span>
            ) : (
              <span class="ip">{address}</span>
            )}
            <span class="under narrow-only">
              {secret === 'previous' && 'Old token, '}
              <Start at={start} by={by} />
            </span>
          </>
        ),
      },
      { name: 'Token', show: ({ secret }) => <Token secret={secret} /> },
      {
        name: by === 'hour' ? 'Hour' : 'Day',
        show: ({ start }) => <Start at={start} by={by} />,
      },
      {
        name: 'Requests',
        numeric: true,
        place: 'end',
        show: ({ requests }) => requests.toLocaleString('en'),
      },
    ]}
  />
)

/** Days are in UTC, whatever the zone of the page's times. */
const Start = ({ at, by }: { at: Date; by: UseSpan }) =>
  by === 'hour' ? <Time at={at} brief="minutes" /> : <>{at.toISOString().slice(0, 10)}</>

const Operation = ({ use: { operation, address } }: { use: KeyUseRecord }) => {
  if (operation === 'internal.authorize') return <>Another service of the platform</>
  if (operation !== null) return <span class="mono lead-text">{operation}</span>
  return <span class="quiet">{address === null ? 'Other requests' : 'No operation'}</span>
}

function Status({ status }: Pick<KeyUseRecord, 'status'>) {
  if (status === null) return <span class="quiet">Various</span>
  const tone = status < 400 ? 'ok' : status < 500 ? 'warn' : 'bad'
  return <Badge tone={tone}>{status}</Badge>
}

const Token = ({ secret }: Pick<KeyUseRecord, 'secret'>) =>
  secret === 'previous' ? (
    <Badge tone="warn">Old</Badge>
  ) : (
    <span class="quiet">{secret === null ? 'Various' : 'Current'}</span>
  )
