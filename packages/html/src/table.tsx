import type { ComponentChildren, Key } from 'preact'

/** A column: its name, and what it shows of a row. */
export interface Column<Row> {
  readonly name: string
  readonly show: (row: Row) => ComponentChildren
  readonly numeric?: boolean
}

/** The properties of {@link Table}. */
export interface TableParts<Row> {
  /** For screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => Key
  /** An additional class. */
  readonly variant?: string
  /** The id of a row's element, for scripts and links. */
  readonly rowId?: (row: Row) => string
}

/**
 * A table whose rows become stacked, labeled lines on narrow screens. The first column identifies the row.
 * The explicit roles are needed because CSS changes the display of the elements.
 */
export function Table<Row>({ caption, columns, rows, keyOf, variant, rowId }: TableParts<Row>) {
  return (
    <table class={variant === undefined ? 'table' : `table ${variant}`} role="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ name, numeric }) => (
            <th key={name} role="columnheader" scope="col" class={numeric ? 'number' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} id={rowId?.(row)} role="row">
            {columns.map(({ name, show, numeric }, index) => (
              <td
                key={name}
                role="cell"
                data-label={name}
                class={index === 0 ? 'lead' : numeric ? 'number' : undefined}
              >
                <div>{show(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
