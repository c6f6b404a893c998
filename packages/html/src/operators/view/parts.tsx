import { Table, type TableParts } from '../../index.ts'
import type { Part } from '@hosting/postgres/operators'
import type { ComponentChildren } from 'preact'
import { runbookLink, type RunbookAnchor } from '../runbook.ts'
import { utc } from './format.ts'

// The components of the operators' page.

/** A section with its title, an explanation, and a link to the runbook. It is folded if all is well. */
export const Section = ({
  title,
  anchor,
  hint,
  ok,
  children,
}: {
  title: string
  anchor: RunbookAnchor
  hint?: ComponentChildren
  /** Says in few words that all is well. */
  ok?: string | undefined
  children: ComponentChildren
}) => {
  const link = (
    <a href={runbookLink(anchor)} aria-label={`Runbook: ${title}`}>
      Runbook
    </a>
  )
  if (ok !== undefined) {
    return (
      <section class="card" aria-label={title}>
        <details class="folded">
          <summary>
            <h2>{title}</h2>
            <StateBadge tone="ok">{ok}</StateBadge>
          </summary>
          <div class="card-head">
            <p>
              {hint} {link}
            </p>
          </div>
          {children}
        </details>
      </section>
    )
  }
  return (
    <section class="card" aria-label={title}>
      <div class="card-head">
        <h2>{title}</h2>
        {link}
        {hint !== undefined && <p>{hint}</p>}
      </div>
      {children}
    </section>
  )
}

/** What a section says if all is well; `undefined` also if its part could not be read. */
export const okOf = <T,>(
  part: Part<T>,
  find: (value: T) => string | false | undefined,
): string | undefined => ('value' in part ? find(part.value) || undefined : undefined)

const servers = {
  PostgreSQL: 'postgresql-is-down',
  Redis: 'redis-is-down',
} as const satisfies Record<string, RunbookAnchor>

/** The content of a part, or that it could not be read. A failed part does not affect the others. */
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
    <p class="error">
      <strong>{from} could not be read</strong>
      {code === undefined ? '' : ` (${code})`}. The reason is in the log of this process.{' '}
      <a href={runbookLink(servers[from])}>What to do</a>
    </p>
  )
}

/** A state as a word. Its color is only an addition. */
export const StateBadge = ({
  tone = '',
  children,
}: {
  tone?: 'ok' | 'warn' | 'bad' | ''
  children: ComponentChildren
}) => <span class={`badge ${tone}`}>{children}</span>

/** A time, in UTC. */
export const Moment = ({ at }: { at: Date }) => (
  <time class="nowrap" datetime={at.toISOString()}>
    {utc(at)}
  </time>
)

/** An endpoint, by name and id. */
export const EndpointWithId = ({
  endpointName,
  endpointId,
}: {
  endpointName: string
  endpointId: string
}) => (
  <>
    <bdi class="name">{endpointName}</bdi>
    <code>{endpointId}</code>
  </>
)

/** A table, or a text if it has no rows. */
export const OperatorsTable = <Row,>({ empty, ...table }: TableParts<Row> & { empty: string }) =>
  table.rows.length === 0 ? <p class="empty">{empty}</p> : <Table {...table} />
