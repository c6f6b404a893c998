import type { TableParts } from '../../index.ts'
import type { Part } from '@hosting/postgres/operators'
import type { ComponentChildren } from 'preact'
import type { RunbookAnchor } from '../runbook.ts'
import { okOf, Read, Section, OperatorsTable } from './parts.tsx'

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
  /** Says in few words that all is well; the section is then folded. */
  readonly okOf?: (value: Value) => string | false | undefined
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
  okOf: findOk,
  ...table
}: TableSectionProps<Value, Row>) => (
  <Section title={title} anchor={anchor} hint={hint} ok={findOk && okOf(part, findOk)}>
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
