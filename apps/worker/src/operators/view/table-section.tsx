import type { TableParts } from '@hosting/html'
import type { Part } from '@hosting/postgres/operators'
import type { ComponentChildren } from 'preact'
import type { RunbookAnchor } from '../runbook.ts'
import { Read, Section, OperatorsTable } from './parts.tsx'

interface TableSectionProps<Value, Row> extends Pick<TableParts<Row>, 'columns' | 'keyOf'> {
  /** Also the caption of the table. */
  readonly title: string
  readonly anchor: RunbookAnchor
  readonly hint: string
  /** What PostgreSQL gave. */
  readonly part: Part<Value>
  readonly rowsOf: (value: Value) => readonly Row[]
  /** Shown if there are no rows. */
  readonly empty: string
  /** Shown below the table. */
  readonly noteOf?: (value: Value) => ComponentChildren
}

/** A section whose content is one table. */
export const TableSection = <Value, Row>({
  title,
  anchor,
  hint,
  part,
  rowsOf,
  noteOf,
  ...table
}: TableSectionProps<Value, Row>) => (
  <Section title={title} anchor={anchor} hint={hint}>
    <Read part={part} from="PostgreSQL">
      {(value) => (
        <>
          <OperatorsTable caption={title} rows={rowsOf(value)} {...table} />
          {noteOf?.(value)}
        </>
      )}
    </Read>
  </Section>
)
