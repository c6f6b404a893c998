import type { Part } from '@hosting/postgres'
import type { ComponentChildren, Key } from 'preact'
import { runbookLink, type RunbookAnchor } from '../runbook.ts'
import { utc } from './format.ts'

// The parts that the operators' page is put together from.

/** A section: what it shows, what that means, and where the runbook says what to do. */
export const Section = ({
  title,
  anchor,
  hint,
  children,
}: {
  title: string
  anchor: RunbookAnchor
  hint?: ComponentChildren
  children: ComponentChildren
}) => (
  <section class="card" aria-label={title}>
    <div class="card-head">
      <h2>{title}</h2>
      <a href={runbookLink(anchor)} aria-label={`Runbook: ${title}`}>
        Runbook
      </a>
      {hint !== undefined && <p>{hint}</p>}
    </div>
    {children}
  </section>
)

const servers = {
  PostgreSQL: 'postgresql-is-away',
  Redis: 'redis-is-away',
} as const satisfies Record<string, RunbookAnchor>

/** What a part shows, or that it could not be read; one that fails takes no other with it. */
export function Read<T>({
  part,
  from,
  children,
}: {
  part: Part<T>
  from: keyof typeof servers
  children: (value: T) => ComponentChildren
}) {
  if ('value' in part) return <>{children(part.value)}</>
  const { code } = part.error as { code?: string }
  return (
    <p class="fault">
      <strong>{from} did not give this</strong>
      {code === undefined ? '' : ` (${code})`}. The worker’s log says why.{' '}
      <a href={runbookLink(servers[from])}>What to do</a>
    </p>
  )
}

/** A state in a word; its colour only repeats it. */
export const Badge = ({
  tone = '',
  children,
}: {
  tone?: 'ok' | 'warn' | 'bad' | ''
  children: ComponentChildren
}) => <span class={`badge ${tone}`}>{children}</span>

/** A moment, in UTC. */
export const Moment = ({ at }: { at: Date }) => (
  <time class="nowrap" datetime={at.toISOString()}>
    {utc(at)}
  </time>
)

/** An endpoint, by host and id. */
export const Endpoint = ({ host, id }: { host: string; id: string }) => (
  <>
    <bdi class="name">{host}</bdi>
    <code>{id}</code>
  </>
)

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
  empty,
}: {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => Key
  empty: string
}) {
  if (rows.length === 0) return <p class="empty">{empty}</p>
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
