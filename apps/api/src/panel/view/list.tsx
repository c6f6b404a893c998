import type { ComponentChildren, Key } from 'preact'

/** A column of a list: its name, and what it shows of a row, on one line. */
export interface ListColumn<Row> {
  readonly name: string
  readonly show: (row: Row) => ComponentChildren
  readonly numeric?: boolean
  /**
   * Its place on a phone, where a row has two lines: at the end of the first, at the start or end of the second, or beside
   * both. The first column is the start of the first line. Columns without a place are left out. What a row `opens` is
   * below it, on any screen.
   */
  readonly place?: 'aside' | 'below' | 'end' | 'act' | 'opens'
  /** Whether its name precedes its value on a phone, unless there is none. */
  readonly named?: boolean
}

/** The properties of {@link List}. */
export interface ListParts<Row> {
  /** For screen readers. */
  readonly caption: string
  /** The class that determines the widths of the columns. */
  readonly variant: string
  /** The first contains the {@link RowLink}. */
  readonly columns: readonly ListColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => Key
  /** The id of a row's element, for scripts and links. */
  readonly rowId?: (row: Row) => string
  /** The checkbox of a row, if rows can be selected. */
  readonly pick?: ((row: Row) => ComponentChildren) | undefined
}

/**
 * A list of records, one line per row, or two on narrow screens. The link of the first column covers its row. The
 * explicit roles are needed because CSS changes the display of the elements.
 */
export const List = <Row,>(list: ListParts<Row>) => (
  <table class={`list ${list.variant}${list.pick ? ' pickable' : ''}`} role="table">
    <caption class="visually-hidden">{list.caption}</caption>
    <thead role="rowgroup">
      <tr role="row">
        {list.pick && <PickHeader />}
        {list.columns.map((column) => (
          <th key={column.name} role="columnheader" scope="col" class={headerClassOf(column)}>
            {column.name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      {list.rows.map((row) => (
        <tr key={list.keyOf(row)} id={list.rowId?.(row)} role="row">
          {list.pick && (
            <td role="cell" class="pick">
              {list.pick(row)}
            </td>
          )}
          {list.columns.map((column, index) => (
            <td
              key={column.name}
              role="cell"
              class={classOf(column, index)}
              data-name={column.named ? column.name : undefined}
            >
              {column.show(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

const headerClassOf = <Row,>({ numeric, place }: ListColumn<Row>): string | undefined =>
  place === 'opens' ? 'visually-hidden' : numeric ? 'number' : undefined

const classOf = <Row,>({ numeric, place }: ListColumn<Row>, index: number): string =>
  [index === 0 ? 'lead' : (place ?? 'wide'), ...(numeric ? ['number'] : [])].join(' ')

/** Selects all rows, with scripts. */
const PickHeader = () => (
  <th role="columnheader" scope="col" class="pick">
    <label class="pick-box" data-scripted hidden>
      <input type="checkbox" data-select-all />
      <span>Select all</span>
    </label>
    <span class="visually-hidden">Selected</span>
  </th>
)

/** The checkbox of a row. */
export const PickBox = ({
  id,
  form,
  label,
  disabled = false,
}: {
  id: string
  /** The id of the form that it belongs to. */
  form: string
  label: string
  disabled?: boolean
}) => (
  <label class="pick-box">
    <input type="checkbox" name="id" value={id} form={form} disabled={disabled} />
    <span class="visually-hidden">{label}</span>
  </label>
)

/** What a row opens. All of the row is the target. It is the content of a column with the place `opens`. */
export const RowDetails = ({ of, children }: { of: string; children: ComponentChildren }) => (
  <details>
    <summary>
      <span class="visually-hidden">Details of {of}</span>
    </summary>
    <div>{children}</div>
  </details>
)

/** The link of a row. All of the row is its target, except for other controls. */
export const RowLink = ({ to, children }: { to: string; children: ComponentChildren }) => (
  <a class="row-link" href={to}>
    {children}
  </a>
)
