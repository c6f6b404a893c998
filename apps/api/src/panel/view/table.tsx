import type { ComponentChildren, Key } from 'preact'

/** A column: its name, and what it shows of a row. */
export interface Column<Row> {
  readonly name: string
  readonly show: (row: Row) => ComponentChildren
  readonly numeric?: boolean
}

/**
 * A table, whose rows become stacks of labelled lines on narrow screens. The first column names the row.
 * The roles say again what the elements are, since their display changes.
 */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => Key
}) {
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

/** The way to a list's further pages. Pages go forwards only; the first one is a click away. */
export function Pager({ next, url }: { next: string | null; url: string }) {
  const here = new URL(url, 'http://panel')
  const isFirst = !here.searchParams.has('cursor')
  if (isFirst && next === null) return null
  const at = (cursor: string | null): string => {
    const query = new URLSearchParams(here.searchParams)
    query.delete('cursor')
    if (cursor !== null) query.set('cursor', cursor)
    return query.size === 0 ? here.pathname : `${here.pathname}?${query}`
  }
  return (
    <nav class="buttons" aria-label="Pages">
      {!isFirst && (
        <a class="button small" href={at(null)}>
          Newest
        </a>
      )}
      {next !== null && (
        <a class="button small" href={at(next)} rel="next">
          Older
        </a>
      )}
    </nav>
  )
}
