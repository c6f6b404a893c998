import { listAuditChoices, type AuditChoices } from '@hosting/postgres/audit'
import { listAuditEventsRoute } from '../../../api/routes/audit-log.ts'
import { readFiltered } from '../../filtered.ts'
import { page } from '../../page.ts'
import { ExportLinks } from '../../view/export-links.tsx'
import { Filters, type Filter } from '../../view/filters.tsx'
import { EmptyState } from '../../view/components.tsx'
import { ListPage } from '../../view/list-page.tsx'
import { Zone } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { toUtcMoment } from '../../view/utc-moment.ts'
import { readAuditNames } from './names.ts'
import { actionName } from './sentences.tsx'
import { AuditTable } from './table.tsx'

export const auditPage = page({
  path: '/audit',
  access: 'audit.read',
  async show({ call, caller, query, services: { database } }) {
    const { cursor } = query
    const fields = filtersOf(await listAuditChoices(database, caller.tenant.id), query)
    const { list, errors } = await readFiltered({ fields, values: query }, () => {
      const [since, until] = [toUtcMoment(query['since']), toUtcMoment(query['until'])]
      const { action, key_id, actor_id, target_type, target_id, outcome, ip, q } = query
      const others = {
        action,
        key_id,
        actor_id,
        target_type,
        target_id,
        ip,
        q,
        since,
        until,
        cursor,
      }
      const filters = { ...others, outcome: outcome as 'success' | 'refused' | undefined }
      return call(listAuditEventsRoute, { query: filters })
    })
    const items = list?.items ?? []
    const names = await readAuditNames(database, caller, items)
    const isFiltered = fields.some(({ name }) => query[name] !== undefined)
    return {
      title: 'Audit log',
      status: list ? 200 : 422,
      body: (
        <ListPage
          title="Audit log"
          filters={<Filters clear="/audit" values={query} fields={fields} errors={errors} />}
          about={
            <>
              Changes and refused requests in your organization. Entries are append-only, and each
              is chained to the previous one by a hash. Times are in <Zone />.{' '}
              {list && <ExportLinks path="/audit-log" fields={fields} query={query} />}
            </>
          }
          isInvalid={list === undefined}
          pager={{ next: list?.next_cursor ?? null, url: urlOf('/audit', query) }}
        >
          {items.length > 0 ? (
            <AuditTable events={items} names={names} />
          ) : (
            <NoEntries isFiltered={isFiltered} hasMore={list?.next_cursor != null} />
          )}
        </ListPage>
      ),
    }
  },
})

/** The filters. A value in the URL that no entry has is still a choice, so that it stays chosen. */
function filtersOf(
  { actions, actors }: AuditChoices,
  { action, actor_id }: Readonly<Record<string, string>>,
): readonly Filter[] {
  const isShared = (name: string | null) => actors.filter((each) => each.name === name).length > 1
  const people = actors.map(({ id, name, email }) => ({
    value: id,
    label: isShared(name) && email !== null ? `${name} (${email})` : (name ?? id),
  }))
  return [
    {
      name: 'action',
      label: 'Action',
      choices: [
        { value: '', label: 'Any action' },
        ...[...new Set([...actions, ...(action === undefined ? [] : [action])])].map((value) => ({
          value,
          label: actionName(value),
        })),
      ],
    },
    {
      name: 'actor_id',
      label: 'Person',
      choices: [
        { value: '', label: 'Anyone' },
        ...people,
        ...(actor_id === undefined || people.some(({ value }) => value === actor_id)
          ? []
          : [{ value: actor_id, label: actor_id }]),
      ],
    },
    { name: 'key_id', label: 'Key ID', noun: 'a key ID (12 letters and digits)' },
    {
      name: 'outcome',
      label: 'Outcome',
      choices: [
        { value: '', label: 'Any outcome' },
        { value: 'success', label: 'Success' },
        { value: 'refused', label: 'Refused' },
      ],
    },
    { name: 'q', label: 'Name' },
    { name: 'ip', label: 'Address', noun: 'an IP address' },
    {
      name: 'target_type',
      label: 'Target',
      choices: [{ value: '', label: 'Any target' }, ...targetTypes],
    },
    { name: 'target_id', label: 'Target ID' },
    { name: 'since', label: 'From', type: 'datetime-local' },
    { name: 'until', label: 'Before', type: 'datetime-local' },
  ]
}

/** The types of targets. */
const targetTypes = [
  { value: 'api_key', label: 'API key' },
  { value: 'webhook', label: 'Endpoint' },
  { value: 'delivery', label: 'Delivery' },
  { value: 'user', label: 'User' },
  { value: 'session', label: 'Session' },
  { value: 'device_request', label: 'Device login' },
  { value: 'account', label: 'Account' },
  { value: 'tenant', label: 'Organization' },
]

/** An empty list. A page examines a limited number of entries, so later pages may still have matches. */
const NoEntries = ({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }) =>
  hasMore ? (
    <EmptyState icon="search" title="No matches so far">
      None of the entries that were examined match. Select “Older” to search earlier ones.
    </EmptyState>
  ) : (
    <EmptyState icon="audit" title={isFiltered ? 'No matching entries' : 'No entries yet'}>
      {isFiltered
        ? 'Change or clear the filters.'
        : 'Changes to keys, webhooks, passwords and sessions appear here.'}
    </EmptyState>
  )
