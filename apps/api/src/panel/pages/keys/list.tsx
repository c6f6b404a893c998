import { Table } from '@hosting/html'
import type { KeyRecord } from '../../../records/api-key.ts'
import { listKeysRoute } from '../../../routes/api-keys.ts'
import { readFiltered } from '../../filtered.ts'
import { page } from '../../page.ts'
import { Filters, type Filter } from '../../view/filters.tsx'
import { Icon } from '../../view/icon.tsx'
import { usePage } from '../../view/context.ts'
import { Card, Chips, EmptyState, PageHeader, LinkButton } from '../../view/components.tsx'
import { Live, LiveRows, pageUpdateMs } from '../../view/live.tsx'
import { KeyStatusLabel } from '../../view/status.tsx'
import { Pager } from '../../view/pager.tsx'
import { Time } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'

export const keysPage = page({
  path: '/keys',
  access: 'apikeys.read',
  async show(pageRequest) {
    const { call, query } = pageRequest
    const { q, kind, status, cursor } = query
    const ofStatus =
      status === undefined ? { revoked: 'false' } : status === 'all' ? {} : { status }
    const { list, errors } = await readFiltered({ fields: filters, values: query }, () =>
      call(listKeysRoute, { query: { q, kind, cursor, ...ofStatus } }),
    )
    const isFiltered = filters.some(({ name }) => query[name] !== undefined)
    return {
      title: 'API keys',
      updateMs: list && pageUpdateMs,
      status: list ? 200 : 422,
      body: (
        <>
          <PageHeader title="API keys" actions={<NewKey />}>
            Programs authenticate to the API with a key. Create one key per program, with only the
            scopes that it needs.
          </PageHeader>
          <Card flush title="Keys">
            <Filters clear="/keys" values={query} fields={filters} errors={errors} />
            <Live id="keys">
              {list && list.items.length > 0 ? (
                <LiveRows one="key" many="keys">
                  <KeyTable keys={list.items} />
                </LiveRows>
              ) : (
                <NoKeys isFiltered={isFiltered} />
              )}
            </Live>
          </Card>
          <Live id="key-pages">
            <Pager next={list?.next_cursor ?? null} url={urlOf('/keys', query)} />
          </Live>
        </>
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

const kinds = [
  { value: '', label: 'Any kind' },
  { value: 'personal', label: 'Personal' },
  { value: 'organization', label: 'Organization' },
]

/** The filters of the list. Revoked keys are only shown on request. */
const filters: readonly Filter[] = [
  { name: 'q', label: 'Name contains' },
  { name: 'status', label: 'Status', choices: statuses },
  { name: 'kind', label: 'Kind', choices: kinds },
]

function NewKey() {
  return usePage().may('apikeys.create') ? (
    <LinkButton to="/keys/new" variant="primary">
      <Icon name="plus" />
      Create key
    </LinkButton>
  ) : null
}

const KeyTable = ({ keys }: { keys: readonly KeyRecord[] }) => (
  <Table
    caption="API keys, newest first"
    variant="keys"
    rows={keys}
    keyOf={({ id }) => id}
    rowId={({ id }) => `key-${id}`}
    columns={[
      {
        name: 'Name',
        show: ({ id, name, kind, user }) => (
          <>
            <a class="row-link" href={`/keys/${id}`}>
              <bdi>{name}</bdi>
            </a>
            <span class="under">
              {kind === 'personal' ? (
                <>
                  Personal · <bdi>{user.name}</bdi>
                </>
              ) : (
                'Organization'
              )}{' '}
              · <code>{id}</code>
            </span>
          </>
        ),
      },
      { name: 'Status', show: ({ status }) => <KeyStatusLabel status={status} /> },
      { name: 'Scopes', show: ({ scopes }) => <ScopeSummary scopes={scopes} /> },
      { name: 'Last used', show: (key) => <Time at={key.last_used_at} /> },
      { name: 'Expires', show: (key) => <Time at={key.expires_at} /> },
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
  <>
    <Chips items={scopes.slice(0, scopesShown)} />
    {scopes.length > scopesShown && (
      <span class="under">and {scopes.length - scopesShown} more</span>
    )}
  </>
)

const scopesShown = 3

const NoKeys = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState icon="search" title="No matching keys">
      Change the filters, or clear them to see all keys.
    </EmptyState>
  ) : (
    <EmptyState icon="key" title="No keys yet" action={<NewKey />}>
      A key lets a program do what your role and the key’s scopes permit. Its token is shown once.
      You can rotate or revoke the key here at any time. <code>hctl login</code> creates a key for
      the command line: <a href="/docs/cli#install">install hctl</a>.
    </EmptyState>
  )
