import { listAuditChoices } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { ExportLinks } from '../../view/export-links.tsx'
import { Filters } from '../../view/filters.tsx'
import { EmptyState } from '../../view/components.tsx'
import { ListPage } from '../../view/list-page.tsx'
import { Zone } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { readSavedFilters, savedFilterActions, SavedFilters } from '../saved-filters.tsx'
import { auditFiltersOf, readAuditEntries, savableAuditFilters } from './filters.ts'
import { readAuditNames } from './names.ts'
import { AuditTable } from './table.tsx'

export const auditPage = page({
  path: '/audit',
  access: 'audit.read',
  async show(pageRequest) {
    const { call, caller, query, services } = pageRequest
    const { database } = services
    const fields = auditFiltersOf(await listAuditChoices(database, caller.tenant.id), query)
    const { list, errors } = await readAuditEntries(call, query, fields)
    const items = list?.items ?? []
    const names = await readAuditNames(database, caller, items)
    const saved = await readSavedFilters(savableAuditFilters, pageRequest)
    const isFiltered = fields.some(({ name }) => query[name] !== undefined)
    return {
      title: 'Audit log',
      status: list ? 200 : 422,
      body: (
        <ListPage
          title="Audit log"
          filters={
            <Filters
              clear="/audit"
              values={query}
              fields={fields}
              errors={errors}
              saved={<SavedFilters list={savableAuditFilters} saved={saved} query={query} />}
            />
          }
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
  actions: savedFilterActions(savableAuditFilters),
})

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
