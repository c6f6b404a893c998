import { isVisibleText, visibleTextMessage } from '@hosting/core/text'
import {
  savedFilterNameLengthMax,
  savedFilterQueryLengthMax,
  savedFiltersMax,
} from '@hosting/core/lists'
import { Problem } from '@hosting/core/problems'
import {
  deleteSavedFilter,
  listSavedFilters,
  saveFilter,
  type PersonalList,
  type SavedFilter,
} from '../../api/for-pages.ts'
import { personIdOf } from '../../api/access/caller.ts'
import type { Redirect, SignedInRequest } from '../page.ts'
import { usePage } from '../view/context.ts'
import { TextField } from '../view/fields.tsx'
import { Form, Submit } from '../view/form.tsx'
import { Icon } from '../view/icon.tsx'
import { urlOf } from '../view/url.ts'

/** A list whose filters people save under a name. */
interface FilteredList {
  /** Its path, such as `/deliveries`. */
  readonly path: string
  /** The names of its filters. Those of time are not saved: they name moments that pass. */
  readonly names: readonly string[]
}

type Filters = Readonly<Record<string, string>>

/** What a saved filter of a list is about: all filters that are set, without times. */
function queryOf({ names }: FilteredList, filters: Filters): string {
  const saved = names.flatMap((name) => {
    const value = filters[name]?.trim() ?? ''
    return value === '' || name === 'since' || name === 'until' ? [] : [[name, value]]
  })
  return new URLSearchParams(saved).toString()
}

/** The filters belong to the person who signed in, also while they impersonate someone. */
const listOf = (
  { path }: FilteredList,
  { caller }: Pick<SignedInRequest, 'caller'>,
): PersonalList => ({ userId: personIdOf(caller), list: path })

/** Reads what {@link SavedFilters} shows. */
export const readSavedFilters = (
  list: FilteredList,
  pageRequest: Pick<SignedInRequest, 'caller' | 'services'>,
): Promise<SavedFilter[]> =>
  listSavedFilters(pageRequest.services.database, listOf(list, pageRequest))

/** The actions of {@link SavedFilters}. Both return to the list as it was. */
export const savedFilterActions = (list: FilteredList) => ({
  async 'save-filter'(pageRequest: SignedInRequest): Promise<Redirect> {
    const { services, form, query } = pageRequest
    const filter = { name: readName(form.text('name')), query: queryOf(list, query) }
    if (filter.query === '') throw refusal('needs a filter that is not a time')
    if (filter.query.length > savedFilterQueryLengthMax) throw refusal('is for too long filters')
    const personal = { ...filter, ...listOf(list, pageRequest) }
    if (!(await saveFilter(services.database, personal, savedFiltersMax))) {
      throw refusal(`You have saved ${savedFiltersMax} filters for this list. Delete one first.`)
    }
    return { to: urlOf(list.path, query), message: 'filter_saved' }
  },
  async 'delete-filter'(pageRequest: SignedInRequest): Promise<Redirect> {
    const { services, form, query } = pageRequest
    const id = form.text('filter_id') ?? ''
    await deleteSavedFilter(services.database, { id, ...listOf(list, pageRequest) })
    return { to: urlOf(list.path, query), message: 'filter_deleted' }
  },
})

const refusal = (message: string): Problem =>
  new Problem('validation_failed', { errors: [{ pointer: '/name', message }] })

function readName(name: string | undefined): string {
  if (name === undefined) throw refusal('is required')
  if (name.length > savedFilterNameLengthMax) {
    throw refusal(`must have at most ${savedFilterNameLengthMax} characters`)
  }
  if (!isVisibleText(name)) throw refusal(visibleTextMessage)
  return name
}

/** A menu with the filters that the person saved for a list, and a form that saves those that are set. */
export function SavedFilters({
  list,
  saved,
  query,
}: {
  list: FilteredList
  saved: readonly SavedFilter[]
  /** The filters that are set. */
  query: Filters
}) {
  const { refused } = usePage()
  const isRefused = refused?.action === 'save-filter'
  const set = queryOf(list, query)
  const current = saved.find((filter) => filter.query === set)
  if (saved.length === 0 && set === '' && !isRefused) return null
  return (
    <details class="filter-menu" open={isRefused}>
      <summary class="button">
        <Icon name="bookmark" size={15} />
        {current ? <bdi>{current.name}</bdi> : 'Saved'}
      </summary>
      <div class="filter-fields saved-filters">
        {saved.length > 0 && (
          <ul aria-label="Saved filters">
            {saved.map((filter) => (
              <li key={filter.id}>
                <a
                  href={`${list.path}?${filter.query}`}
                  aria-current={filter === current ? 'true' : undefined}
                >
                  <bdi>{filter.name}</bdi>
                </a>
                <DeleteFilter {...filter} />
              </li>
            ))}
          </ul>
        )}
        {isRefused || (set !== '' && !current) ? (
          <Form action="save-filter" plain>
            <TextField
              name="name"
              label="Save these filters as"
              hint="Only you see them. Times are not saved."
              maxlength={savedFilterNameLengthMax}
              autocomplete="off"
            />
            <Submit>Save</Submit>
          </Form>
        ) : (
          set === '' && <p class="hint">Set filters to save them under a name.</p>
        )}
      </div>
    </details>
  )
}

const DeleteFilter = ({ id, name }: SavedFilter) => (
  <Form action="delete-filter" plain>
    <input type="hidden" name="filter_id" value={id} />
    <button type="submit" class="button plain small" title="Delete">
      <Icon name="close" size={14} />
      <span class="visually-hidden">Delete {name}</span>
    </button>
  </Form>
)
