import type { ComponentChildren, VNode } from 'preact'
import { Card, EmptyState, PageHeader } from './components.tsx'
import { Live } from './live.tsx'
import { Pager } from './pager.tsx'

/** A page that is a list: its title, one line with filters and tools, the list, and what there is to know about it. */
export const ListPage = ({
  title,
  crumbs = [],
  actions,
  notes,
  filters,
  tools,
  about,
  pager,
  isInvalid = false,
  histogram,
  children,
}: {
  /** Its title, or a header with more than that. */
  title: string | VNode
  crumbs?: Parameters<typeof PageHeader>[0]['crumbs']
  actions?: ComponentChildren
  /** Results of actions, above the list. */
  notes?: ComponentChildren
  filters?: ComponentChildren
  /** What can be done with selected rows. */
  tools?: ComponentChildren
  /** A sentence about the list, below it. */
  about?: ComponentChildren
  /** The next page, and the URL of this one; lists of one page have none. */
  pager?: Parameters<typeof Pager>[0]
  /** Whether a filter is not valid, so that there is no list. */
  isInvalid?: boolean
  /** The records over time, above the list; `false` while it is empty. */
  histogram?: ComponentChildren
  children: ComponentChildren
}) => (
  <div class="list-page">
    {typeof title === 'string' ? (
      <PageHeader title={title} crumbs={crumbs} actions={actions} />
    ) : (
      title
    )}
    {notes}
    {(filters !== undefined || tools !== undefined) && (
      <div class="toolbar">
        {filters}
        {tools}
      </div>
    )}
    {histogram !== undefined && <Live id="histogram">{histogram}</Live>}
    <Card flush>{isInvalid ? <InvalidFilters /> : children}</Card>
    <div class="list-foot">
      {about ? <p>{about}</p> : null}
      {pager && (
        <Live id="pager">
          <Pager {...pager} />
        </Live>
      )}
    </div>
  </div>
)

const InvalidFilters = () => (
  <EmptyState icon="alert" title="A filter is not valid">
    Correct the filter, or clear it.
  </EmptyState>
)
