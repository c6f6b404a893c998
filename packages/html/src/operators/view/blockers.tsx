import type { Blocker } from '@hosting/postgres/operators'
import type { Column } from '../../index.ts'
import type { OpsSnapshot } from '../snapshot.ts'
import { age, number } from './format.ts'
import { TableSection } from './table-section.tsx'

/** What other sessions of PostgreSQL wait for. */
export const Blockers = ({ snapshot: { blockers } }: { snapshot: OpsSnapshot }) => (
  <TableSection
    title="Blocked sessions of PostgreSQL"
    anchor="a-transaction-stays-open"
    hint="The sessions that others wait for, by the name of their program."
    part={blockers}
    columns={columns}
    rowsOf={(all) => all}
    keyOf={({ pid }) => pid}
    empty="No session waits for another."
    okOf={(all) => (all.length === 0 ? 'None' : undefined)}
  />
)

const columns: readonly Column<Blocker>[] = [
  {
    name: 'Session',
    show: ({ application, pid }) => (
      <>
        <bdi class="name">{application || 'No application name'}</bdi>
        <code>pid {pid}</code>
      </>
    ),
  },
  { name: 'State', show: ({ state }) => state ?? 'Not visible to this role' },
  {
    name: 'Transaction open for',
    numeric: true,
    show: ({ openMs }) => (openMs === null ? '–' : age(openMs)),
  },
  { name: 'Blocks', numeric: true, show: ({ blocked }) => number(blocked) },
  {
    name: 'Longest wait',
    numeric: true,
    show: ({ waitingMs }) => (waitingMs === null ? '–' : age(waitingMs)),
  },
  { name: 'Tables', show: ({ tables }) => tables ?? '–' },
]
