import type { KeyRecord } from '../../../api/schemas/api-key.ts'
import { listKeysRoute } from '../../../api/routes/api-keys.ts'
import { readFiltered } from '../../filtered.ts'
import { page } from '../../page.ts'
import { Filters, type Filter } from '../../view/filters.tsx'
import { Icon } from '../../view/icon.tsx'
import { usePage } from '../../view/context.ts'
import { Badge, EmptyState, LinkButton } from '../../view/components.tsx'
import { List, RowLink } from '../../view/list.tsx'
import { ListPage } from '../../view/list-page.tsx'
import { Live, LiveRows, pageUpdateMs } from '../../view/live.tsx'
import { KeyStatusLabel } from '../../view/status.tsx'
import { Ago } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { KeyOwner, ownerFilter } from './owner.tsx'
import { isWide } from './violations.tsx'

export const keysPage = page({
  path: '/keys',
  access: 'apikeys.read',
  async show(pageRequest) {
    const { call, query } = pageRequest
    const { q, kind, status, wide_ip_allowlist, cursor } = query
    const ofStatus =
      status === undefined ? { revoked: 'false' } : status === 'all' ? {} : { status }
    const { list, errors } = await readFiltered({ fields: filters, values: query }, () =>
      call(listKeysRoute, { query: { q, kind, wide_ip_allowlist, cursor, ...ofStatus } }),
    )
    const isFiltered = filters.some(({ name }) => query[name] !== undefined)
    return {
      title: 'API keys',
      updateMs: list && pageUpdateMs,
      status: list ? 200 : 422,
      body: (
        <ListPage
          title="API keys"
          actions={<NewKey />}
          filters={
            <Filters
              clear="/keys"
              values={query}
              search={searchFilter}
              fields={choices}
              errors={errors}
            />
          }
          about={
            <>
              Programs authenticate to the API with a key. Create one key per program, with only the
              scopes that it needs.
              {query['status'] === undefined && (
                <>
                  {' '}
                  Revoked keys are hidden: <a href="/keys?status=all">show all keys</a>.
                </>
              )}
            </>
          }
          isInvalid={list === undefined}
          pager={{ next: list?.next_cursor ?? null, url: urlOf('/keys', query) }}
        >
          <Live id="keys">
            {list && list.items.length > 0 ? (
              <LiveRows one="key" many="keys">
                <KeyTable keys={list.items} />
              </LiveRows>
            ) : (
              <NoKeys isFiltered={isFiltered} hasMore={list?.next_cursor != null} />
            )}
          </Live>
        </ListPage>
      ),
    }
  },
})

const statuses = [
  { value: '', label: 'Not revoked' },
  { value: 'active', label: 'Active' },
  { value: 'disabled', label: 'Disabled' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
  { value: 'all', label: 'All' },
]

const searchFilter: Filter = {
  name: 'q',
  label: 'Name contains',
  type: 'search',
  placeholder: 'Name contains',
}

/** Revoked keys are only shown on request. */
const choices: readonly Filter[] = [
  { name: 'status', label: 'Status', choices: statuses },
  ownerFilter,
  {
    name: 'wide_ip_allowlist',
    label: 'IP allowlist',
    choices: [
      { value: '', label: 'Any' },
      { value: 'true', label: 'Wide' },
    ],
  },
]

const filters = [searchFilter, ...choices]

function NewKey() {
  return usePage().may('apikeys.create') ? (
    <LinkButton to="/keys/new" variant="primary">
      <Icon name="plus" />
      Create key
    </LinkButton>
  ) : null
}

const KeyTable = ({ keys }: { keys: readonly KeyRecord[] }) => (
  <List
    caption="API keys, newest first"
    variant="keys"
    rows={keys}
    keyOf={({ id }) => id}
    rowId={({ id }) => `key-${id}`}
    columns={[
      {
        name: 'Name',
        show: (key) => (
          <>
            <RowLink to={`/keys/${key.id}`}>
              <bdi>{key.name}</bdi>
            </RowLink>
            <span class="under mono wide">{key.id}</span>
            {isWide(key) && <Badge tone="warn">Wide IP allowlist</Badge>}
          </>
        ),
      },
      { name: 'Status', place: 'aside', show: ({ status }) => <KeyStatusLabel status={status} /> },
      {
        name: 'Owner',
        place: 'below',
        show: (key) => (
          <>
            <span>
              <KeyOwner record={key} />
            </span>
            {key.expires_at && (
              <span class="under narrow-only">
                expires <Ago at={key.expires_at} />
              </span>
            )}
          </>
        ),
      },
      { name: 'Scopes', show: ({ scopes }) => <ScopeSummary scopes={scopes} /> },
      {
        name: 'Last used',
        numeric: true,
        place: 'end',
        named: true,
        show: (key) => <Ago at={key.last_used_at} />,
      },
      { name: 'Expires', numeric: true, show: (key) => <Ago at={key.expires_at} /> },
      {
        name: 'Requests today',
        numeric: true,
        show: (key) => key.requests_today.toLocaleString('en'),
      },
    ]}
  />
)

/** The first scopes of a key, and how many there are besides. */
const ScopeSummary = ({ scopes }: { scopes: readonly string[] }) => (
  <span class="scopes" title={scopes.join(', ')}>
    <code>{scopes[0]}</code>
    {scopes.length > 1 && <span class="under">and {scopes.length - 1} more</span>}
  </span>
)

/** An empty list. A page examines a limited number of keys, so later pages may still have matches. */
function NoKeys({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }) {
  const { command } = usePage().brand
  if (hasMore) {
    return (
      <EmptyState icon="search" title="No matches so far">
        None of the keys that were examined match. Select “Older” to search earlier ones.
      </EmptyState>
    )
  }
  return isFiltered ? (
    <EmptyState icon="search" title="No matching keys">
      Change the filters, or clear them to see all keys.
    </EmptyState>
  ) : (
    <EmptyState icon="key" title="No keys yet" action={<NewKey />}>
      A key lets a program do what your role and the key’s scopes permit. Its token is shown once.
      You can rotate or revoke the key here at any time. <code>{command} login</code> creates a key
      for the command line: <a href="/docs/cli#install">install {command}</a>.
    </EmptyState>
  )
}
