import type { ComponentChildren, Key } from 'preact'

/** A column: its name, and what it shows of a row. */
export interface Column<Row> {
  readonly name: string
  readonly show: (row: Row) => ComponentChildren
  readonly numeric?: boolean
}

/** What a {@link Table} is made of. */
export interface TableParts<Row> {
  /** For those who do not see it. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => Key
}

/**
 * A table, whose rows become stacks of labelled lines on narrow screens. The first column names the row.
 * The roles say again what the elements are, since their display changes.
 */
export function Table<Row>({ caption, columns, rows, keyOf }: TableParts<Row>) {
  return (
    <table class="table" role="table">
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
          <tr key={keyOf(row)} role="row">
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
