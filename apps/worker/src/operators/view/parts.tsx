import { Table as TableOfRows, type TableParts } from '@hosting/html'
import type { Part } from '@hosting/postgres'
import type { ComponentChildren } from 'preact'
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

/** A table, or what is said in its stead if it has no row. */
export const Table = <Row,>({ empty, ...table }: TableParts<Row> & { empty: string }) =>
  table.rows.length === 0 ? <p class="empty">{empty}</p> : <TableOfRows {...table} />
